import type { ClockOffset } from './series-meta.ts';

const MOST_SAMPLES = 4_096;
/** Exchanges publish whole milliseconds: less than one before their time does not mean a wrong clock. */
const EARLY_US = -1_000;

/**
 * Measures the difference between receive times and the exchange's times of the same rows, in bounded memory. Extremes cover all rows;
 * medians cover a few thousand rows at equal distances.
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

  /** The measured offset, in ms; undefined where no row has both times. */
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

/** In ms, from microseconds; for an even number of values, the lower of the two middle ones. */
function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[(values.length - 1) >> 1]! / 1_000;
}

/** The offset of several parts together, in order of time. Its median is that of the part in which half of the rows is reached. */
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

/** The median of the part that contains the row `half`, when parts are ordered by their medians. */
function middleOf(parts: readonly ClockOffset[], half: number): number {
  let below = 0;
  const ordered = parts.toSorted((a, b) => a.median - b.median);
  for (const part of ordered) {
    below += part.rows;
    if (below >= half) return part.median;
  }
  return ordered.at(-1)!.median;
}
