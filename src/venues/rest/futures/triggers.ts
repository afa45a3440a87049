import type { TrackedOrder } from '../tracked-order.ts';
import type { Outlets } from '../trading.ts';

/** Which trigger orders have fired. Each is told once. */
export class Triggers {
  readonly #fired = new WeakSet<TrackedOrder>();

  constructor(private readonly outlets: Outlets) {}

  has(order: TrackedOrder): boolean {
    return order.request.triggerTicks === undefined || this.#fired.has(order);
  }

  /** The journal knows that it has. */
  known(order: TrackedOrder): void {
    this.#fired.add(order);
  }

  fired(order: TrackedOrder): void {
    if (this.has(order) || !order.alive) return;
    this.#fired.add(order);
    const { clientOrderId, request } = order;
    const { outlets } = this;
    outlets.tell({ kind: 'orderTriggered', time: outlets.clock.now(), clientOrderId, priceTicks: request.triggerTicks ?? 0 });
  }
}
