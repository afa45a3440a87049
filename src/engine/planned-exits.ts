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

  constructor(private readonly state: State) {}

  add({ clientOrderId }: OrderRequest, exits: ExitTicks): void {
    if (this.#plans.size >= PLANS_KEPT) this.#dropEnded();
    this.#plans.set(clientOrderId, exits);
  }

  of(clientOrderId: string): ExitTicks | undefined {
    return this.#plans.get(clientOrderId);
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
