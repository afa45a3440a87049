import { PRIORITIES, type Priority } from '../operations/operation-table.ts';

/** The weight that a request adds to a window, and the weight that it must leave. */
interface Added {
  readonly weight: number;
  /** The weight that requests before it wait for. */
  readonly kept: number;
  readonly most: number;
  /** The share of the window that its class may fill. */
  readonly share: number;
  reserved(priority: Priority): number;
}

/** The weight of all classes within one window, and of each. */
export class SharedWindow {
  readonly #all: SlidingWindow;
  readonly #of = new Map<Priority, SlidingWindow>();

  constructor(private readonly windowMs: number) {
    this.#all = new SlidingWindow(windowMs);
  }

  start(priority: Priority, weight: number): void {
    this.#all.start(weight);
    this.#class(priority).start(weight);
  }

  end(priority: Priority, weight: number, now: number): void {
    this.#all.end(weight, now);
    this.#class(priority).end(weight, now);
  }

  used(now: number, priority?: Priority): number {
    return priority === undefined ? this.#all.used(now) : (this.#of.get(priority)?.used(now) ?? 0);
  }

  /** The unused reserved weight of all classes but one. */
  unused(now: number, reserved: Added['reserved'], but?: Priority): number {
    return PRIORITIES.reduce((sum, one) => sum + (one === but ? 0 : Math.max(0, reserved(one) - this.used(now, one))), 0);
  }

  /** Whether this much more fits: next to the weight kept for others, or within the weight reserved for its own class. */
  takes(priority: Priority, { weight, kept, most, share, reserved }: Added, now: number): boolean {
    const used = this.used(now);
    if (used + weight > most) return false;
    if (this.used(now, priority) + weight <= reserved(priority)) return true;
    return used + kept + weight + this.unused(now, reserved, priority) <= most * share;
  }

  nextFree(now: number): number {
    return this.#all.nextFree(now);
  }

  #class(priority: Priority): SlidingWindow {
    const known = this.#of.get(priority);
    if (known !== undefined) return known;
    const window = new SlidingWindow(this.windowMs);
    this.#of.set(priority, window);
    return window;
  }
}

/**
 * The weight within the last `windowMs`. The exchange counts a request when it arrives, at some moment between
 * send and reply, so weight is held from the send until the window has passed since the reply: whatever the
 * delays, no window at the exchange can contain more than this one.
 */
export class SlidingWindow {
  #underWay = 0;
  #ended = 0;
  /** Answered requests, oldest first; those before `#head` have left. */
  #queue: { readonly weight: number; readonly freeAt: number }[] = [];
  #head = 0;

  constructor(readonly windowMs: number) {}

  /** A request of this weight is sent. */
  start(weight: number): void {
    this.#underWay += weight;
  }

  /** Its reply has arrived, or will not arrive. */
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

  /** When the oldest answered request leaves the window; `Infinity` if there is none. */
  nextFree(now: number): number {
    this.#drop(now);
    return this.#queue[this.#head]?.freeAt ?? Number.POSITIVE_INFINITY;
  }

  #drop(now: number): void {
    while (this.#head < this.#queue.length && this.#queue[this.#head]!.freeAt <= now) this.#ended -= this.#queue[this.#head++]!.weight;
    // Removing from the front takes linear time, so it waits until half of the queue has left.
    if (this.#head * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
  }
}
