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
import type { ExitTimes, Timed } from './exit-times.ts';

/** Triggers and limit of the exits of one position, in ticks, and how its stop follows the price. */
export interface ExitTicks extends Trail, ExitTimes {
  readonly stopTicks: number | undefined;
  readonly profitTicks: number | undefined;
  /** In place of the prices: how far each is from the price of the fill. */
  readonly stopOffset?: Offset | undefined;
  readonly profitOffset?: Offset | undefined;
  readonly activateOffset?: Offset | undefined;
  /** The take profit rests at the venue from the start. */
  readonly maker?: boolean | undefined;
  /** The part of the position that the take profit closes, from 0 to 1; absent: all of it. */
  readonly profitShare?: number | undefined;
}

/** Whether their prices depend on that of each fill. */
export function isRelative({ stopOffset, profitOffset, activateOffset, profitSteps }: ExitTicks): boolean {
  return stopOffset !== undefined || profitOffset !== undefined || activateOffset !== undefined || profitSteps !== undefined;
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
 * The first trigger of the stop of these exits. @param side that the exits execute. @param fromTicks price of the position.
 * @returns undefined without a stop, and for a trailing stop that has not begun.
 */
export function firstStop(exits: ExitTicks, side: Side, fromTicks: number): number | undefined {
  const { stopTicks, ...trail } = resolved(exits, side, fromTicks);
  if (!trails(trail) || !activates(trail, side, fromTicks)) return stopTicks;
  return stopTicks ?? trailedTicks(trail, side, fromTicks);
}

/** The fill or position for which linked exits are armed. */
export interface Arming {
  readonly instrument: Instrument;
  readonly strategyId: string;
  /** The side that closes the position. */
  readonly side: Side;
  readonly positionSide: PositionSide;
  readonly steps: number;
  readonly exits: ExitTicks;
  /** When the position was opened, epoch ms: the time at which exits by age begin. */
  readonly fromTime: number;
  /** Price of the position, in ticks, at which a trailing stop begins. */
  readonly fromTicks: number;
  /** Sequence of the price that filled the entry; left out for an existing position. */
  readonly since?: number;
  readonly tag: string;
  /** The orders have it with the name of the exit. */
  readonly ref?: string | undefined;
  readonly group?: string | undefined;
}

/** Linked legs: when one fills, the others are reduced or canceled. */
export interface Link {
  readonly legs: HeldOrder[];
  /** Steps that the legs together may still close. */
  steps: number;
  /** The order whose fills arm the legs; empty for existing positions. */
  readonly entryId: string;
  /** The price of the fill from which their prices are computed, if they are relative. */
  readonly fromTicks?: number | undefined;
}

/**
 * An order that waits until the price reaches its trigger: in the engine, or as a trigger order at a venue that has
 * them, while the engine manages its link.
 */
export interface HeldOrder extends Trailing, Timed {
  /** The request at the release. Its quantity follows the link's. */
  request: OrderRequest;
  readonly type: OrderType;
  /** Moves with the price if the order trails. */
  triggerTicks: number;
  /** It waits at the venue: the engine compares no prices with it. */
  readonly atVenue: boolean;
  /** Triggers when the price rises to the trigger, else when it falls to it. */
  readonly rising: boolean;
  /** The stop leg is sent before the limit leg if one price triggers both. */
  readonly isStop: boolean;
  readonly link: Link | undefined;
  /** It rests at the venue as a plain limit order: it is sent as soon as it is reviewed, at any price. */
  readonly rests?: boolean | undefined;
  /** The resting order is too large now, and was canceled to be sent again with a smaller size. */
  refits?: boolean | undefined;
  /** Its trigger price was passed before the venue had it, which waits for the price to return: it was canceled to be sent at once. */
  missed?: boolean | undefined;
  /** Where a trailing stop began as a stop loss. */
  readonly lossTicks?: number | undefined;
  /** Sequence of the price that filled its entry: earlier prices of a bar, which a feed delay delivers later, are not compared with it. */
  readonly since?: number | undefined;
  /** Waits for the open of the next bar; never if there are no bars. */
  sleeping: boolean;
  /**
   * `held`: compared with prices. `triggered`: its release waits for review. `planned`: will wait at the venue after its
   * review; no event has named it yet. `sent`: approved, at the venue or on its way there. `ended`: withdrawn or denied; its last event is on the way.
   */
  stage: 'held' | 'triggered' | 'planned' | 'sent' | 'ended';
  /** Why its cancel was sent. Sent again if the cancel overtook the order. */
  recalled: CancelReason | undefined;
  /** The market price that triggered it; `NaN` before. */
  metTicks: number;
  /** Triggered, but an order at the venue must end first: its linked leg, or one that freezes its coins. */
  waitsForLink: boolean;
  /** Refused for a reason that may pass: not compared with prices before this time, epoch ms. */
  retryAt: number | undefined;
  /** Consecutive refusals of that kind. */
  tries: number;
  /** Somebody canceled it at the exchange, and the engine has placed it again. */
  restored?: boolean | undefined;
  /** The order at the venue that it replaces: it protects the position until the venue has accepted this one. */
  outgoing?: HeldOrder | undefined;
  /** The order that replaces it as soon as the venue has accepted that one. */
  incoming?: HeldOrder | undefined;
}

/** A new price: moves a trailing stop, never back. */
export function trail(held: HeldOrder, ticks: number): void {
  if (!held.sleeping && !held.waitsForLink) followPrice(held, held.request.side, ticks);
}

/**
 * A new price while the order sleeps. @returns whether it would have been triggered if awake. A trailing one is followed
 * in `shadow`.
 */
export function passesAsleep(held: HeldOrder, ticks: number, shadow: Map<HeldOrder, Trailing>): boolean {
  const { rising, request } = held;
  const awake = shadow.get(held) ?? { ...held };
  if (trails(held)) shadow.set(held, awake);
  followPrice(awake, request.side, ticks);
  return rising ? ticks >= awake.triggerTicks : ticks <= awake.triggerTicks;
}

/** No leg of it has been sent, and the legs to add are compared with prices from the same moment. */
export function mayGrow(link: Link, asleep: boolean): boolean {
  return link.legs.every(({ stage, sleeping }) => (stage === 'held' || stage === 'planned') && sleeping === asleep);
}

/** The fields that differ between new waiting orders. */
type Waiting = Pick<
  HeldOrder,
  | keyof Trailing
  | keyof Timed
  | 'rests'
  | 'lossTicks'
  | 'since'
  | 'request'
  | 'type'
  | 'rising'
  | 'isStop'
  | 'link'
  | 'atVenue'
  | 'sleeping'
>;

export function waitingOrder(waiting: Waiting): HeldOrder {
  const stage = waiting.atVenue ? 'planned' : 'held';
  const alone = { outgoing: undefined, incoming: undefined };
  return { ...waiting, ...alone, stage, recalled: undefined, metTicks: Number.NaN, waitsForLink: false, retryAt: undefined, tries: 0 };
}

/** One of two orders has ended, or is canceled: neither replaces the other any more. */
export function part(held: HeldOrder): void {
  if (held.outgoing !== undefined) held.outgoing.incoming = undefined;
  if (held.incoming !== undefined) held.incoming.outgoing = undefined;
  held.outgoing = undefined;
  held.incoming = undefined;
}

/**
 * The reaction to an exit that somebody cancels at the exchange. `restore`: it is placed again, once, and the second time its instrument is
 * halted. `reduce`: its strategy opens nothing until a reset. `warn`: nothing beyond the report. All three report a lost stop.
 */
export type LostExit = 'restore' | 'reduce' | 'warn';

/** The parts and functions of the engine that held orders need. */
export interface HeldOrdersContext {
  emit(event: AccountEvent): void;
  /** Submits an order to the risk gate: a triggered one, or one that will wait at the venue. */
  release(held: HeldOrder): void;
  /** Cancels an order that was sent or is about to be. */
  cancelAtVenue(clientOrderId: string, instrument: Instrument, reason: CancelReason): void;
  /** Cancels an open order wherever it is. */
  cancel(order: Order, reason: CancelReason): void;
  /** Whether another strategy trades the instrument. */
  isShared(strategyId: string, instrument: Instrument): boolean;
  /** How many of its steps one order may have, at this price. */
  slice(close: Pick<OrderRequest, 'instrument' | 'strategyId' | 'priceTicks' | 'steps'>, marketTicks: number): number;
  now(): number;
  /** Something became due outside the feed: the engine takes its turn. */
  wake(): void;
  /** The handling of exits that somebody cancels at the exchange. */
  readonly lostExit: LostExit;
  /** A strategy's position has lost its stop, which is not placed again. */
  stopLost(strategyId: string): void;
}

/** Reports that an order now waits in the engine. */
export function reportHeld(held: HeldOrder, { emit, now }: Pick<HeldOrdersContext, 'emit' | 'now'>): void {
  const time = now();
  emit(submittedHeld(held, time, false));
  emit({ kind: 'orderAccepted', time, clientOrderId: held.request.clientOrderId, orderId: '', held: true });
}

/** @param again with another size. */
export function submittedHeld({ request, type, isStop, triggerTicks }: HeldOrder, time: number, again: boolean): OrderSubmitted {
  const stopTicks = isStop && triggerTicks !== nowhere(request.side) ? triggerTicks : undefined;
  return { kind: 'orderSubmitted', time, clientOrderId: request.clientOrderId, request, type, stopTicks, again };
}
