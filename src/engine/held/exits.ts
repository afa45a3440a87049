import type { Fill } from '../../model/fill.ts';
import { closes, type OrderRequest, opposite } from '../../model/order.ts';
import type { Position } from '../../model/position.ts';
import type { CancelReason } from '../../model/reasons.ts';
import { activates, nowhere, trails } from '../../model/trail.ts';
import type { Order } from '../../state/order.ts';
import type { State } from '../../state/state.ts';
import type { OrderDesk } from '../orders/order-desk.ts';
import type { HeldBook } from './held-book.ts';
import {
  type Arming,
  type ExitTicks,
  firstStop,
  type HeldDeskOutlets,
  type HeldOrder,
  isRelative,
  type Link,
  resolved,
  waitingOrder,
} from './held-order.ts';

/** Makes the linked exits of a position: a stop, a take profit, or both. */
export class ExitLegs {
  constructor(
    private readonly state: State,
    private readonly desk: OrderDesk,
  ) {}

  /** @param entryId the order whose fills arm them. @param sleeping whether they wait for the next bar to open. */
  link(arming: Arming, entryId: string, sleeping: boolean): Link {
    const { instrument, strategyId, side, positionSide, steps, fromTicks, since, tag } = arming;
    const exits = resolved(arming.exits, side, fromTicks);
    const { profitTicks, trailTicks, trailMillionths, activateTicks, maker } = exits;
    const isTrailing = trails(exits);
    const stopTicks = firstStop(exits, side, fromTicks) ?? (isTrailing ? nowhere(side) : undefined);
    const trail = { trailTicks, trailMillionths, activateTicks: activates(exits, side, fromTicks) ? undefined : activateTicks };
    const link: Link = { legs: [], steps, entryId, fromTicks: isRelative(arming.exits) ? fromTicks : undefined };
    const common = { side, positionSide, timeInForce: 'GTC', postOnly: false, reduceOnly: true, steps, quoteQuantity: undefined } as const;
    const leg = (type: 'stop' | 'limit', triggerTicks: number, reason: string): HeldOrder =>
      waitingOrder({
        request: this.desk.request(instrument, strategyId, this.state.sequence, {
          ...common,
          type: type === 'stop' ? 'market' : 'limit',
          priceTicks: type === 'stop' ? undefined : triggerTicks,
          tag: tag === '' ? reason : `${tag}:${reason}`,
        }),
        type,
        triggerTicks,
        ...(type === 'stop' ? { ...trail, lossTicks: isTrailing ? exits.stopTicks : undefined } : {}),
        rising: (side === 'buy') === (type === 'stop'),
        isStop: type === 'stop',
        link,
        rests: type === 'limit' && maker ? true : undefined,
        // No venue's trigger trails: the engine leads it.
        atVenue: this.desk.triggersAtVenue(instrument) && !(type === 'stop' ? isTrailing : maker),
        sleeping,
        since,
      });
    if (stopTicks !== undefined) link.legs.push(leg('stop', stopTicks, isTrailing ? 'trailingStop' : 'stopLoss'));
    if (profitTicks !== undefined) link.legs.push(leg('limit', profitTicks, 'takeProfit'));
    return link;
  }
}

/** How many plans are kept before those of ended orders are dropped. */
const PLANS_KEPT = 1000;
/** How many plans of ended orders a restart remembers: late fills come soon, or never. */
const ENDED_REMEMBERED = 50;

/** Exits to be armed as an entry order fills. */
export interface PlanSnapshot extends Partial<ExitTicks> {
  readonly clientOrderId: string;
}

/**
 * Exits to be armed as the fills of their entry orders come in. A plan outlives its order for a while: a
 * fill that arrives after the cancel is real, and needs its stop as much as any other.
 */
export class PlannedExits {
  readonly #plans = new Map<string, ExitTicks>();
  /** Whole steps of each strategy's positions after its newest fill. */
  readonly #held = new Map<Position, number>();

  constructor(private readonly state: State) {
    for (const book of state.books.values()) {
      for (const position of state.instruments.flatMap((instrument) => book.sides(instrument))) this.#held.set(position, position.steps);
    }
  }

  /** Those of open orders, and the newest of the others. */
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

  /** An order goes out again under another id; fills of the first may still come. */
  copy(from: string, to: string): void {
    const exits = this.#plans.get(from);
    if (exits !== undefined) this.#plans.set(to, exits);
  }

  /**
   * Takes in any fill, after the state has. @returns for one of an entry its exits, and the steps to arm:
   * those by which it moved the strategy's position, which is less than it bought where the fee took some.
   */
  onFill({ clientOrderId, strategyId, instrument, positionSide }: Fill): { exits: ExitTicks; steps: number } | undefined {
    const position = this.state.books.get(strategyId)?.position(instrument, positionSide);
    if (position === undefined) return undefined;
    const steps = Math.abs(position.steps - (this.#held.get(position) ?? 0));
    this.#held.set(position, position.steps);
    const exits = this.#plans.get(clientOrderId);
    return exits === undefined || steps === 0 ? undefined : { exits, steps };
  }

  /** Drops the oldest half of what has ended. */
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
 * Plain closing orders at the venue whose strategy has nothing left to close on that side: the venue knows positions
 * of the account alone, and would let them close what another strategy holds.
 */
export function strayCloses(state: State, { instrument, strategyId, positionSide, clientOrderId }: Fill): Order[] {
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

/** Stops and exits that wait at the venue. Its triggers cannot be changed: one that has to be smaller or larger is replaced. */
export class VenueLegs {
  constructor(
    private readonly state: State,
    private readonly desk: OrderDesk,
    private readonly book: HeldBook,
    private readonly outlets: Pick<HeldDeskOutlets, 'release' | 'cancelAtVenue' | 'watch'>,
  ) {}

  /** Steps of the strategy's own position that this order could bring nearer to zero. */
  closable({ request: { strategyId, instrument, side, positionSide } }: HeldOrder): number {
    const steps = this.state.books.get(strategyId)?.position(instrument, positionSide).steps ?? 0;
    return Math.max(0, side === 'sell' ? steps : -steps);
  }

  /** Asks for what was sent; at most one request is on its way. */
  recall(held: HeldOrder, reason: CancelReason): void {
    const { clientOrderId, instrument } = held.request;
    held.recalled = reason;
    if (this.state.openOrders.get(clientOrderId)?.cancelRequested === false) this.outlets.cancelAtVenue(clientOrderId, instrument, reason);
  }

  /** A cancel may have overtaken the order, and the price its trigger: then the venue took it for one of the other direction. */
  onAccepted(held: HeldOrder): void {
    const { request, triggerTicks, rising, recalled } = held;
    if (recalled !== undefined) this.recall(held, recalled);
    else if (!request.atLast && this.desk.reached(request, triggerTicks, rising)) this.outlets.watch(request.clientOrderId);
  }

  /**
   * Lets the order close what its position leaves of the size that it was asked for: one that has not triggered is replaced, one that
   * rests is called back to go out again. One that has fired is trimmed by the venue.
   */
  fit(held: HeldOrder): void {
    const order = this.state.openOrders.get(held.request.clientOrderId);
    if (order === undefined || held.recalled !== undefined) return;
    const wanted = held.link?.steps ?? order.remainingSteps;
    if (order.remainingSteps === Math.min(wanted, this.closable(held))) return;
    if (held.rests) {
      held.refits = true;
      this.recall(held, 'linked');
      return;
    }
    if (!order.untriggered || order.cancelRequested) return;
    this.recall(held, 'linked');
    // It is cut to the position as it goes out: more fills may come before.
    const fitting = waitingOrder({ ...held, request: this.desk.renewed(held.request, wanted) });
    const legs = held.link?.legs;
    legs?.splice(legs.indexOf(held), 1, fitting);
    this.book.know(fitting);
    this.outlets.release(fitting);
  }

  /** The same order again, under a new id. */
  renew(held: HeldOrder, steps: number, lastTicks: number): void {
    this.book.rename(held, this.desk.renewed(held.request, steps));
    held.stage = held.atVenue ? 'planned' : 'renewed';
    held.metTicks = lastTicks;
    held.recalled = undefined;
    this.outlets.release(held);
  }
}
