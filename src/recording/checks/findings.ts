import { isoTime } from '../../model/time.ts';

/** Severity of a finding: an `error` makes results wrong; a person must look at a `warning`. */
export type Severity = 'error' | 'warning';

type FindingCode =
  | 'corrupt'
  | 'sha256Mismatch'
  | 'rangeMismatch'
  | 'disorder'
  | 'duplicates'
  | 'gaps'
  | 'offGrid'
  | 'impossibleBars'
  | 'nonPositivePrices'
  | 'lostUpdates'
  | 'noSnapshot'
  | 'crossedBooks'
  | 'lockedBooks'
  | 'crossedQuotes'
  | 'lockedQuotes'
  | 'negativeQuantities'
  | 'zeroVolume'
  | 'outliers'
  | 'mixedSteps'
  | 'extremeRates'
  | 'receivedEarly'
  | 'clockDrift';

/** One kind of problem in a series, with its first place. */
export interface Finding {
  readonly code: FindingCode;
  readonly severity: Severity;
  readonly count: number;
  /** The kind of problem, without places. */
  readonly what: string;
  /** Epoch ms of the first place; undefined for the whole file. */
  readonly time: number | undefined;
  /** One sentence with the first places, for people. */
  readonly text: string;
}

const SHOWN = 3;

/** Counts one kind of problem and keeps its first places. */
export class Tally {
  count = 0;
  #firstTime: number | undefined;
  readonly #places: string[] = [];

  constructor(
    readonly code: FindingCode,
    readonly severity: Severity,
    readonly what: string,
  ) {}

  /**
   * @param row counted from 1.
   * @param detail the problem there, called for the first few only.
   */
  add(row: number, timeMs: number, detail?: () => string): void {
    this.count++;
    this.#firstTime ??= timeMs;
    if (this.#places.length >= SHOWN) return;
    this.#places.push(`row ${row} at ${isoTime(timeMs)}${detail === undefined ? '' : ` (${detail()})`}`);
  }

  /** Empty where nothing was counted. */
  findings(): Finding[] {
    if (this.count === 0) return [];
    const more = this.count > this.#places.length ? ', ...' : '';
    return [
      {
        code: this.code,
        severity: this.severity,
        count: this.count,
        what: this.what,
        time: this.#firstTime,
        text: `${this.what} (${this.count}): ${this.#places.join(', ')}${more}`,
      },
    ];
  }
}

/** Rows of a series in columns, as the checks use them: a chunk, or a part of one. `SeriesReader` implements it. */
export interface CheckedRows {
  readonly length: number;
  /** Epoch ms, fractions to the microsecond. */
  readonly time: Float64Array;
  /** The columns of the kind after the time, as integers of the series' decimals. */
  readonly columns: readonly Float64Array[];
  /** Nanoseconds beyond the microsecond; undefined where all are zero. */
  readonly nanos: Int16Array | undefined;
}

const PARTS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

/** A length of time for people, in its two largest parts: `2d 3h`, `15m`, `1.250s` below a minute; given in ms. */
export function durationText(ms: number): string {
  if (ms < 60_000) return Number.isInteger(ms / 1_000) ? `${ms / 1_000}s` : `${(ms / 1_000).toFixed(3)}s`;
  const largest = PARTS.findIndex(([, size]) => ms >= size);
  let rest = ms;
  const words: string[] = [];
  for (const [letter, size] of PARTS.slice(largest, largest + 2)) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) words.push(`${count}${letter}`);
  }
  return words.join(' ');
}
