import type { AccountEvent, OrderSubmitted } from '../../model/account-events.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { OrderRequest, OrderType, PositionSide, Side } from '../../model/order.ts';
import type { CancelReason } from '../../model/reasons.ts';
import {
  activates,
  awayTicks,
  followPrice,
  nowhere,
  type Offset,
  type Trail,
  type Trailing,
  trailedTicks,
  trails,
} from '../../model/trail.ts';
import type { Order } from '../../state/order.ts';

/** Triggers and limit of the exits of one position, in ticks, and how its stop follows the price. */
export interface ExitTicks extends Trail {
  readonly stopTicks: number | undefined;
  readonly profitTicks: number | undefined;
  /** In place of the prices: how far each is from the price of the fill. */
  readonly stopOffset?: Offset | undefined;
  readonly profitOffset?: Offset | undefined;
  readonly activateOffset?: Offset | undefined;
  /** The take profit rests at the venue from the start. */
  readonly maker?: boolean | undefined;
}

/** Whether their prices depend on that of each fill. */
export function isRelative({ stopOffset, profitOffset, activateOffset }: ExitTicks): boolean {
  return stopOffset !== undefined || profitOffset !== undefined || activateOffset !== undefined;
}

/** The prices of exits for a position from this price. @param side that the exits execute. */
export function resolved({ stopOffset, profitOffset, activateOffset, ...exits }: ExitTicks, side: Side, fromTicks: number): ExitTicks {
  const profit = side === 'sell' ? 1 : -1;
  const loss = side === 'sell' ? -1 : 1;
  return {
    ...exits,
    stopTicks: stopOffset === undefined ? exits.stopTicks : awayTicks(stopOffset, loss, fromTicks),
    profitTicks: profitOffset === undefined ? exits.profitTicks : awayTicks(profitOffset, profit, fromTicks),
    activateTicks: activateOffset === undefined ? exits.activateTicks : awayTicks(activateOffset, profit, fromTicks),
  };
}

/**
 * Where the stop of these exits begins. @param side that the exits execute. @param fromTicks price of the position.
 * @returns undefined without a stop, and before a trail without one begins.
 */
export function firstStop(exits: ExitTicks, side: Side, fromTicks: number): number | undefined {
  const { stopTicks, ...trail } = resolved(exits, side, fromTicks);
  if (!trails(trail) || !activates(trail, side, fromTicks)) return stopTicks;
  return stopTicks ?? trailedTicks(trail, side, fromTicks);
}

/** What linked exits are armed for. */
export interface Arming {
  readonly instrument: Instrument;
  readonly strategyId: string;
  /** The side that closes the position. */
  readonly side: Side;
  readonly positionSide: PositionSide;
  readonly steps: number;
  readonly exits: ExitTicks;
  /** Price of the position, in ticks: a stop that trails begins from there. */
  readonly fromTicks: number;
  /** Sequence of the price that filled the entry; left out for a position that stood already. */
  readonly since?: number;
  readonly tag: string;
}

/** Legs of which one cancels the other; fills of any reduce what the others may still do. */
export interface Link {
  readonly legs: HeldOrder[];
  /** Steps that the legs together may still exit. */
  steps: number;
  /** The order whose fills arm the legs; empty for positions that stood already. */
  readonly entryId: string;
  /** The price of the fill that their prices come from, where they do. */
  readonly fromTicks?: number | undefined;
}

/**
 * An order that waits until the price reaches its trigger: at the engine, or as a trigger order at a venue that has
 * them, while the engine looks after what hangs on it.
 */
export interface HeldOrder extends Trailing {
  /** What goes out at the release; its quantity follows the link's. */
  request: OrderRequest;
  readonly type: OrderType;
  /** Moves with the price where the order trails. */
  triggerTicks: number;
  /** It waits at the venue: prices are no concern of the engine's. */
  readonly atVenue: boolean;
  /** Triggers when the price rises to the trigger, else when it falls to it. */
  readonly rising: boolean;
  /** The stop leg goes before the limit leg where one price triggers both. */
  readonly isStop: boolean;
  readonly link: Link | undefined;
  /** It rests at the venue as a plain limit order: it goes out as soon as it is judged, at any price. */
  readonly rests?: boolean | undefined;
  /** What rests is too large by now, and has been called back to go out smaller. */
  refits?: boolean | undefined;
  /** Where a stop that trails began as a stop loss. */
  readonly lossTicks?: number | undefined;
  /** Sequence of the price that filled its entry: prices of a bar before it, which a feed leg delivers later, do not judge it. */
  readonly since?: number | undefined;
  /** Waits for the next bar to open before it is judged; never where prices are not told as bars. */
  sleeping: boolean;
  /**
   * `held`: judged by prices. `triggered`: its release waits for review. `planned`: to wait at the venue, once
   * reviewed; no event has named it yet. `renewed`: triggered anew under another id, which no event has named yet.
   * `sent`: approved, at the venue or on its way there. `ended`: taken back or denied; its last event is on the way.
   */
  stage: 'held' | 'triggered' | 'planned' | 'renewed' | 'sent' | 'ended';
  /** Why the venue has been asked to give it back: asked again where a cancel overtook it. */
  recalled: CancelReason | undefined;
  /** The price that triggered it, which is the market it meets; `NaN` before. */
  metTicks: number;
  /** Its trigger was reached, but an order at the venue must be gone first: its linked leg, or one that holds its coins. */
  waitsForLink: boolean;
  /** It was refused for something that may pass: not judged before this time, epoch ms. */
  retryAt: number | undefined;
  /** Refusals of that kind in a row. */
  tries: number;
}

/** The price has come here: the trigger of a stop that trails goes along, and never back. */
export function trail(held: HeldOrder, ticks: number): void {
  if (!held.sleeping && !held.waitsForLink) followPrice(held, held.request.side, ticks);
}

/**
 * The price has come here while the order sleeps. @returns whether it would have triggered, were it awake: one that trails
 * from where `shadow` remembers it.
 */
export function passesAsleep(held: HeldOrder, ticks: number, shadow: Map<HeldOrder, Trailing>): boolean {
  const { rising, request } = held;
  const awake = shadow.get(held) ?? { ...held };
  if (trails(held)) shadow.set(held, awake);
  followPrice(awake, request.side, ticks);
  return rising ? ticks >= awake.triggerTicks : ticks <= awake.triggerTicks;
}

/** No leg of it has gone out, and all are judged from the same moment as what is to be added. */
export function mayGrow(link: Link, asleep: boolean): boolean {
  return link.legs.every(({ stage, sleeping }) => (stage === 'held' || stage === 'planned') && sleeping === asleep);
}

/** The fields of a waiting order that differ from order to order at the start; the rest is the same for all. */
type Waiting = Pick<
  HeldOrder,
  keyof Trailing | 'rests' | 'lossTicks' | 'since' | 'request' | 'type' | 'rising' | 'isStop' | 'link' | 'atVenue' | 'sleeping'
>;

export function waitingOrder(waiting: Waiting): HeldOrder {
  const stage = waiting.atVenue ? 'planned' : 'held';
  return { ...waiting, stage, recalled: undefined, metTicks: Number.NaN, waitsForLink: false, retryAt: undefined, tries: 0 };
}

/** What held orders need from the engine. */
export interface HeldDeskOutlets {
  emit(event: AccountEvent): void;
  /** Puts an order before the risk gate: one that was triggered, or one that is to wait at the venue. */
  release(held: HeldOrder): void;
  /** Takes back what was sent, or is about to be. */
  cancelAtVenue(clientOrderId: string, instrument: Instrument, reason: CancelReason): void;
  /** Cancels an open order wherever it is. */
  cancel(order: Order, reason: CancelReason): void;
  /** Asks after a trigger that ought to fire at once. */
  watch(clientOrderId: string): void;
  /** How many of its steps one order may take, judged at this price. */
  slice(close: Pick<OrderRequest, 'instrument' | 'strategyId' | 'priceTicks' | 'steps'>, marketTicks: number): number;
  now(): number;
  /** Something came due outside the feed: the engine takes its turn. */
  wake(): void;
}

/** Reports that an order waits at the engine from here. */
export function tellHeld(held: HeldOrder, { emit, now }: Pick<HeldDeskOutlets, 'emit' | 'now'>): void {
  const time = now();
  emit(submittedHeld(held, time, false));
  emit({ kind: 'orderAccepted', time, clientOrderId: held.request.clientOrderId, orderId: '', held: true });
}

/** @param again in another size. */
export function submittedHeld({ request, type, isStop, triggerTicks }: HeldOrder, time: number, again: boolean): OrderSubmitted {
  const stopTicks = isStop && triggerTicks !== nowhere(request.side) ? triggerTicks : undefined;
  return { kind: 'orderSubmitted', time, clientOrderId: request.clientOrderId, request, type, stopTicks, again };
}
