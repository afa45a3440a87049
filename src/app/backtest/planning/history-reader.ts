import { TidegateError } from '../../../model/errors.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { intervalText } from '../../../model/interval.ts';
import type { Bar } from '../../../model/market-events.ts';
import { isoTime } from '../../../model/time-text.ts';
import type { BacktestPlan } from '../backtest-plan.ts';
import { type BarHistory, barsBefore, firstBars } from './bar-history.ts';
import type { FeedNeeds } from './data-use.ts';
import type { RecordedData, RecordedSeries } from './recorded-data.ts';

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
