import { type Decimal, ZERO } from '../../model/decimal.ts';

const MINUTE_MS = 60_000;
/** How far back candles are told of. */
const KEPT_MS = 31 * 86_400_000;

/** Prices in ticks, times in epoch ms. */
export interface Candle {
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
 * The candles of one instrument over the last 31 days, kept by the minute.
 *
 * - A candle is what the last price was from its open up to its close: it opens at the price of that very moment or, without one,
 *   at the price that stood, and where nothing happened it is flat. A price that repeats the last one is no news, so that it does not matter whether it was kept.
 * - The first one opens at the first price, whenever in its period that came.
 */
export class CandleBook {
  /** Those in which something happened, oldest first. */
  #minutes: Candle[] = [];
  /** What stood before the first of them; `undefined` where nothing did. */
  #before: number | undefined;

  /** A price was seen. */
  price(time: number, ticks: number): void {
    if (ticks === this.#standing) return;
    const minute = this.#minute(time, ticks);
    minute.high = Math.max(minute.high, ticks);
    minute.low = Math.min(minute.low, ticks);
    minute.close = ticks;
  }

  /** Something was traded; the first price has been seen. @param value In quote. */
  trade(time: number, steps: number, value: Decimal): void {
    const minute = this.#minute(time, this.#standing ?? Number.NaN);
    minute.steps += steps;
    minute.value = minute.value.plus(value);
  }

  /** The newest candles of a period, newest first, the one under way among them. */
  newest(periodMs: number, limit: number, now: number): Candle[] {
    const last = Math.floor(now / periodMs) * periodMs;
    const first = Math.max(last - (limit - 1) * periodMs, this.#first(periodMs, now));
    let standing = this.#minutes.findLast(({ start }) => start < first)?.close ?? this.#before;
    let next = this.#minutes.findIndex(({ start }) => start >= first);
    const candles: Candle[] = [];
    for (let start = first; start <= last; start += periodMs) {
      const minute = this.#minutes[next];
      const open = (minute?.start === start ? minute.open : standing) ?? minute?.open ?? Number.NaN;
      const candle: Candle = { start, open, high: open, low: open, close: open, steps: 0, value: ZERO };
      for (; next >= 0 && next < this.#minutes.length && this.#minutes[next]!.start < start + periodMs; next++) {
        add(candle, this.#minutes[next]!);
      }
      standing = candle.close;
      candles.push(candle);
    }
    return candles.reverse();
  }

  get #standing(): number | undefined {
    return this.#minutes.at(-1)?.close ?? this.#before;
  }

  /** When the first candle opens that is told of: the one with the first price, or the first that is kept in whole. */
  #first(periodMs: number, now: number): number {
    const [oldest] = this.#minutes;
    if (oldest === undefined) return Number.POSITIVE_INFINITY;
    const isFirst = this.#before === undefined && oldest.start >= now - KEPT_MS;
    return isFirst ? Math.floor(oldest.start / periodMs) * periodMs : Math.ceil((now - KEPT_MS) / periodMs) * periodMs;
  }

  /** The minute of a time; a new one opens at what stood before, unless the time is its very first moment. */
  #minute(time: number, ticks: number): Candle {
    const start = Math.floor(time / MINUTE_MS) * MINUTE_MS;
    const newest = this.#minutes.at(-1);
    if (newest !== undefined && newest.start >= start) return newest;
    const open = time === start ? ticks : (this.#standing ?? ticks);
    const minute: Candle = { start, open, high: open, low: open, close: open, steps: 0, value: ZERO };
    this.#minutes.push(minute);
    this.#forget(time);
    return minute;
  }

  /** A day's worth at once: what is dropped one by one costs as much as all that is kept. */
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
