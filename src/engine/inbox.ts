/** How many wait, in all inboxes that share it: one look tells that none does. */
export interface Waiting {
  count: number;
}

/** First in, first out, without giving memory back between turns. */
export class Inbox<T> {
  #items: (T | undefined)[] = [];
  #head = 0;
  #tail = 0;

  constructor(private readonly waiting: Waiting) {}

  get empty(): boolean {
    return this.#head === this.#tail;
  }

  push(item: T): void {
    this.#items[this.#tail++] = item;
    this.waiting.count++;
  }

  /** The oldest item; `undefined` when there is none. */
  take(): T | undefined {
    if (this.#head === this.#tail) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head++] = undefined;
    this.waiting.count--;
    if (this.#head === this.#tail) {
      this.#head = 0;
      this.#tail = 0;
    }
    return item;
  }
}
