import { isoTime } from '../../model/time-text.ts';

/** How bad a finding is: an `error` makes results wrong, a `warning` is for a person to judge. */
export type Severity = 'error' | 'warning';

export type FindingCode =
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

/** One kind of trouble in a series, with where it first occurs. */
export interface Finding {
  readonly code: FindingCode;
  readonly severity: Severity;
  readonly count: number;
  /** What was counted, without places. */
  readonly what: string;
  /** Epoch ms of the first place; undefined where it is of the whole file. */
  readonly time: number | undefined;
  /** One sentence with the first places, for people. */
  readonly text: string;
}

const SHOWN = 3;

/** Counts one kind of trouble and keeps its first places. */
export class Tally {
  count = 0;
  #firstTime: number | undefined;
  readonly #places: string[] = [];

  constructor(
    readonly code: FindingCode,
    readonly severity: Severity,
    readonly what: string,
  ) {}

  /** @param row counted from 1. @param detail what is wrong there, for the first few alone. */
  add(row: number, timeMs: number, detail?: () => string): void {
    this.count++;
    this.#firstTime ??= timeMs;
    if (this.#places.length >= SHOWN) return;
    this.#places.push(`row ${row} at ${isoTime(timeMs)}${detail === undefined ? '' : ` (${detail()})`}`);
  }

  /** Nothing where nothing was counted. */
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
