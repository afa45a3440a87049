import { type Decimal, ZERO } from '../../model/decimal.ts';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;

/** What happened in one minute; prices in ticks. */
interface Minute {
  readonly start: number;
  readonly open: number;
  high: number;
  highTime: number;
  low: number;
  lowTime: number;
  close: number;
  trades: number;
  steps: number;
  value: Decimal;
}

/** The figures of a ticker over the last 24 hours; prices in ticks, times in epoch ms. */
export interface DaySummary {
  readonly open: number;
  readonly close: number;
  readonly high: number;
  readonly highTime: number;
  readonly low: number;
  readonly lowTime: number;
  readonly trades: number;
  readonly steps: number;
  /** In quote. */
  readonly value: Decimal;
  readonly startTime: number;
  readonly endTime: number;
}

/**
 * Prices of the last 24 hours, by the minute: the window moves on in whole minutes, everything inside it is exact.
 * Its open is the price that stood when it began, or the first there was.
 */
export class DayFigures {
  readonly #minutes: Minute[] = [];
  /** The price before the first minute kept. */
  #before: number | undefined;

  /** A price was seen. */
  price(time: number, ticks: number): void {
    const minute = this.#minute(time, ticks);
    if (ticks > minute.high) {
      minute.high = ticks;
      minute.highTime = time;
    }
    if (ticks < minute.low) {
      minute.low = ticks;
      minute.lowTime = time;
    }
    minute.close = ticks;
  }

  /** Something was traded; the first price has been seen. @param value In quote. */
  trade(time: number, steps: number, value: Decimal, trades = 1): void {
    const minute = this.#minute(time, this.#minutes.at(-1)?.close ?? Number.NaN);
    minute.trades += trades;
    minute.steps += steps;
    minute.value = minute.value.plus(value);
  }

  /** The 24 hours up to `now`; `undefined` before the first price. */
  summary(now: number): DaySummary | undefined {
    const newest = this.#minutes.at(-1);
    if (newest === undefined) return undefined;
    this.#forget(now);
    const startTime = windowStart(now);
    const inside = this.#minutes.filter(({ start }) => start >= startTime);
    const standing = this.#before ?? inside[0]?.open ?? newest.close;
    const summary = { open: standing, close: newest.close, high: standing, highTime: startTime, low: standing, lowTime: startTime };
    let [trades, steps, value] = [0, 0, ZERO];
    for (const [index, minute] of inside.entries()) {
      // Where nothing stood before, the first price is the high and the low, at its own time.
      const first = index === 0 && this.#before === undefined;
      if (first || minute.high > summary.high) Object.assign(summary, { high: minute.high, highTime: minute.highTime });
      if (first || minute.low < summary.low) Object.assign(summary, { low: minute.low, lowTime: minute.lowTime });
      trades += minute.trades;
      steps += minute.steps;
      value = value.plus(minute.value);
    }
    return { ...summary, trades, steps, value, startTime, endTime: now };
  }

  /** The minute of a time, begun with `ticks` where it is new. */
  #minute(time: number, ticks: number): Minute {
    const start = Math.floor(time / MINUTE_MS) * MINUTE_MS;
    const newest = this.#minutes.at(-1);
    if (newest !== undefined && newest.start >= start) return newest;
    const minute = {
      start,
      open: ticks,
      high: ticks,
      highTime: time,
      low: ticks,
      lowTime: time,
      close: ticks,
      trades: 0,
      steps: 0,
      value: ZERO,
    };
    this.#minutes.push(minute);
    this.#forget(time);
    return minute;
  }

  #forget(now: number): void {
    const startTime = windowStart(now);
    while (this.#minutes.length > 1 && this.#minutes[0]!.start < startTime) this.#before = this.#minutes.shift()!.close;
    const [only] = this.#minutes;
    if (this.#minutes.length === 1 && only!.start < startTime) this.#before = only!.close;
  }
}

/** The minute under way counts in full, so the window holds it and the 1439 before it and a part of the first. */
function windowStart(now: number): number {
  return Math.floor(now / MINUTE_MS) * MINUTE_MS - DAY_MINUTES * MINUTE_MS + MINUTE_MS;
}
