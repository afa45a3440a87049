import type { SeriesMeta } from '../columns/series-meta.ts';
import { type Finding, Tally } from './check-tally.ts';
import type { CheckedRows } from './checked-rows.ts';
import { durationText } from './duration-text.ts';

/** Silence beyond which quotes, trades and tickers count as a gap; marks may be as coarse as they like. */
const PAUSE_LIMIT_MS = 5 * 60_000;

/**
 * Judges the order and spacing of rows. Bars: each should open one interval after the last. Other kinds:
 * rows may share a stamp, and a gap is more than five minutes without a row. Of funding, whose times
 * `FundingTimesCheck` judges, the order alone.
 */
export class TimeCheck {
  rows = 0;
  /** Epoch ms: first and last row as they stand, and the earliest and latest of all. */
  start = Number.NaN;
  end = Number.NaN;
  first = Number.POSITIVE_INFINITY;
  last = Number.NEGATIVE_INFINITY;
  longestPauseMs = 0;
  readonly #intervalMs: number | undefined;
  readonly #pauseLimitMs: number;
  readonly #mayRepeat: boolean;
  readonly #disorder = new Tally('disorder', 'error', 'rows earlier than the row before');
  readonly #duplicates: Tally;
  readonly #overlaps = new Tally('disorder', 'error', 'bars that begin inside the bar before');
  readonly #gaps: Tally;
  readonly #offGrid = new Tally('offGrid', 'warning', 'bars not a whole number of intervals after the bar before');
  #longestGapMs = 0;
  #lastNanos = 0;
  #lastRow: number[] = [];

  constructor(meta: SeriesMeta) {
    this.#intervalMs = meta.intervalMs;
    this.#pauseLimitMs = meta.kind === 'mark' || meta.kind === 'funding' ? Number.POSITIVE_INFINITY : PAUSE_LIMIT_MS;
    this.#mayRepeat = meta.kind === 'funding';
    const bars = meta.intervalMs !== undefined;
    this.#duplicates = bars
      ? new Tally('duplicates', 'error', 'bars with the time of the bar before')
      : new Tally('duplicates', 'warning', 'rows that repeat the row before');
    this.#gaps = new Tally('gaps', 'warning', bars ? 'gaps' : 'pauses of more than 5 minutes');
  }

  update(rows: CheckedRows): void {
    const { time, nanos, length } = rows;
    for (let row = 0; row < length; row++) {
      const now = time[row]!;
      const nano = nanos === undefined ? 0 : nanos[row]!;
      if (this.rows++ > 0) this.#step(rows, row, now, nano);
      else this.start = now;
      if (now < this.first) this.first = now;
      if (now > this.last) this.last = now;
      this.end = now;
      this.#lastNanos = nano;
    }
    this.#lastRow = rows.columns.map((column) => column[length - 1]!);
  }

  findings(): Finding[] {
    const gaps = this.#gaps
      .findings()
      .map((finding) => ({ ...finding, text: `${finding.text}; the longest lasts ${durationText(this.#longestGapMs)}` }));
    return [this.#disorder, this.#duplicates, this.#overlaps, this.#offGrid].flatMap((tally) => tally.findings()).concat(gaps);
  }

  #step(rows: CheckedRows, row: number, now: number, nano: number): void {
    const pause = now - this.end;
    if (pause > this.longestPauseMs) this.longestPauseMs = pause;
    if (pause < 0 || (pause === 0 && nano < this.#lastNanos)) this.#disorder.add(this.rows, now);
    else if (this.#intervalMs !== undefined) this.#bar(now, pause, this.#intervalMs);
    else if (pause === 0 && nano === this.#lastNanos && !this.#mayRepeat && this.#repeats(rows, row)) this.#duplicates.add(this.rows, now);
    else if (pause > this.#pauseLimitMs) this.#gap(pause);
  }

  #bar(now: number, pause: number, interval: number): void {
    if (pause === interval) return;
    if (pause === 0) this.#duplicates.add(this.rows, now);
    else if (pause < interval) this.#overlaps.add(this.rows, now);
    else this.#gap(pause - interval);
    if (pause > interval && pause % interval !== 0) this.#offGrid.add(this.rows, now);
  }

  /** A gap is told by the row before it and its length: for bars, the time that no bar covers. */
  #gap(missingMs: number): void {
    if (missingMs > this.#longestGapMs) this.#longestGapMs = missingMs;
    this.#gaps.add(this.rows - 1, this.end, () => `then nothing for ${durationText(missingMs)}`);
  }

  #repeats(rows: CheckedRows, row: number): boolean {
    return rows.columns.every((column, index) => column[row] === (row > 0 ? column[row - 1] : this.#lastRow[index]));
  }
}
