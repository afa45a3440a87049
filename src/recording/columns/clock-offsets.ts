import type { ClockOffset } from './series-meta.ts';

const MOST_SAMPLES = 4_096;
/** Exchanges tell whole milliseconds: less than one before their time is no sign of a wrong clock. */
const EARLY_US = -1_000;

/**
 * Measures how far receive times stand from the exchange's times of the same rows, in bounded memory: extremes are of all rows,
 * medians of rows at equal distances, some thousands.
 */
export class ClockOffsets {
  #rows = 0;
  #early = 0;
  #least = Number.POSITIVE_INFINITY;
  #greatest = Number.NEGATIVE_INFINITY;
  #samples: number[] = [];
  #every = 1;

  /** Takes the rows in [from, to), in microseconds; those whose exchange time is `NaN` are left out. */
  update(received: Float64Array, exchange: Float64Array, from: number, to: number): void {
    for (let row = from; row < to; row++) {
      const offset = received[row]! - exchange[row]!;
      if (!Number.isNaN(offset)) this.add(offset);
    }
  }

  /** @param offset receive time less exchange time, in microseconds. */
  add(offset: number): void {
    if (this.#rows++ % this.#every === 0) this.#sample(offset);
    if (offset <= EARLY_US) this.#early++;
    if (offset < this.#least) this.#least = offset;
    if (offset > this.#greatest) this.#greatest = offset;
  }

  /** What was measured, in ms; undefined where no row has both times. */
  get offset(): ClockOffset | undefined {
    if (this.#rows === 0) return undefined;
    const samples = this.#samples;
    const tenth = Math.ceil(samples.length / 10);
    return {
      rows: this.#rows,
      early: this.#early,
      least: this.#least / 1_000,
      median: median(samples),
      greatest: this.#greatest / 1_000,
      first: median(samples.slice(0, tenth)),
      last: median(samples.slice(-tenth)),
    };
  }

  #sample(offset: number): void {
    this.#samples.push(offset);
    if (this.#samples.length < MOST_SAMPLES) return;
    this.#samples = this.#samples.filter((_, index) => index % 2 === 0);
    this.#every *= 2;
  }
}

/** In ms, of microseconds; of an even number the lower of the two in the middle. */
function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[(values.length - 1) >> 1]! / 1_000;
}

/** What holds of parts together, in order of time: the median that halves their rows. */
export function mergedClock(parts: readonly (ClockOffset | undefined)[]): ClockOffset | undefined {
  const known = parts.filter((part) => part !== undefined);
  if (known.length === 0) return undefined;
  const sum = (value: (part: ClockOffset) => number) => known.reduce((total, part) => total + value(part), 0);
  const rows = sum((part) => part.rows);
  return {
    rows,
    early: sum((part) => part.early),
    least: Math.min(...known.map(({ least }) => least)),
    median: middleOf(known, rows / 2),
    greatest: Math.max(...known.map(({ greatest }) => greatest)),
    first: known[0]!.first,
    last: known.at(-1)!.last,
  };
}

/** The median of the part in which the row `half` of all lies, ordered by their medians. */
function middleOf(parts: readonly ClockOffset[], half: number): number {
  let below = 0;
  const ordered = parts.toSorted((a, b) => a.median - b.median);
  for (const part of ordered) {
    below += part.rows;
    if (below >= half) return part.median;
  }
  return ordered.at(-1)!.median;
}
