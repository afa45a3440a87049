import { type Decimal, ZERO } from '../../model/decimal.ts';

const MINUTE_MS = 60_000;
/** How far back candles are kept. */
const KEPT_MS = 31 * 86_400_000;

/** Prices in ticks, times in epoch ms. */
interface Candle {
  /** When it opens. */
  readonly start: number;
  readonly open: number;
  high: number;
  low: number;
  close: number;
  steps: number;
  /** In quote. */
  value: Decimal;
}

/**
 * The candles of one instrument over the last 31 days, stored by the minute.
 *
 * - A candle shows the last price from its open up to its close: it opens at the price of that very moment or, without one,
 *   at the previous price, and is flat if nothing happened. A price equal to the last one changes nothing, so it does not matter whether
 *   it was kept.
 * - The first one opens at the first price, at any time within its period.
 */
export class CandleBook {
  /** Those with a price or a trade, oldest first. */
  #minutes: Candle[] = [];
  /** The price before the first of them; `undefined` if there was none. */
  #before: number | undefined;

  /** A new price. */
  price(time: number, ticks: number): void {
    if (ticks === this.#lastClose) return;
    const minute = this.#minute(time, ticks);
    minute.high = Math.max(minute.high, ticks);
    minute.low = Math.min(minute.low, ticks);
    minute.close = ticks;
  }

  /** A trade; the first price has been received. @param value In quote. */
  trade(time: number, steps: number, value: Decimal): void {
    const minute = this.#minute(time, this.#lastClose ?? Number.NaN);
    minute.steps += steps;
    minute.value = minute.value.plus(value);
  }

  /** The newest candles of a period, newest first, including the unfinished one. */
  newest(periodMs: number, limit: number, now: number): Candle[] {
    const last = Math.floor(now / periodMs) * periodMs;
    const first = Math.max(last - (limit - 1) * periodMs, this.#first(periodMs, now));
    let lastClose = this.#minutes.findLast(({ start }) => start < first)?.close ?? this.#before;
    let next = this.#minutes.findIndex(({ start }) => start >= first);
    const candles: Candle[] = [];
    for (let start = first; start <= last; start += periodMs) {
      const minute = this.#minutes[next];
      const open = (minute?.start === start ? minute.open : lastClose) ?? minute?.open ?? Number.NaN;
      const candle: Candle = { start, open, high: open, low: open, close: open, steps: 0, value: ZERO };
      for (; next >= 0 && next < this.#minutes.length && this.#minutes[next]!.start < start + periodMs; next++) {
        add(candle, this.#minutes[next]!);
      }
      lastClose = candle.close;
      candles.push(candle);
    }
    return candles.reverse();
  }

  get #lastClose(): number | undefined {
    return this.#minutes.at(-1)?.close ?? this.#before;
  }

  /** The open time of the first available candle: the one with the first price, or the first that is kept completely. */
  #first(periodMs: number, now: number): number {
    const [oldest] = this.#minutes;
    if (oldest === undefined) return Number.POSITIVE_INFINITY;
    const isFirst = this.#before === undefined && oldest.start >= now - KEPT_MS;
    return isFirst ? Math.floor(oldest.start / periodMs) * periodMs : Math.ceil((now - KEPT_MS) / periodMs) * periodMs;
  }

  /** The minute of a time; a new one opens at the previous price, unless the time is its very first moment. */
  #minute(time: number, ticks: number): Candle {
    const start = Math.floor(time / MINUTE_MS) * MINUTE_MS;
    const newest = this.#minutes.at(-1);
    if (newest !== undefined && newest.start >= start) return newest;
    const open = time === start ? ticks : (this.#lastClose ?? ticks);
    const minute: Candle = { start, open, high: open, low: open, close: open, steps: 0, value: ZERO };
    this.#minutes.push(minute);
    this.#forget(time);
    return minute;
  }

  /** A day's worth at once: dropping one by one costs as much as everything that is kept. */
  #forget(now: number): void {
    const limit = now - KEPT_MS;
    if (this.#minutes[0]!.start >= limit - 86_400_000) return;
    const kept = this.#minutes.findIndex(({ start }) => start >= limit);
    this.#before = this.#minutes[kept - 1]?.close ?? this.#before;
    this.#minutes = this.#minutes.slice(kept);
  }
}

function add(candle: Candle, minute: Candle): void {
  candle.high = Math.max(candle.high, minute.high);
  candle.low = Math.min(candle.low, minute.low);
  candle.close = minute.close;
  candle.steps += minute.steps;
  candle.value = candle.value.plus(minute.value);
}

const DAY_MINUTES = 1_440;

/** The changes of one minute; prices in ticks. */
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
interface DaySummary {
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
 * Prices of the last 24 hours, by the minute: the window moves in whole minutes, everything inside it is exact.
 * Its open is the price at its beginning, or the first one.
 */
export class DayFigures {
  readonly #minutes: Minute[] = [];
  /** The price before the first minute kept. */
  #before: number | undefined;

  /** A new price. */
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

  /** A trade; the first price has been received. @param value In quote. */
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
    const lastClose = this.#before ?? inside[0]?.open ?? newest.close;
    const summary = { open: lastClose, close: newest.close, high: lastClose, highTime: startTime, low: lastClose, lowTime: startTime };
    let [trades, steps, value] = [0, 0, ZERO];
    for (const [index, minute] of inside.entries()) {
      // If there was no price before, the first one is the high and the low, at its own time.
      const first = index === 0 && this.#before === undefined;
      if (first || minute.high > summary.high) Object.assign(summary, { high: minute.high, highTime: minute.highTime });
      if (first || minute.low < summary.low) Object.assign(summary, { low: minute.low, lowTime: minute.lowTime });
      trades += minute.trades;
      steps += minute.steps;
      value = value.plus(minute.value);
    }
    return { ...summary, trades, steps, value, startTime, endTime: now };
  }

  /** The minute of a time, begun with `ticks` if it is new. */
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

/** The present minute counts in full, so the window has it, the 1439 before it and a part of the first. */
function windowStart(now: number): number {
  return Math.floor(now / MINUTE_MS) * MINUTE_MS - DAY_MINUTES * MINUTE_MS + MINUTE_MS;
}
