import type { Clock } from '../../../ports/clock.ts';

/** From this share of its weight on, a budget counts as nearly spent. */
const HIGH = 0.9;
/** Half of it: what stretching alone saves does not shrink the period back at once. */
const LOW = HIGH / 2;

export interface PaceOptions {
  readonly clock: Clock;
  /** The period as it is wanted, in ms. */
  readonly periodMs: number;
  /** The period never gets longer than this, in ms, unless it is wanted longer. */
  readonly mostMs: number;
  /** How long a change is given to show in the load, in ms: the window of the budget. */
  readonly settleMs: number;
}

/**
 * How often to ask. The period doubles while the budget is nearly spent, and halves while less than half of that is
 * used; doubled, its grid is still part of the wanted one.
 */
export class Pace {
  #factor = 1;
  #changedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: PaceOptions) {}

  /** In ms. */
  get periodMs(): number {
    return this.options.periodMs * this.#factor;
  }

  /** @param load share of the budget that is used; 1 and more where requests wait. */
  adapt(load: number): void {
    const { clock, periodMs, mostMs, settleMs } = this.options;
    const now = clock.now();
    // A wall clock may have stepped back.
    if (now >= this.#changedAt && now < this.#changedAt + settleMs) return;
    const wanted = load >= HIGH ? this.#factor * 2 : load < LOW ? this.#factor / 2 : this.#factor;
    const factor = Math.max(1, wanted);
    if (factor === this.#factor || (factor > this.#factor && factor * periodMs > mostMs)) return;
    this.#factor = factor;
    this.#changedAt = now;
  }
}
