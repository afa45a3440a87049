import { leftOf, type TrackedOrder } from '../../tracked-order.ts';

/** How many are kept at most. */
const KEPT = 100;

interface Ended {
  readonly order: TrackedOrder;
  /** Epoch ms at which it was told as over. */
  readonly endedAt: number;
}

/** Orders that ended with something left to fill: what one of them filled before its end may come to light after it. */
export class Lately {
  #ended: Ended[] = [];

  add(order: TrackedOrder, endedAt: number): void {
    this.#ended.push({ order, endedAt });
    this.#ended = this.#ended.filter((one) => leftOf(one.order) > 0).slice(-KEPT);
  }

  /** Those that were not over yet at that time, in epoch ms. */
  endedSince(time: number): TrackedOrder[] {
    return this.#ended.filter(({ order, endedAt }) => endedAt >= time && leftOf(order) > 0).map(({ order }) => order);
  }

  /** Lets go of those that were over before that time. */
  forget(time: number): void {
    this.#ended = this.#ended.filter(({ endedAt }) => endedAt >= time);
  }

  toJson(): unknown {
    return this.#ended.map(({ order, endedAt }) => [order.clientOrderId, endedAt]);
  }

  resume(plain: unknown, find: (clientOrderId: string) => TrackedOrder | undefined): void {
    for (const [clientOrderId, endedAt] of (plain ?? []) as [string, number][]) {
      const order = find(clientOrderId);
      if (order !== undefined) this.add(order, endedAt);
    }
  }
}
