import type { DataSource } from './data-source.ts';

/** The sources of a replay, by which of them comes next. */
export class SourceOrder {
  /** Epoch ms at which another than the earliest comes; as of the newest call of `earliest`. */
  bound = Number.POSITIVE_INFINITY;
  readonly #prices: readonly DataSource[];

  /** @param all in the declared order of kinds, then of instruments: the tie-break at equal times. */
  constructor(readonly all: readonly DataSource[]) {
    this.#prices = all.filter(({ follows }) => !follows);
  }

  /** When the first price comes; `Infinity` when there is none. */
  get startTime(): number {
    return Math.min(...this.#prices.map(({ time }) => time));
  }

  get pricesLeft(): boolean {
    return this.#prices.some(({ time }) => time < Number.POSITIVE_INFINITY);
  }

  /** The source that comes first. */
  earliest(): DataSource | undefined {
    let first: DataSource | undefined;
    let time = Number.POSITIVE_INFINITY;
    let bound = Number.POSITIVE_INFINITY;
    for (let i = 0; i < this.all.length; i++) {
      const source = this.all[i]!;
      const next = source.time;
      if (next < time) {
        bound = time;
        time = next;
        first = source;
      } else if (next < bound) {
        bound = next;
      }
    }
    this.bound = bound;
    return first;
  }

  /** The source whose datum at `time` comes first; funding and opens come later. */
  nextAt(time: number): DataSource | undefined {
    let found: DataSource | undefined;
    for (let i = 0; i < this.all.length; i++) {
      const source = this.all[i]!;
      if (source.time !== time || source.opens || source.funds) continue;
      if (found === undefined || source.nanos < found.nanos) found = source;
    }
    return found;
  }
}
