import { invariant } from '../../model/errors.ts';
import type { Clock } from '../../ports/clock.ts';

/** Who hears of the turns that scheduled callbacks make. */
export interface TurnWatcher {
  ended(): void;
  /** The callback threw. */
  failed(error: unknown): void;
}

/**
 * The clock of engine, desk, gate and strategies in a live run. Time moves at the start of a turn and stands still
 * until the next one, so all that a turn decides, and every record of it, bears one reading. It never goes back,
 * whatever the clock behind it does.
 */
export class TurnClock implements Clock {
  #now: number;
  #turning = false;
  #closed = false;
  #watcher: TurnWatcher | undefined;
  readonly #cancels = new Set<() => void>();

  constructor(private readonly real: Clock) {
    this.#now = real.now();
  }

  /** Epoch ms at which the turn began; between turns, the last one. */
  now(): number {
    return this.#now;
  }

  get turning(): boolean {
    return this.#turning;
  }

  /** One watcher; without one, what a scheduled callback throws goes to the clock behind. */
  watch(watcher: TurnWatcher): void {
    this.#watcher = watcher;
  }

  /** Moves time on, then takes the turn. What it throws is the caller's. */
  take(turn: () => void): void {
    invariant(!this.#turning, 'a turn begins when the one before is over');
    this.#now = Math.max(this.#now, this.real.now());
    this.#turning = true;
    try {
      turn();
    } finally {
      this.#turning = false;
    }
  }

  /** The callback is a turn of its own. */
  schedule(time: number, callback: () => void): () => void {
    if (this.#closed) return () => {};
    const cancel = this.real.schedule(time, () => {
      this.#cancels.delete(cancel);
      this.#run(callback);
    });
    this.#cancels.add(cancel);
    return () => {
      this.#cancels.delete(cancel);
      cancel();
    };
  }

  /** No scheduled callback runs from here: the run is over. */
  close(): void {
    this.#closed = true;
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
  }

  #run(callback: () => void): void {
    if (this.#watcher === undefined) {
      this.take(callback);
      return;
    }
    try {
      this.take(callback);
    } catch (error) {
      this.#watcher.failed(error);
      return;
    }
    this.#watcher.ended();
  }
}
