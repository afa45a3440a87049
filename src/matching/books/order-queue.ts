import type { Side } from '../../model/order.ts';
import type { WorkingOrder } from '../working-order.ts';

/** Resting limit orders of one side, best price last, and within a price the earliest last. */
export class OrderQueue {
  readonly #orders: WorkingOrder[] = [];
  /** Prices of the best and of the worst order; `NaN` while empty, so that every comparison is false. */
  bestTicks = Number.NaN;
  #worstTicks = Number.NaN;

  constructor(readonly side: Side) {}

  get size(): number {
    return this.#orders.length;
  }

  /** Best price first. */
  toArray(): WorkingOrder[] {
    return this.#orders.toReversed();
  }

  /** @param rank 0 is the best, and at one price the earliest. Called for every level that changes, so it must not allocate. */
  byRank(rank: number): WorkingOrder {
    return this.#orders[this.#orders.length - 1 - rank]!;
  }

  /** Whether the price is within the range of resting orders. Nearly always it is not, and no order needs a check. */
  spans(ticks: number): boolean {
    return this.side === 'buy'
      ? ticks <= this.bestTicks && ticks >= this.#worstTicks
      : ticks >= this.bestTicks && ticks <= this.#worstTicks;
  }

  /** The orders at a price, the earliest first. */
  at(ticks: number): WorkingOrder[] {
    return this.#orders.filter(({ request }) => request.priceTicks === ticks).reverse();
  }

  best(): WorkingOrder | undefined {
    // An index below zero would be looked up as the name of a property.
    return this.#orders.length === 0 ? undefined : this.#orders[this.#orders.length - 1];
  }

  add(order: WorkingOrder): void {
    let low = 0;
    let high = this.#orders.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#before(this.#orders[middle]!, order)) high = middle;
      else low = middle + 1;
    }
    this.#orders.splice(low, 0, order);
    this.#refresh();
  }

  remove(order: WorkingOrder): boolean {
    const at = this.#orders.lastIndexOf(order);
    if (at < 0) return false;
    this.#orders.splice(at, 1);
    this.#refresh();
    return true;
  }

  /** True when `a` fills before `b`. */
  #before(a: WorkingOrder, b: WorkingOrder): boolean {
    const pa = this.#priceOf(a);
    const pb = this.#priceOf(b);
    if (pa !== pb) return this.side === 'buy' ? pa > pb : pa < pb;
    return a.rank < b.rank;
  }

  #refresh(): void {
    const best = this.best();
    this.bestTicks = best === undefined ? Number.NaN : this.#priceOf(best);
    this.#worstTicks = best === undefined ? Number.NaN : this.#priceOf(this.#orders[0]!);
  }

  /** The limit, moved by the ticks of the order's own. */
  #priceOf({ request, beyondTicks }: WorkingOrder): number {
    const limit = request.priceTicks!;
    if (beyondTicks === undefined) return limit;
    return this.side === 'buy' ? limit - beyondTicks : limit + beyondTicks;
  }
}
