import type { OrderRequest } from '../../model/order.ts';
import type { RiskGate } from '../../risk/gate.ts';
import { closesNow, ownSteps, sellableSteps, uncoveredSteps } from '../../risk/measures.ts';
import type { State } from '../../state/state.ts';
import type { HeldOrder } from '../held/held-order.ts';
import type { HeldOrders } from '../held/held-orders.ts';

interface LeastSizeParts {
  readonly state: State;
  readonly gate: RiskGate;
  readonly held: HeldOrders;
  /** Writes to the log of a strategy. */
  warn(strategyId: string, message: string): void;
}

/**
 * Keeps closes and exits above the smallest order of their instrument, so that no part of a position is left without a stop:
 *
 * - A close that would leave less than the smallest order takes all, if the position has exits: no later order could close the rest.
 * - An exit that is itself below the smallest order joins another exit of its position (`join`), or closes all of it (`close`). Without
 *   another exit it closes as much as the smallest order needs.
 *
 * Instruments without a minimum cost nothing here.
 */
export class LeastSize {
  /** The number of orders and exits of each strategy whose size was changed. */
  readonly changed = new Map<string, number>();

  constructor(private readonly parts: LeastSizeParts) {}

  /** The order with the rest of its position, if that would be too small for an order of its own. */
  withRest(request: OrderRequest, ticks: number): OrderRequest {
    const { steps, strategyId, sizing } = request;
    if (steps === undefined || sizing !== undefined || !hasMinimum(request)) return request;
    const most = this.#most(request);
    const rest = most - steps;
    if (rest <= 0 || rest >= this.parts.gate.least(request, ticks, true) || !this.#hasExits(request)) return request;
    this.#count(strategyId, `a close of ${request.instrument.symbol} takes the rest of the position, which is below the smallest order`);
    return { ...request, steps: most };
  }

  /**
   * An exit that is about to be sent. @param request its order, trimmed to the position.
   * @returns the order with a size that is allowed; `undefined` if the exit has joined another one, and has ended.
   */
  exit(held: HeldOrder, request: OrderRequest, ticks: number): OrderRequest | undefined {
    const { steps, strategyId, instrument, reduceOnly } = request;
    if (!reduceOnly || steps === undefined || !hasMinimum(request)) return request;
    const least = this.parts.gate.least(request, ticks, false);
    const most = this.#most(request);
    // An order that waits at the venue may meet another position when it triggers.
    const waits = request.triggerTicks !== undefined;
    if (steps >= least || most < least) return waits ? request : this.withRest(request, ticks);
    const joins = this.parts.gate.limits.exitsBelowMinimum !== 'close';
    if (joins && this.parts.held.join(held)) {
      this.#count(strategyId, `an exit of ${instrument.symbol} is below the smallest order: it joins another exit of its position`);
      return undefined;
    }
    this.#count(strategyId, `an exit of ${instrument.symbol} is below the smallest order: it closes more of its position`);
    const grown = joins ? least : most;
    return waits ? { ...request, steps: grown } : this.withRest({ ...request, steps: grown }, ticks);
  }

  /** Steps of the position that a close sent now could close. */
  #most(request: OrderRequest): number {
    const { state } = this.parts;
    const closing = closesNow(request) ? request : { ...request, reduceOnly: true, type: 'market' as const, triggerTicks: undefined };
    return Math.min(uncoveredSteps(closing, state), sellableSteps(closing, state));
  }

  /** Whether the position of this close has a stop or a target that would be left with the rest. */
  #hasExits({ strategyId, instrument, positionSide, side }: OrderRequest): boolean {
    return this.parts.held.book
      .known(instrument)
      .some(({ request: of }) => of.reduceOnly && of.strategyId === strategyId && of.positionSide === positionSide && of.side === side);
  }

  #count(strategyId: string, message: string): void {
    const before = this.changed.get(strategyId) ?? 0;
    this.changed.set(strategyId, before + 1);
    if (before === 0) this.parts.warn(strategyId, message);
  }
}

export function hasMinimum({ instrument: { spec } }: OrderRequest): boolean {
  return spec.minQuantity !== undefined || spec.minNotional !== undefined;
}

/** Whether the order makes the position of its strategy smaller. */
export function shrinks(request: OrderRequest, state: State): boolean {
  const own = ownSteps(request, state);
  return request.side === 'sell' ? own > 0 : own < 0;
}
