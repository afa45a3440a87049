import type { Fill } from '../model/fill.ts';
import type { OrderRequest } from '../model/order.ts';
import type { State } from '../state/state.ts';
import type { ExitTicks } from './order-desk.ts';

/** How many plans are kept before those of ended orders are dropped. */
const PLANS_KEPT = 1000;

/**
 * Exits to be armed as the fills of their entry orders come in. A plan outlives its order for a while: a
 * fill that arrives after the cancel is real, and needs its stop as much as any other.
 */
export class PlannedExits {
  readonly #plans = new Map<string, ExitTicks>();
  /** Whole steps that each strategy held of each instrument after its newest fill. */
  readonly #held = new Map<string, Float64Array>();

  constructor(private readonly state: State) {}

  add({ clientOrderId }: OrderRequest, exits: ExitTicks): void {
    if (this.#plans.size >= PLANS_KEPT) this.#dropEnded();
    this.#plans.set(clientOrderId, exits);
  }

  /**
   * Takes in any fill, after the state has. @returns for one of an entry its exits, and the steps to arm:
   * those by which it moved the strategy's position, which is less than it bought where the fee took some.
   */
  onFill({ clientOrderId, strategyId, instrument }: Fill): { exits: ExitTicks; steps: number } | undefined {
    const own = this.state.books.get(strategyId)?.positions[instrument.index]?.steps ?? 0;
    const held = this.#held.get(strategyId) ?? new Float64Array(this.state.instruments.length);
    this.#held.set(strategyId, held);
    const steps = Math.abs(own - held[instrument.index]!);
    held[instrument.index] = own;
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
