import { BarBuilder } from '../../model/bar-builder.ts';
import { type BarInterval, barIntervalText, firstBarStart, longestBarMs } from '../../model/bar-interval.ts';
import { TidegateError } from '../../model/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import { Bar } from '../../model/market-events.ts';
import { isoTime } from '../../model/time.ts';
import { MICROSECOND_MS, RowSource, type SeriesSource } from '../../venues/simulated/row-source.ts';
import { type FeedNeeds, receivedSymbols } from './planned-strategies.ts';
import type { RecordedData, RecordedSeries } from './recorded-data.ts';
import type { BacktestPlan } from './run-plans.ts';

/** Reads the rows before a run one by one. */
export class PastRows extends RowSource {
  #columns: readonly Float64Array[] = [];

  constructor(source: SeriesSource, from: number, to: number, priceColumns: readonly number[], quantityColumns: readonly number[]) {
    super(source, from, to, priceColumns, quantityColumns);
    this.start();
  }

  next(): void {
    this.advance();
  }

  /** The present row by column: prices in ticks, quantities in steps. */
  values(): number[] {
    return this.#columns.map((column) => column[this.row]!);
  }

  protected take(columns: readonly Float64Array[]): void {
    this.#columns = columns;
  }
}

/** The bars of one interval that a recorded series of bars can give. */
export interface BarHistory {
  readonly instrument: Instrument;
  readonly interval: BarInterval;
  /** Epoch ms: the open of the first recorded bar and the end of the last one. A longer bar that crosses them is incomplete. */
  readonly firstTime: number;
  readonly endTime: number;
  /** Opens the series again. @param fromMs earlier rows are not needed. */
  readonly open: (fromMs: number) => SeriesSource;
}

/** The last `count` complete bars that end at or before `until`. */
export function barsBefore(history: BarHistory, until: number, count: number): Bar[] {
  const bars: Bar[] = [];
  // Reads more intervals than requested, because of gaps.
  for (const bar of wholeBars(history, until - longestBarMs(history.interval) * (count * 2 + 10), until)) {
    bars.push(bar);
    if (bars.length > count) bars.shift();
  }
  return bars;
}

/** The first `count` complete bars, or fewer if `to` comes first. */
function firstBars(history: BarHistory, count: number, to: number): Bar[] {
  const bars: Bar[] = [];
  for (const bar of wholeBars(history, history.firstTime, to)) {
    bars.push(bar);
    if (bars.length >= count) break;
  }
  return bars;
}

/** The complete bars in [from, until]. A bar that is open at `until` belongs to the run. */
function* wholeBars({ instrument, interval, firstTime, endTime, open }: BarHistory, from: number, until: number): Generator<Bar> {
  const first = Math.max(from, firstTime);
  const source = open(first);
  const asRecorded = source.intervalMs === interval;
  // The first built bar must be complete. Recorded bars are complete and may start at any time.
  const start = asRecorded ? first : firstBarStart(interval, first);
  const rows = new PastRows(source, start, until - source.intervalMs + MICROSECOND_MS, [0, 1, 2, 3], []);
  const builder = new BarBuilder(instrument, interval);
  const digits = 10 ** source.quantityDecimals;
  try {
    for (; rows.time < Number.POSITIVE_INFINITY; rows.next()) {
      const { time } = rows;
      const [opened, high, low, closed, volume] = rows.values() as [number, number, number, number, number];
      if (asRecorded) {
        yield new Bar(instrument, time + source.intervalMs, 0, source.intervalMs, opened, high, low, closed, volume / digits);
        continue;
      }
      if (time >= builder.endTime) yield builder.closeBar();
      builder.addRange(time, opened, high, low, closed, volume / digits, 0);
      if (time + source.intervalMs >= builder.endTime) yield builder.closeBar();
    }
    // The bar has ended, although its last shorter bar is missing.
    if (builder.endTime <= Math.min(until, endTime)) yield builder.closeBar();
  } finally {
    rows.close();
  }
}

/** Instead of the id of a strategy: `history` returns the bar that is open at the start, if its beginning is known. */
export const OPEN_BARS = '';

/** Bars before the start that one strategy needs. */
export interface WantedBars {
  readonly strategyId: string;
  readonly instrument: Instrument;
  readonly interval: BarInterval;
  readonly count: number;
}

/** The bars before the start that all strategies need. */
export function wantedBars(needs: readonly FeedNeeds[], instruments: readonly Instrument[]): WantedBars[] {
  return needs.flatMap((need) => {
    const { id: strategyId, intervals, history: count } = need;
    const received = receivedSymbols(need);
    return count === 0
      ? []
      : instruments
          .filter(({ symbol }) => received.includes(symbol))
          .flatMap((instrument) => intervals.map((interval) => ({ strategyId, instrument, interval, count })));
  });
}

/** The bars that were found before the start, in the form in which strategies read them. */
export class FoundBars {
  readonly #bars = new Map<string, readonly Bar[]>();

  constructor(private readonly needs: readonly FeedNeeds[]) {}

  /** Stores bars. @param lookedIn text after "there are 3" in the message. @returns a message if there are too few. */
  set({ strategyId, instrument, interval, count }: WantedBars, found: readonly Bar[], until: number, lookedIn = ''): string[] {
    const { symbol } = instrument;
    this.#bars.set(`${strategyId}/${symbol}/${interval}`, found);
    if (found.length >= count) return [];
    const wanted = `${count} bars of ${barIntervalText(interval)} of ${symbol} before ${isoTime(until)}`;
    return [`strategy "${strategyId}" needs ${wanted}; there are ${found.length}${lookedIn}`];
  }

  readonly read: BacktestPlan['history'] = (id, symbol, interval) => {
    const own = this.needs.find((one) => one.id === id);
    return this.#bars.get(`${id}/${symbol}/${interval ?? own?.intervals[0]}`) ?? [];
  };
}

/** The bars before the start for each strategy, and messages about missing ones. */
export function historyReader(
  needs: readonly FeedNeeds[],
  instruments: readonly Instrument[],
  data: RecordedData,
  from: number,
): { readonly history: BacktestPlan['history']; readonly missing: readonly string[] } {
  const found = new FoundBars(needs);
  const missing = wantedBars(needs, instruments).flatMap((wanted) => found.set(wanted, recordedBars(data, wanted, from), from));
  return { history: found.read, missing };
}

/** The series that `historyReader` reads, each once. */
export function historySeriesOf(needs: readonly FeedNeeds[], instruments: readonly Instrument[], data: RecordedData): RecordedSeries[] {
  const wanted = wantedBars(needs, instruments).filter(({ instrument }) => data.has(instrument.symbol, 'bar'));
  return [...new Set(wanted.map(({ instrument, interval }) => data.find(instrument.symbol, 'bar', [interval])))];
}

/** Reads the wanted bars. @throws TidegateError DATA_NOT_FOUND if the interval cannot be built from the recorded bars. */
export function recordedBars(data: RecordedData, wanted: WantedBars, until: number): Bar[] {
  if (!data.has(wanted.instrument.symbol, 'bar')) return [];
  return barsBefore(barHistory(data, wanted, until), until, wanted.count);
}

/**
 * The first time, in epoch ms, at which all wanted bars are recorded.
 * @param to bars that end later do not count, in epoch ms.
 * @throws TidegateError DATA_NOT_FOUND if there are fewer bars than wanted.
 */
export function historyComplete(wanted: readonly WantedBars[], data: RecordedData, to: number): number {
  const completeAt = wanted.map((one) => {
    const { instrument, count } = one;
    const found = data.has(instrument.symbol, 'bar') ? firstBars(barHistory(data, one, to), count, to) : [];
    if (found.length < count) throw tooFew(one, found.length, to);
    return found.at(-1)!.time;
  });
  return Math.max(...completeAt);
}

function tooFew({ strategyId, instrument, interval, count }: WantedBars, found: number, to: number): TidegateError {
  const wanted = `${count} bars of ${barIntervalText(interval)} of ${instrument.symbol} before the start`;
  const until = to < Number.POSITIVE_INFINITY ? ' until backtest.to' : '';
  const there = `the recordings have ${found} complete ${found === 1 ? 'one' : 'ones'}${until}`;
  return new TidegateError(
    'DATA_NOT_FOUND',
    `strategy "${strategyId}" needs ${wanted}; ${there} (record more, or set backtest.warmup to cold)`,
  );
}

function barHistory(data: RecordedData, { instrument, interval }: WantedBars, to: number): BarHistory {
  const series = data.find(instrument.symbol, 'bar', [interval]);
  const { firstTime, lastTime, intervalMs: own = 0 } = series.meta;
  return { instrument, interval, firstTime, endTime: lastTime + own, open: (from) => data.open(series, instrument, from, to) };
}

/** @throws TidegateError DATA_NOT_FOUND with the first missing history and the remedy, unless `warmup` is `cold`. */
export function requireHistory(
  missing: readonly string[],
  warmup: 'require' | 'cold',
  remedy = 'start later, or set backtest.warmup to cold',
): void {
  if (warmup === 'require' && missing[0] !== undefined) throw new TidegateError('DATA_NOT_FOUND', `${missing[0]} (${remedy})`);
}
