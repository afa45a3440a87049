import { BarBuilder } from '../../model/bar-builder.ts';
import { TidegateError } from '../../model/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import { Bar } from '../../model/market-events.ts';
import { intervalText, isoTime } from '../../model/time.ts';
import { MICROSECOND_MS, RowSource, type SeriesSource } from '../../venues/simulated/row-source.ts';
import type { FeedNeeds } from './planned-strategies.ts';
import type { RecordedData, RecordedSeries } from './recorded-data.ts';
import type { BacktestPlan } from './run-plans.ts';

/** Rows from before a run, read one by one outside its replay. */
export class PastRows extends RowSource {
  #columns: readonly Float64Array[] = [];

  constructor(source: SeriesSource, from: number, to: number, priceColumns: readonly number[], quantityColumns: readonly number[]) {
    super(source, from, to, priceColumns, quantityColumns);
    this.start();
  }

  next(): void {
    this.advance();
  }

  /** What the row at hand has in each column: prices in ticks, what was named a quantity in steps. */
  values(): number[] {
    return this.#columns.map((column) => column[this.row]!);
  }

  protected take(columns: readonly Float64Array[]): void {
    this.#columns = columns;
  }
}

/** Bars of one interval, to be had from a recorded series of bars that make it. */
export interface BarHistory {
  readonly instrument: Instrument;
  readonly intervalMs: number;
  /** Epoch ms: when the first recorded bar opens, and when the last one ends. What began before or ends after is not whole. */
  readonly firstTime: number;
  readonly endTime: number;
  /** Opens the series anew. @param fromMs no earlier rows are needed. */
  readonly open: (fromMs: number) => SeriesSource;
}

/** The last `count` whole bars that end at or before `until`. */
export function barsBefore(history: BarHistory, until: number, count: number): Bar[] {
  const bars: Bar[] = [];
  // A few intervals more than asked: gaps cost some.
  for (const bar of wholeBars(history, until - history.intervalMs * (count * 2 + 10), until)) {
    bars.push(bar);
    if (bars.length > count) bars.shift();
  }
  return bars;
}

/** The first `count` whole bars, or those there are before `to`. */
function firstBars(history: BarHistory, count: number, to: number): Bar[] {
  const bars: Bar[] = [];
  for (const bar of wholeBars(history, history.firstTime, to)) {
    bars.push(bar);
    if (bars.length >= count) break;
  }
  return bars;
}

/** Whole bars over [from, until]: one that is still open at `until` belongs to the run. */
function* wholeBars({ instrument, intervalMs, firstTime, endTime, open }: BarHistory, from: number, until: number): Generator<Bar> {
  const first = Math.max(from, firstTime);
  const source = open(first);
  const asRecorded = source.intervalMs === intervalMs;
  // Built bars lie on multiples of their interval; recorded ones lie where they lie, and are whole.
  const start = asRecorded ? first : Math.ceil(first / intervalMs) * intervalMs;
  const rows = new PastRows(source, start, until - source.intervalMs + MICROSECOND_MS, [0, 1, 2, 3], []);
  const builder = new BarBuilder(instrument, intervalMs);
  const digits = 10 ** source.quantityDecimals;
  try {
    for (; rows.time < Number.POSITIVE_INFINITY; rows.next()) {
      const { time } = rows;
      const [opened, high, low, closed, volume] = rows.values() as [number, number, number, number, number];
      if (asRecorded) {
        yield new Bar(instrument, time + intervalMs, 0, intervalMs, opened, high, low, closed, volume / digits);
        continue;
      }
      if (time >= builder.endTime) yield builder.closeBar();
      builder.addRange(time, opened, high, low, closed, volume / digits, 0);
      if (time + source.intervalMs >= builder.endTime) yield builder.closeBar();
    }
    // Over, though its last shorter bar is missing.
    if (builder.endTime <= Math.min(until, endTime)) yield builder.closeBar();
  } finally {
    rows.close();
  }
}

/** Bars from before the start that one strategy asked for. */
export interface WantedBars {
  readonly strategyId: string;
  readonly instrument: Instrument;
  readonly intervalMs: number;
  readonly count: number;
}

/** What all strategies asked for. */
export function wantedBars(needs: readonly FeedNeeds[], instruments: readonly Instrument[]): WantedBars[] {
  return needs.flatMap(({ id: strategyId, symbols, intervals, history: count }) =>
    count === 0
      ? []
      : instruments
          .filter(({ symbol }) => symbols.includes(symbol))
          .flatMap((instrument) => intervals.map((intervalMs) => ({ strategyId, instrument, intervalMs, count }))),
  );
}

/** The bars that were found for what is wanted, as strategies ask for them. */
export class FoundBars {
  readonly #bars = new Map<string, readonly Bar[]>();

  constructor(private readonly needs: readonly FeedNeeds[]) {}

  /** @param lookedIn to follow "there are 3", for what is too little. @returns what is missing, if anything. */
  set({ strategyId, instrument, intervalMs, count }: WantedBars, found: readonly Bar[], until: number, lookedIn = ''): string[] {
    const { symbol } = instrument;
    this.#bars.set(`${strategyId}/${symbol}/${intervalMs}`, found);
    if (found.length >= count) return [];
    const wanted = `${count} bars of ${intervalText(intervalMs)} of ${symbol} before ${isoTime(until)}`;
    return [`strategy "${strategyId}" needs ${wanted}; there are ${found.length}${lookedIn}`];
  }

  readonly read: BacktestPlan['history'] = (id, symbol, interval) => {
    const own = this.needs.find((one) => one.id === id);
    return this.#bars.get(`${id}/${symbol}/${interval ?? own?.intervals[0]}`) ?? [];
  };
}

/** The bars before the start that each strategy asked for, and what is missing of them. */
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
  return [...new Set(wanted.map(({ instrument, intervalMs }) => data.find(instrument.symbol, 'bar', [intervalMs])))];
}

/** @throws TidegateError DATA_NOT_FOUND where the bars that are recorded do not make the interval. */
export function recordedBars(data: RecordedData, wanted: WantedBars, until: number): Bar[] {
  if (!data.has(wanted.instrument.symbol, 'bar')) return [];
  return barsBefore(barHistory(data, wanted, until), until, wanted.count);
}

/**
 * When all that is wanted has been recorded once, in epoch ms.
 * @param to what is not over by then is not looked at, in epoch ms.
 * @throws TidegateError DATA_NOT_FOUND where there is less than is wanted.
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

function tooFew({ strategyId, instrument, intervalMs, count }: WantedBars, found: number, to: number): TidegateError {
  const wanted = `${count} bars of ${intervalText(intervalMs)} of ${instrument.symbol} before the start`;
  const until = to < Number.POSITIVE_INFINITY ? ' until backtest.to' : '';
  const there = `the recordings have ${found} whole ${found === 1 ? 'one' : 'ones'}${until}`;
  return new TidegateError('DATA_NOT_FOUND', `strategy "${strategyId}" needs ${wanted}; ${there} (record more, or say \`warmup: cold\`)`);
}

function barHistory(data: RecordedData, { instrument, intervalMs }: WantedBars, to: number): BarHistory {
  const series = data.find(instrument.symbol, 'bar', [intervalMs]);
  const { firstTime, lastTime, intervalMs: own = 0 } = series.meta;
  return { instrument, intervalMs, firstTime, endTime: lastTime + own, open: (from) => data.open(series, instrument, from, to) };
}

/** @throws TidegateError DATA_NOT_FOUND for the first thing missing, unless the config says that strategies may start cold. */
export function requireHistory(missing: readonly string[], warmup: 'require' | 'cold'): void {
  if (warmup === 'require' && missing[0] !== undefined)
    throw new TidegateError('DATA_NOT_FOUND', `${missing[0]} (start later, or say \`warmup: cold\`)`);
}
