/**
 * Which market events tell prices that no earlier ones told: of bars the recorded interval alone, as longer ones are
 * built from it, and none beside single prices. What is built comes after what it is built from.
 */
export class FinestPrices {
  /** The length of bars in ms, 0 for single prices, by the index of the instrument. */
  readonly #intervals: (number | undefined)[] = [];

  /** @param index of the instrument. @param interval of a bar in ms; 0 for a single price. */
  has(index: number, interval: number): boolean {
    const known = this.#intervals[index];
    if (known === undefined) this.#intervals[index] = interval;
    return known === undefined || known === interval;
  }
}
