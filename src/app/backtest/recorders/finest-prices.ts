const NOTHING_SEEN = -1;

/**
 * Which market events of one instrument tell prices that no earlier ones told: of bars the recorded interval alone, as longer
 * ones are built from it, and none beside single prices. What is built comes after what it is built from.
 */
export class FinestPrice {
  #interval = NOTHING_SEEN;

  /** @param interval of a bar in ms; 0 for a single price. */
  isNew(interval: number): boolean {
    if (this.#interval === NOTHING_SEEN) this.#interval = interval;
    return this.#interval === interval;
  }
}

/** The same of several instruments. */
export class FinestPrices {
  /** By the index of the instrument. */
  readonly #prices: FinestPrice[] = [];

  /** @param index of the instrument. @param interval of a bar in ms; 0 for a single price. */
  has(index: number, interval: number): boolean {
    this.#prices[index] ??= new FinestPrice();
    return this.#prices[index].isNew(interval);
  }
}
