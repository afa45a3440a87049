import type { Fill } from '../../model/fill.ts';
import { closes, type OrderRequest, opposite } from '../../model/order.ts';
import type { Position } from '../../model/position.ts';
import type { CancelReason } from '../../model/reasons.ts';
import { activates, nowhere, trails } from '../../model/trail.ts';
import { listedGrid, listedSteps } from '../../risk/listed-grid.ts';
import type { Order } from '../../state/order.ts';
import type { State } from '../../state/state.ts';
import type { OrderBuilder } from '../orders/order-builder.ts';
import { reachesStop } from '../orders/stop-side.ts';
import { limitAt, scheduleOf, type Timed } from './exit-times.ts';
import type { HeldBook } from './held-book.ts';
import {
  type Arming,
  type ExitTicks,
  firstStop,
  type HeldOrder,
  type HeldOrdersContext,
  isRelative,
  type Link,
  part,
  resolved,
  waitingOrder,
} from './held-order.ts';

/** The fields of an exit that does not depend on time: none. */
const NO_TIME: Timed = {};

/** Makes the linked exits of a position: a stop loss, a take profit, a close by age. */
export class ExitLegs {
  constructor(
    private readonly state: State,
    private readonly builder: OrderBuilder,
  ) {}

  /** @param entryId the order whose fills arm them. @param sleeping whether they wait for the open of the next bar. */
  link(arming: Arming, entryId: string, sleeping: boolean): Link {
    const { instrument, strategyId, side, positionSide, steps, fromTicks, fromTime, since, tag, ref, group } = arming;
    const exits = resolved(arming.exits, side, fromTicks);
    const { trailTicks, trailMillionths, activateTicks, maker, afterMs } = exits;
    const schedule = scheduleOf(exits, side, fromTicks, fromTime);
    const profitTicks = schedule === undefined ? exits.profitTicks : limitAt(schedule, fromTime);
    const isTrailing = trails(exits);
    const stopTicks = firstStop(exits, side, fromTicks) ?? (isTrailing ? nowhere(side) : undefined);
    const trail = { trailTicks, trailMillionths, activateTicks: activates(exits, side, fromTicks) ? undefined : activateTicks };
    const link: Link = { legs: [], steps, entryId, fromTicks: isRelative(arming.exits) ? fromTicks : undefined };
    const common = { side, positionSide, timeInForce: 'GTC', postOnly: false, reduceOnly: true, steps, quoteQuantity: undefined } as const;
    const leg = (type: 'stop' | 'limit' | 'market', triggerTicks: number, reason: string, timed = NO_TIME): HeldOrder =>
      waitingOrder({
        ...timed,
        request: this.builder.request(instrument, strategyId, this.state.sequence, {
          ...common,
          type: type === 'limit' ? 'limit' : 'market',
          priceTicks: type === 'limit' ? triggerTicks : undefined,
          tag: tag === '' ? reason : `${tag}:${reason}`,
          ref: ref === undefined ? undefined : `${ref}:${reason}`,
          group,
        }),
        type,
        triggerTicks,
        ...(type === 'stop' ? { ...trail, lossTicks: isTrailing ? exits.stopTicks : undefined } : {}),
        rising: (side === 'buy') === (type !== 'limit'),
        isStop: type !== 'limit',
        link,
        rests: type === 'limit' && maker ? true : undefined,
        // No venue has trailing triggers, nor exits by age: the engine moves them.
        atVenue: this.builder.triggersAtVenue(instrument) && timed === NO_TIME && !(type === 'stop' ? isTrailing : maker),
        sleeping,
        since,
      });
    if (stopTicks !== undefined) link.legs.push(leg('stop', stopTicks, isTrailing ? 'trailingStop' : 'stopLoss'));
    if (profitTicks !== undefined) link.legs.push(leg('limit', profitTicks, 'takeProfit', schedule && { schedule }));
    if (afterMs !== undefined) link.legs.push(leg('market', nowhere(side), 'after', { dueAt: fromTime + afterMs }));
    return link;
  }
}

/** Number of plans above which those of ended orders are dropped. */
const PLANS_KEPT = 1000;
/** Plans of ended orders that are kept over a restart: late fills come soon, or never. */
const ENDED_REMEMBERED = 50;

/** Exits that a fill arms. */
type PlannedLegs = Pick<Arming, 'exits' | 'steps' | 'fromTime'>;

/** Exits to be armed as an entry order fills. */
export interface PlanSnapshot extends Partial<ExitTicks> {
  readonly clientOrderId: string;
}

/**
 * Exits that are armed as the fills of their entry orders arrive. A plan is kept for a while after its order has ended: a
 * fill that arrives after the cancel is real, and needs its stop like any other.
 */
export class PlannedExits {
  readonly #plans = new Map<string, ExitTicks>();
  /** Entries that filled at or beyond their stop loss, by client order id. The stop is triggered at once. */
  readonly #beyond = new Set<string>();
  /** Entries that filled at or beyond their take profit, by client order id. It closes them at once. */
  readonly #beyondTarget = new Set<string>();
  /** Steps of each strategy's positions after its newest fill. */
  readonly #held = new Map<Position, number>();

  constructor(private readonly state: State) {
    for (const book of state.books.values()) {
      for (const position of state.instruments.flatMap((instrument) => book.sides(instrument))) this.#held.set(position, position.steps);
    }
  }

  /** The number of entries of this run that filled at or beyond their stop loss. */
  get stopsBeyondFill(): number {
    return this.#beyond.size;
  }

  /** The number of entries of this run that filled at or beyond their take profit. */
  get targetsBeyondFill(): number {
    return this.#beyondTarget.size;
  }

  /** The plans of open orders, and the newest of the others. */
  snapshot(): PlanSnapshot[] {
    const open = ([id]: readonly [string, ExitTicks]) => this.state.openOrders.has(id);
    const plans = [...this.#plans];
    const ended = new Set(plans.filter((plan) => !open(plan)).slice(-ENDED_REMEMBERED));
    return plans.filter((plan) => open(plan) || ended.has(plan)).map(([clientOrderId, exits]) => ({ clientOrderId, ...exits }));
  }

  restore(plans: readonly PlanSnapshot[]): void {
    for (const { clientOrderId, stopTicks, profitTicks, ...trail } of plans) {
      this.#plans.set(clientOrderId, { stopTicks, profitTicks, ...trail });
    }
  }

  add({ clientOrderId }: OrderRequest, exits: ExitTicks): void {
    if (this.#plans.size >= PLANS_KEPT) this.#dropEnded();
    this.#plans.set(clientOrderId, exits);
  }

  /** Trigger of the stop that this order arms as it fills at such a price, in ticks. */
  stopOf({ clientOrderId, side, priceTicks }: OrderRequest, marketTicks: number): number | undefined {
    const exits = this.#plans.get(clientOrderId);
    return exits === undefined ? undefined : firstStop(exits, opposite(side), priceTicks ?? marketTicks);
  }

  /** An order is sent again under another id. Fills of the first one may still arrive. */
  copy(from: string, to: string): void {
    const exits = this.#plans.get(from);
    if (exits !== undefined) this.#plans.set(to, exits);
  }

  /**
   * Handles any fill, after the state has it. @returns for the fill of an entry its exits, and the steps to arm:
   * the change of the strategy's position, which is less than the fill if the fee was taken from it.
   */
  onFill({ clientOrderId, strategyId, instrument, positionSide, side, priceTicks, time }: Fill): PlannedLegs | undefined {
    const position = this.state.books.get(strategyId)?.position(instrument, positionSide);
    if (position === undefined) return undefined;
    const steps = Math.abs(position.steps - (this.#held.get(position) ?? 0));
    this.#held.set(position, position.steps);
    const exits = this.#plans.get(clientOrderId);
    if (exits === undefined || steps === 0) return undefined;
    const closing = opposite(side);
    if (exits.stopTicks !== undefined && reachesStop(exits.stopTicks, closing, priceTicks)) this.#beyond.add(clientOrderId);
    // A target is reached from the other side than a stop.
    if (exits.profitTicks !== undefined && reachesStop(exits.profitTicks, side, priceTicks)) this.#beyondTarget.add(clientOrderId);
    return { exits, steps, fromTime: time };
  }

  /** Drops the older half of the plans of ended orders. */
  #dropEnded(): void {
    let left = PLANS_KEPT / 2;
    for (const clientOrderId of this.#plans.keys()) {
      if (left === 0) return;
      if (this.state.openOrders.has(clientOrderId)) continue;
      this.#plans.delete(clientOrderId);
      left--;
    }
  }
}

/**
 * Plain closing orders at the venue whose strategy has nothing left to close on that side. The venue has only the account's
 * positions, and would let them close the position of another strategy.
 */
export function excessCloses(state: State, { instrument, strategyId, positionSide, clientOrderId }: Fill): Order[] {
  if (positionSide === 'net' || state.books.get(strategyId)?.position(instrument, positionSide).steps !== 0) return [];
  return [...state.openOrders.values()].filter(
    (order) =>
      order.strategyId === strategyId &&
      order.instrument === instrument &&
      order.clientOrderId !== clientOrderId &&
      !order.held &&
      !order.cancelRequested &&
      order.request.positionSide === positionSide &&
      closes(order.request),
  );
}

/**
 * Stops and exits that wait at the venue. One with a wrong size or trigger is replaced: the new one is sent, and the old one is
 * canceled when the venue has accepted the new one, so that the position is never without it. Both may fire in between; the venue trims
 * what closes a contract to the account's position. So where a part of that may belong to others, the old one is canceled first; and
 * so is one that opens.
 */
export class VenueLegs {
  constructor(
    private readonly state: State,
    private readonly builder: OrderBuilder,
    private readonly book: HeldBook,
    private readonly context: Pick<HeldOrdersContext, 'release' | 'cancelAtVenue' | 'slice' | 'isShared'>,
    /** Sends the order and its linked legs as several, if one may not have this size. @returns false if it may. */
    private readonly part: (held: HeldOrder, steps: number) => boolean,
  ) {}

  /** Steps of the strategy's own position that this order could close. */
  closable({ request: { strategyId, instrument, side, positionSide } }: HeldOrder): number {
    const steps = this.state.books.get(strategyId)?.position(instrument, positionSide).steps ?? 0;
    return Math.max(0, side === 'sell' ? steps : -steps);
  }

  /** Cancels an order at the venue; at most one cancel is on its way. */
  recall(held: HeldOrder, reason: CancelReason): void {
    const { clientOrderId, instrument } = held.request;
    held.recalled = reason;
    if (this.state.openOrders.get(clientOrderId)?.cancelRequested === false) this.context.cancelAtVenue(clientOrderId, instrument, reason);
  }

  /**
   * A cancel may have overtaken the order, or the price its trigger: then the venue took it for a trigger in the other direction, unless it
   * has fired meanwhile. It is canceled, and sent at once when the venue confirms that; a fill that comes first wins.
   */
  onAccepted(held: HeldOrder): void {
    const { request, triggerTicks, rising, recalled } = held;
    if (recalled !== undefined) this.recall(held, recalled);
    else if (request.triggerTicks !== undefined && !request.fromNextBar && this.builder.reached(request, triggerTicks, rising)) {
      held.missed = true;
      this.recall(held, 'untriggered');
      // A market order may still find nobody to trade with: its fills take over.
    } else if (request.triggerTicks !== undefined || request.priceTicks !== undefined) this.takesOver(held);
  }

  /** The order works at the venue: the one that it replaces is canceled. */
  takesOver(held: HeldOrder): void {
    const { outgoing, link } = held;
    if (outgoing === undefined) return;
    part(held);
    const at = link?.legs.indexOf(outgoing) ?? -1;
    if (at >= 0) link?.legs.splice(at, 1);
    this.recall(outgoing, outgoing.triggerTicks === held.triggerTicks ? 'linked' : 'amended');
  }

  /**
   * Fits the order to the part of the position that it may close. An untriggered one is replaced; a resting one
   * is canceled and sent again. A triggered one is trimmed by the venue.
   */
  fit(held: HeldOrder): void {
    const order = this.state.openOrders.get(held.request.clientOrderId);
    if (order === undefined || held.recalled !== undefined || held.incoming !== undefined) return;
    const wanted = held.link?.steps ?? order.remainingSteps;
    const fits = Math.min(wanted, this.closable(held));
    if (order.remainingSteps === fits || order.remainingSteps === listedSteps(fits, listedGrid(held.request.instrument, this.state)))
      return;
    if (held.rests) {
      held.refits = true;
      this.recall(held, 'linked');
      return;
    }
    if (!order.untriggered || order.cancelRequested || this.part(held, wanted)) return;
    // Its size is trimmed when it is sent: more fills may arrive before.
    this.#replace(held, waitingOrder({ ...held, request: this.builder.renewed(held.request, wanted) }), 'linked');
  }

  /** Gives an order that waits at the venue another trigger. */
  move(held: HeldOrder, ticks: number): void {
    if (held.stage === 'planned') {
      held.triggerTicks = ticks;
      held.request = this.#at(held, ticks);
      return;
    }
    const steps = this.state.openOrders.get(held.request.clientOrderId)?.remainingSteps ?? held.request.steps ?? 0;
    const moved = waitingOrder({ ...held, triggerTicks: ticks, request: this.builder.renewed(this.#at(held, ticks), steps) });
    this.#replace(held, moved, 'amended');
  }

  /** If the order itself has still to replace another one, `next` replaces that one in its place. */
  #replace(held: HeldOrder, next: HeldOrder, reason: CancelReason): void {
    const stays = held.outgoing === undefined && this.#mayOverlap(held);
    const outgoing = stays ? held : held.outgoing;
    part(held);
    next.outgoing = outgoing;
    if (outgoing !== undefined) outgoing.incoming = next;
    if (!stays) this.recall(held, reason);
    const legs = held.link?.legs;
    legs?.splice(legs.indexOf(held), 1, ...(stays ? [held, next] : [next]));
    this.book.know(next);
    this.context.release(next);
  }

  /** Whether the order and its replacement may both wait at the venue: if both fired, they would close nothing that is not its strategy's. */
  #mayOverlap(held: HeldOrder): boolean {
    const { reduceOnly, strategyId, instrument, positionSide, clientOrderId } = held.request;
    const order = this.state.openOrders.get(clientOrderId);
    if (!reduceOnly || order?.cancelRequested !== false || this.context.isShared(strategyId, instrument)) return false;
    return Math.abs(this.state.position(instrument, positionSide).steps) <= this.closable(held);
  }

  /** The request of an exit whose limit is its trigger. */
  #at({ request, isStop }: HeldOrder, ticks: number): HeldOrder['request'] {
    return isStop || request.priceTicks === undefined ? request : { ...request, priceTicks: ticks };
  }

  /** The same order again, under a new id. */
  renew(held: HeldOrder, steps: number): void {
    held.missed = undefined;
    held.recalled = undefined;
    if (this.part(held, steps)) return;
    this.book.rename(held, this.builder.renewed(held.request, steps));
    held.stage = 'planned';
    this.context.release(held);
  }

  /** Whether it waits for its price, in the engine or at the venue. */
  waits({ stage, request, recalled, incoming }: HeldOrder): boolean {
    if (incoming !== undefined) return false;
    if (stage !== 'sent') return stage === 'held' || stage === 'planned';
    return recalled === undefined && this.state.openOrders.get(request.clientOrderId)?.untriggered === true;
  }

  /** Sizes in steps into which a close is divided if one order may not have its size. @param ticks price for the limit of the size. */
  slices(close: Parameters<HeldOrdersContext['slice']>[0], ticks: number): number[] {
    const slices: number[] = [];
    for (let left = close.steps ?? 0; left > 0; left -= slices.at(-1)!) slices.push(this.context.slice({ ...close, steps: left }, ticks));
    return slices;
  }

  /** A trigger at the venue must not exceed the limit of one order. A held order is divided when it is sent. */
  portions({ instrument, strategyId, side, steps, exits, fromTicks }: Arming): number[] {
    if (!this.builder.triggersAtVenue(instrument)) return [steps];
    const ticks = Math.max(firstStop(exits, side, fromTicks) ?? 0, resolved(exits, side, fromTicks).profitTicks ?? 0);
    return this.slices({ instrument, strategyId, priceTicks: undefined, steps }, ticks);
  }

  /** It waited in the engine, and is sent to wait at the venue. */
  send(held: HeldOrder): void {
    this.book.release(held);
    if (this.part(held, held.request.steps ?? 0)) return;
    held.stage = 'planned';
    this.context.release(held);
  }
}
