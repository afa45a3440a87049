import { calendarSlackMs, type SeriesMeta } from '../columns/series-meta.ts';
import { fundingTime } from '../funding-time.ts';
import { type CheckedRows, durationText, type Finding, Tally } from './findings.ts';

/** A time without rows above which quotes, trades and tickers have a gap; marks may have any interval. */
const PAUSE_LIMIT_MS = 5 * 60_000;

/**
 * Checks the order and distance of rows. Bars: each should open one interval after the last. Other kinds: rows may have the same time, and
 * a gap is more than five minutes without a row. For funding it checks the order alone; `FundingTimesCheck` checks its times.
 */
export class TimeCheck {
  rows = 0;
  /** Epoch ms: first and last row in file order, and the earliest and latest of all. */
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
    const slack = calendarSlackMs(interval);
    if (Math.abs(pause - interval) <= slack) return;
    if (pause === 0) this.#duplicates.add(this.rows, now);
    else if (pause < interval) this.#overlaps.add(this.rows, now);
    else this.#gap(pause - interval);
    const beyond = pause % interval;
    if (pause > interval && Math.min(beyond, interval - beyond) > slack) this.#offGrid.add(this.rows, now);
  }

  /** Records a gap: the row before it and its length. For bars, the length is the time without bars. */
  #gap(missingMs: number): void {
    if (missingMs > this.#longestGapMs) this.#longestGapMs = missingMs;
    this.#gaps.add(this.rows - 1, this.end, () => `then nothing for ${durationText(missingMs)}`);
  }

  #repeats(rows: CheckedRows, row: number): boolean {
    return rows.columns.every((column, index) => column[row] === (row > 0 ? column[row - 1] : this.#lastRow[index]));
  }
}

/**
 * Checks the times of funding, without jitter: two rates at one time would both be charged (error), and a distance longer than the most
 * frequent one is a gap (warning). Funding happens a few times a day, so all its times are kept.
 */
export class FundingTimesCheck {
  readonly #times: number[] = [];

  update({ time, length }: CheckedRows): void {
    for (let row = 0; row < length; row++) this.#times.push(fundingTime(time[row]!));
  }

  findings(): Finding[] {
    const times = this.#times;
    const usual = this.#usualDistance();
    const duplicates = new Tally('duplicates', 'error', 'second rates of one funding time');
    const gaps = new Tally('gaps', 'warning', `gaps in funding every ${durationText(usual)}`);
    let longest = 0;
    for (let row = 1; row < times.length; row++) {
      const distance = times[row]! - times[row - 1]!;
      if (distance === 0) duplicates.add(row + 1, times[row]!);
      if (distance <= usual) continue;
      gaps.add(row, times[row - 1]!, () => `then nothing for ${durationText(distance)}`);
      longest = Math.max(longest, distance);
    }
    const described = gaps
      .findings()
      .map((finding) => ({ ...finding, text: `${finding.text}; the longest lasts ${durationText(longest)}` }));
    return [...duplicates.findings(), ...described];
  }

  /** The most frequent distance in ms, the shorter one of equals; `Infinity` where there is none. */
  #usualDistance(): number {
    const counts = new Map<number, number>();
    for (let row = 1; row < this.#times.length; row++) {
      const distance = this.#times[row]! - this.#times[row - 1]!;
      if (distance > 0) counts.set(distance, (counts.get(distance) ?? 0) + 1);
    }
    const [usual] = [...counts].sort(([a, often], [b, oftener]) => oftener - often || a - b);
    return usual?.[0] ?? Number.POSITIVE_INFINITY;
  }
}
