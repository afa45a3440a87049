/** Keeps a fixed number of the newest items. A map would be slower: it finds its oldest entry only after it passes all deleted entries. */
export class Newest<Item> {
  readonly #items: Item[] = [];
  /** The index of the oldest item, once the list is full. */
  #oldest = 0;

  constructor(private readonly size: number) {}

  /** @returns the oldest item, which is removed if the list is full. */
  add(item: Item): Item | undefined {
    if (this.#items.length < this.size) {
      this.#items.push(item);
      return undefined;
    }
    const forgotten = this.#items[this.#oldest];
    this.#items[this.#oldest] = item;
    this.#oldest = (this.#oldest + 1) % this.size;
    return forgotten;
  }
}

/** The number of ended orders that a recorder keeps. The state keeps fewer, so no event can change an order that is not kept. */
export const ENDED_KEPT = 1000;
