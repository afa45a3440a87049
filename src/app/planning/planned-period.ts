import { TidegateError } from '../../model/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { MarketEventKind } from '../../model/market-events.ts';
import { isoTime } from '../../model/time.ts';
import type { Config } from '../config/schema/schema.ts';
import { historyComplete, type WantedBars } from './planned-history.ts';
import { kindText, type RecordedData, type RecordedSeries } from './recorded-data.ts';

const DAY_MS = 86_400_000;

/** A recorded series that the run uses. */
export interface Fed {
  readonly instrument: Instrument;
  readonly kind: MarketEventKind;
  readonly series: RecordedSeries;
}

/** The start of a run and the time of its last price, both in epoch ms. Prices of references alone begin or extend no run. */
export interface Period {
  readonly from: number;
  readonly lastPrice: number;
  /** The time of its first price. */
  readonly firstPrice: number;
  /** Set if the history of one symbol is complete long after that of the others, so that the run begins later. */
  readonly cut?: StartCut | undefined;
}

/** A symbol that makes a run begin later. */
interface StartCut {
  readonly symbol: string;
  /** Epoch ms at which its history is complete, and at which those of all other symbols are. */
  readonly at: number;
  readonly others: number;
}

/**
 * The period of a run. Without `from`, it begins when every strategy's history is complete. If history is needed and `from` is inside a
 * recorded bar, the run begins at the end of that bar: otherwise the bar would be neither in the history nor in the run. A reference
 * counts only where its own history is needed.
 * @param wanted the bars that strategies need from before the start.
 * @throws TidegateError DATA_NOT_FOUND if a series has no prices in the period.
 */
export function plannedPeriod(
  { backtest, strategies }: Config,
  wanted: readonly WantedBars[],
  data: RecordedData,
  fed: readonly Fed[],
): Period {
  const tradable = fed.filter(({ instrument }) => !instrument.isReference);
  const starts = backtest.from === undefined ? symbolStarts(backtest, wanted, data, fed) : undefined;
  const begins = backtest.from ?? earliest(backtest, starts, tradable, new Set(strategies.flatMap(({ symbols }) => symbols)));
  const from = fed
    .filter(({ instrument, kind }) => kind === 'bar' && wanted.some((one) => one.instrument === instrument))
    .reduce(atOpen, begins);
  const lacking =
    (backtest.start === 'each' ? undefined : fed.find(({ series }) => !overlaps(series, from, backtest.to))) ??
    (fed.some((one) => feeds(one, from, backtest.to)) ? undefined : fed[0]);
  if (lacking !== undefined) throw nothingOf(lacking, from, backtest);
  const lastPrice = Math.max(...tradable.map(({ series: { meta } }) => meta.lastTime + (meta.intervalMs ?? 0)));
  const firstPrice = Math.max(from, Math.min(...tradable.map(({ series }) => series.meta.firstTime)));
  return { from, firstPrice, lastPrice, cut: backtest.start === 'all' ? startCut(starts) : undefined };
}

/** Epoch ms by symbol. */
type SymbolStarts = ReadonlyMap<string, number>;

/**
 * The times at which the symbols could begin: their prices have begun and their history is complete; undefined if no history is needed.
 * With `start: each`, a symbol whose history is never complete begins at infinity.
 * @throws TidegateError DATA_NOT_FOUND
 */
function symbolStarts(
  { warmup, to, start }: Config['backtest'],
  wanted: readonly WantedBars[],
  data: RecordedData,
  fed: readonly Fed[],
): SymbolStarts | undefined {
  if (warmup === 'cold' || wanted.length === 0) return undefined;
  const needed = ({ instrument }: Fed) => !instrument.isReference || wanted.some((one) => one.instrument === instrument);
  const symbols = [...new Set([...fed.filter(needed), ...wanted].map(({ instrument }) => instrument.symbol))];
  const starts = new Map<string, number>();
  let failure: unknown;
  for (const symbol of symbols) {
    const own = wanted.filter(({ instrument }) => instrument.symbol === symbol);
    const firsts = fed.filter(({ instrument }) => instrument.symbol === symbol).map(({ series }) => series.meta.firstTime);
    try {
      starts.set(symbol, Math.max(...firsts, historyComplete(own, data, to ?? Number.POSITIVE_INFINITY)));
    } catch (error) {
      if (start === 'all') throw error;
      failure = error;
      starts.set(symbol, Number.POSITIVE_INFINITY);
    }
  }
  if (wanted.every(({ instrument }) => starts.get(instrument.symbol) === Number.POSITIVE_INFINITY)) throw failure;
  return starts;
}

/** The one symbol that makes the run begin more than a day later than all others could. */
function startCut(starts: SymbolStarts | undefined): StartCut | undefined {
  const [last, before] = [...(starts ?? [])].sort(([, a], [, b]) => b - a);
  if (last === undefined || before === undefined || last[1] <= before[1] + DAY_MS) return undefined;
  return { symbol: last[0], at: last[1], others: before[1] };
}

/** The start of a run without `from`: the first price, or the time at which the symbols can begin: all of them, or the first. */
function earliest(
  { start }: Config['backtest'],
  starts: SymbolStarts | undefined,
  fed: readonly Fed[],
  traded: ReadonlySet<string>,
): number {
  if (starts === undefined) return Math.min(...fed.map(({ series }) => series.meta.firstTime));
  const times = [...starts].filter(([symbol]) => start === 'all' || traded.has(symbol)).map(([, time]) => time);
  return start === 'each' ? Math.min(...times) : Math.max(...times);
}

/** The first open of a recorded bar at or after `time`. */
function atOpen(time: number, { series: { meta } }: Fed): number {
  const { firstTime, intervalMs = 0 } = meta;
  if (intervalMs === 0 || firstTime >= time) return time;
  return firstTime + Math.ceil((time - firstTime) / intervalMs) * intervalMs;
}

/** Whether a series has a price in [from, to), or a bar that opens and closes in it. */
function feeds({ series: { meta } }: Fed, from: number, to = Number.POSITIVE_INFINITY): boolean {
  return Math.max(from, meta.firstTime) + (meta.intervalMs ?? 0) <= to;
}

function nothingOf({ instrument, kind, series }: Fed, from: number, { from: asked, to }: Config['backtest']): TidegateError {
  const bounds = [
    asked === undefined ? `${isoTime(from)} (the first time with enough history for the strategies)` : 'backtest.from',
    to === undefined ? 'the end of the recording' : 'backtest.to',
  ];
  const between = asked === undefined && from <= series.meta.firstTime ? 'before backtest.to' : `between ${bounds.join(' and ')}`;
  return new TidegateError(
    'DATA_NOT_FOUND',
    `no ${kindText(kind)} of ${instrument.symbol} ${between}: the recording has ${rangeText(series)}`,
  );
}

/** Warnings about the period of the prices, and about synthetic data. */
export function priceWarnings({ backtest }: Config, fed: readonly Fed[], { lastPrice, cut }: Period): string[] {
  const first = Math.max(...fed.map(({ series }) => series.meta.firstTime));
  const last = Math.min(...fed.map(({ series }) => series.meta.lastTime));
  const warnings: string[] = [];
  if (cut !== undefined) {
    const { symbol, at, others } = cut;
    warnings.push(
      `${symbol}: its history is complete at ${isoTime(at)}, that of all other symbols at ${isoTime(others)}: the run begins that much later (backtest.start: each lets each symbol begin on its own)`,
    );
  }
  if (backtest.from !== undefined && backtest.from < first) warnings.push(`the data begins at ${isoTime(first)}, after backtest.from`);
  if (backtest.to !== undefined && Number.isFinite(last) && backtest.to > last + DAY_MS)
    warnings.push(`the data ends at ${isoTime(last)}, before backtest.to`);
  const end = Math.min(lastPrice, backtest.to ?? lastPrice);
  for (const { kind, series } of fed) {
    const { symbol, synthetic, lastTime, intervalMs = 0 } = series.meta;
    const known = lastTime + intervalMs;
    if (known < end - DAY_MS) warnings.push(`${symbol}: its ${kind}s end at ${isoTime(known)}, more than a day before the end of the run`);
    if (synthetic !== undefined)
      warnings.push(`${symbol}: recording "${series.recording}" is synthetic: its results say nothing of a market`);
  }
  return warnings;
}

/** Whether a series has anything in [from, to). */
export function overlaps({ meta }: Fed['series'], from: number, to = Number.POSITIVE_INFINITY): boolean {
  return meta.lastTime >= from && meta.firstTime < to;
}

/** The first and the last time of a series, as text. */
export function rangeText({ meta }: Fed['series']): string {
  return `${isoTime(meta.firstTime)} to ${isoTime(meta.lastTime)}`;
}
