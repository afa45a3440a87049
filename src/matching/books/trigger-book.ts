import { closes, type Side } from '../../model/order.ts';
import type { WorkingOrder } from '../working-order.ts';

interface Waiting {
  readonly order: WorkingOrder;
  readonly ticks: number;
  readonly rising: boolean;
  /** Not checked before the next open. */
  sleeping: boolean;
}

/** The untriggered orders of one instrument, of all accounts. */
export class TriggerBook {
  readonly #orders: Waiting[] = [];
  /** The nearest trigger that a rise (a fall) reaches, among the active ones. */
  rising = Number.POSITIVE_INFINITY;
  falling = Number.NEGATIVE_INFINITY;
  /** The newest bar has passed a stop that is not active yet. */
  passedAsleep = false;

  add(order: WorkingOrder, ticks: number, rising: boolean, sleeping: boolean): void {
    this.#orders.push({ order, ticks, rising, sleeping });
    this.#refresh();
  }

  /** @returns whether it was in the book. */
  remove(order: WorkingOrder): boolean {
    const at = this.#orders.findIndex((waiting) => waiting.order === order);
    if (at < 0) return false;
    this.#orders.splice(at, 1);
    this.#refresh();
    return true;
  }

  /** An open: from now on all orders are active. */
  wake(): void {
    this.passedAsleep = false;
    if (this.#orders.length === 0) return;
    for (const waiting of this.#orders) waiting.sleeping = false;
    this.#refresh();
  }

  /** The path inside a bar has reached this price, which triggers no inactive order. */
  pass(price: number): void {
    if (this.#orders.length === 0) return;
    this.passedAsleep ||= this.#orders.some((waiting) => {
      const { order, ticks, rising, sleeping } = waiting;
      return sleeping && isStop(waiting) && closes(order.request) && (rising ? price >= ticks : price <= ticks);
    });
  }

  /** The first trigger after `from`, up to and including `to`, in the direction of travel. */
  next(from: number, to: number): number | undefined {
    if (to > from) return this.rising > from && this.rising <= to ? this.rising : undefined;
    return this.falling < from && this.falling >= to ? this.falling : undefined;
  }

  /** The orders that these prices trigger: stops first, then in order of acceptance. */
  reached(buyTicks: number, sellTicks: number): WorkingOrder[] {
    const found = this.#orders.filter(({ order, ticks, rising, sleeping }) => {
      const price = order.request.side === 'buy' ? buyTicks : sellTicks;
      return !sleeping && (rising ? price >= ticks : price <= ticks);
    });
    return found.sort((a, b) => Number(isStop(b)) - Number(isStop(a))).map(({ order }) => order);
  }

  /** Whether opening orders wait on this side. */
  hasEntry(side: Side): boolean {
    return this.#orders.some(({ order: { request } }) => request.side === side && !closes(request));
  }

  #refresh(): void {
    this.rising = Number.POSITIVE_INFINITY;
    this.falling = Number.NEGATIVE_INFINITY;
    for (const { ticks, rising, sleeping } of this.#orders) {
      if (sleeping) continue;
      if (rising) this.rising = Math.min(this.rising, ticks);
      else this.falling = Math.max(this.falling, ticks);
    }
  }
}

/** A stop triggers in the direction against the position, a take profit in the other. */
function isStop({ order, rising }: Waiting): boolean {
  return (order.request.side === 'buy') === rising;
}
