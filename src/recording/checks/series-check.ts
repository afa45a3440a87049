import type { SeriesMeta } from '../columns/series-meta.ts';
import { DepthCheck, FundingTimesCheck, OutlierCheck } from './check-outliers.ts';
import { type CheckedRows, durationText, type Finding, Tally } from './check-tally.ts';
import { StepCheck, ValueCheck } from './checks.ts';

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

/** One question asked of every row. */
interface Check {
  /** @param rowsBefore rows of the series before these. */
  update(rows: CheckedRows, rowsBefore: number): void;
  /** Called once, after the last row. */
  findings(): Finding[];
}

/** All that is judged by the rows of a series alone, as they are read: bounded memory (but for funding, and the levels of a book), no second pass. */
export class SeriesCheck {
  readonly time: TimeCheck;
  readonly #checks: readonly Check[];

  constructor(meta: SeriesMeta) {
    this.time = new TimeCheck(meta);
    this.#checks = [
      this.time,
      ...(meta.kind === 'funding' ? [new FundingTimesCheck()] : []),
      new ValueCheck(meta),
      ...(meta.kind === 'depth' ? [new DepthCheck(meta)] : []),
      ...(meta.kind === 'funding' || meta.kind === 'depth' ? [] : [new OutlierCheck(meta)]),
      ...(meta.kind === 'funding' || meta.kind === 'mark' ? [] : [new StepCheck(meta)]),
    ];
  }

  /** Takes the next rows. */
  update(rows: CheckedRows): void {
    const before = this.time.rows;
    for (const check of this.#checks) check.update(rows, before);
  }

  /** To be called once, after the last row. */
  findings(): Finding[] {
    return this.#checks.flatMap((check) => check.findings());
  }
}

/** A change of the offset in ms that neither the network nor whole milliseconds make. */
const MOST_DRIFT_MS = 100;

/**
 * Judges the clock that stamped the rows of a series as they were received by that of the exchange (warnings): rows received before
 * they were sent, and an offset that is another by more than 100 ms in the last tenth of the rows than in the first.
 */
export function clockFindings({ clock }: SeriesMeta): Finding[] {
  if (clock === undefined) return [];
  const { rows, early, least, median, greatest, first, last } = clock;
  const found: Finding[] = [];
  const of = { severity: 'warning', time: undefined } as const;
  if (early > 0) {
    const what = 'rows received before the exchange sent them: one of the two clocks is wrong';
    const range = `${seconds(least)} to ${seconds(greatest)}, ${seconds(median)} in the middle`;
    found.push({
      ...of,
      code: 'receivedEarly',
      count: early,
      what,
      text: `${what} (${early} of ${rows}): receive less exchange time is ${range}`,
    });
  }
  if (Math.abs(last - first) > MOST_DRIFT_MS) {
    const what = 'receive times drift from those of the exchange';
    const told = `receive less exchange time is ${seconds(first)} in the first tenth of the rows, ${seconds(last)} in the last`;
    found.push({ ...of, code: 'clockDrift', count: 1, what, text: `${what}: ${told}` });
  }
  return found;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(3)} s`;
}
