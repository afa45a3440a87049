/** First in, first out, without giving memory back between turns. */
export class Inbox<T> {
  #items: (T | undefined)[] = [];
  #head = 0;
  #tail = 0;

  get empty(): boolean {
    return this.#head === this.#tail;
  }

  push(item: T): void {
    this.#items[this.#tail++] = item;
  }

  /** The oldest item; `undefined` when there is none. */
  take(): T | undefined {
    if (this.#head === this.#tail) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head++] = undefined;
    if (this.#head === this.#tail) {
      this.#head = 0;
      this.#tail = 0;
    }
    return item;
  }
}
