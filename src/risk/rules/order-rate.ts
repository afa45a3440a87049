import type { Denial } from '../../model/reasons.ts';

/** At most this many approved orders in any window of this many ms, over the whole account. */
export class OrderRate {
  readonly #times: number[];

  /** @param before of the same scope, with another limit: its orders count. */
  constructor(
    private readonly limit: { readonly orders: number; readonly perMs: number },
    before?: OrderRate,
  ) {
    this.#times = before === undefined ? [] : [...before.#times];
  }

  check(now: number): Denial | undefined {
    const { orders, perMs } = this.limit;
    while (this.#times.length > 0 && this.#times[0]! <= now - perMs) this.#times.shift();
    if (this.#times.length < orders) return undefined;
    return { code: 'orderRateAboveLimit', orders: String(this.#times.length + 1), limit: String(orders), windowMs: String(perMs) };
  }

  count(now: number): void {
    this.#times.push(now);
  }
}
