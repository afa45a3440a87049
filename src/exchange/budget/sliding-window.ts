/**
 * How much weight lies in the last `windowMs`. The exchange counts a request when it arrives, at some moment between
 * sending and answer, so weight is held from the sending until the window has passed since the answer: whatever the
 * delays, no window over there can hold more than this one did here.
 */
export class SlidingWindow {
  #underWay = 0;
  #ended = 0;
  /** Answered requests, oldest first; those before `#head` are over. */
  #queue: { readonly weight: number; readonly freeAt: number }[] = [];
  #head = 0;

  constructor(readonly windowMs: number) {}

  /** A request of this weight is sent. */
  start(weight: number): void {
    this.#underWay += weight;
  }

  /** It was answered, or will not be. */
  end(weight: number, now: number): void {
    this.#underWay -= weight;
    if (weight === 0) return;
    this.#ended += weight;
    // One ms more than the window, for servers that count both ends of it.
    this.#queue.push({ weight, freeAt: now + this.windowMs + 1 });
  }

  used(now: number): number {
    this.#drop(now);
    return this.#underWay + this.#ended;
  }

  /** When the oldest answered request leaves the window; `Infinity` where there is none. */
  nextFree(now: number): number {
    this.#drop(now);
    return this.#queue[this.#head]?.freeAt ?? Number.POSITIVE_INFINITY;
  }

  #drop(now: number): void {
    while (this.#head < this.#queue.length && this.#queue[this.#head]!.freeAt <= now) this.#ended -= this.#queue[this.#head++]!.weight;
    // Cutting the front off is linear, so it waits until half of the queue is over.
    if (this.#head * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
  }
}
