import type { ExchangeClient } from '../../exchange/client/exchange-client.ts';
import { ExchangeError } from '../../exchange/errors.ts';
import type { PayloadOf } from '../../exchange/operations/operations.ts';
import { CANDLE_PERIODS, type CandlePeriod, MOST_CANDLES, wireSymbol } from '../../exchange/symbols.ts';
import { BarBuilder } from '../../model/bar-builder.ts';
import {
  type BarInterval,
  barIntervalText,
  barStart,
  type CalendarInterval,
  consistsOf,
  earlierBarStart,
} from '../../model/bar-interval.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Bar } from '../../model/market-events.ts';
import { intervalText, isoTime } from '../../model/time.ts';
import { FoundBars, OPEN_BARS, recordedBars, requireHistory, type WantedBars } from '../planning/planned-history.ts';
import type { FeedNeeds } from '../planning/planned-strategies.ts';
import type { RecordedData } from '../planning/recorded-data.ts';

interface WarmUpParts {
  readonly needs: readonly FeedNeeds[];
  readonly wanted: readonly WantedBars[];
  /** Undefined if no bars are wanted. */
  readonly data: RecordedData | undefined;
  /** Whether missing bars refuse the start. */
  readonly warmup: 'require' | 'cold';
  /** With `each`, a symbol with missing bars begins later. */
  readonly start: 'all' | 'each';
  /** The remedy for missing bars, as a message names it. */
  readonly remedy: string;
  /** The weeks and months that strategies need. Their bars that are open at the start are completed with candles. */
  readonly open?: readonly CalendarBars[];
}

/** The bars of one instrument and calendar interval. */
export interface CalendarBars {
  readonly instrument: Instrument;
  readonly interval: CalendarInterval;
}

/** The bars before a bot's start: recorded ones, completed with the exchange's candles. */
export class WarmUp {
  readonly #found: FoundBars;

  constructor(private readonly parts: WarmUpParts) {
    this.#found = new FoundBars(parts.needs);
  }

  /** The function that strategies call for their history when they are constructed. */
  get history(): FoundBars['read'] {
    return this.#found.read;
  }

  /** Reads recorded bars. @returns messages about missing bars. @throws TidegateError DATA_NOT_FOUND if they refuse the start. */
  fromRecordings(until: number): string[] {
    const { wanted, data } = this.parts;
    const missing = wanted.flatMap((one) => this.#found.set(one, recordedBars(data!, one, until), until));
    return this.#judged(missing);
  }

  /**
   * Reads recorded bars, and requests candles for missing ones. A recorded bar replaces a candle of the same time.
   * @param until epoch ms of the start.
   * @returns messages about missing bars and gaps.
   * @throws TidegateError DATA_NOT_FOUND if they refuse the start; ExchangeError if a request fails.
   */
  async fromCandles(client: CandleClient, until: number): Promise<string[]> {
    const { wanted, data } = this.parts;
    const missing: string[] = [];
    const gaps: string[] = [];
    for (const one of wanted) {
      const recorded = hasBars(data!, one) ? recordedBars(data!, one, until) : [];
      if (absent(recorded, one, until).length === 0) {
        this.#found.set(one, recorded, until);
        continue;
      }
      const { bars, lookedIn } = await candleBars(client, one, until);
      const byTime = new Map([...bars, ...recorded].map((bar) => [bar.time, bar]));
      const found = [...byTime.values()].sort((a, b) => a.time - b.time).slice(-one.count);
      const where = ` (the recordings have ${recorded.length}; also searched: ${lookedIn})`;
      missing.push(...this.#found.set(one, found, until, where));
      const [first, ...more] = absent(found, one, until).filter((time) => time > (found[0]?.time ?? until));
      if (first === undefined) continue;
      const { strategyId, instrument, interval } = one;
      gaps.push(
        `strategy "${strategyId}": ${more.length + 1} bars of ${barIntervalText(interval)} of ${instrument.symbol} before the start are missing; the first of them closes at ${isoTime(first)}`,
      );
    }
    return [...this.#judged(missing), ...gaps, ...(await this.#beginnings(client, until))];
  }

  /** Finds the prices of the bars that are open at the start. @returns messages about those whose beginning is not known. */
  async #beginnings(client: CandleClient, until: number): Promise<string[]> {
    const unknown: string[] = [];
    for (const { instrument, interval } of this.parts.open ?? []) {
      if (barStart(interval, until) === until) continue;
      const { bars, lookedIn } = await openBar(client, { instrument, interval }, until);
      this.#found.set({ strategyId: OPEN_BARS, instrument, interval, count: 1 }, bars, until);
      if (bars.length > 0) continue;
      const what = `the bar of ${interval} of ${instrument.symbol} that is open at the start`;
      unknown.push(`${what} is delivered only if the bot has seen its beginning: searched in vain: ${lookedIn}`);
    }
    return unknown;
  }

  /** Messages about missing bars. @throws TidegateError DATA_NOT_FOUND if they refuse the start. */
  #judged(missing: readonly string[]): string[] {
    const { wanted, warmup, start, remedy } = this.parts;
    if (start === 'all' || missing.length >= wanted.length) requireHistory(missing, warmup, remedy);
    return start === 'all' || warmup === 'cold' ? [...missing] : missing.map((text) => `${text}: the symbol begins when they are complete`);
  }
}

function hasBars(data: RecordedData, { instrument, interval }: WantedBars): boolean {
  return data.has(instrument.symbol, 'bar', interval);
}

/** The close times of the missing bars, oldest first. */
function absent(bars: readonly Bar[], { interval, count }: WantedBars, until: number): number[] {
  const times = new Set(bars.map(({ time }) => time));
  const ends = Array.from({ length: count }, (_, index) => earlierBarStart(interval, until, count - 1 - index));
  return ends.filter((time) => !times.has(time));
}

type CandleClient = Pick<ExchangeClient, 'candles' | 'futuresCandles' | 'serverTime'>;

interface CandleBars {
  /** Oldest first. */
  readonly bars: readonly Bar[];
  /** Which candles were searched, and with which result, as text. */
  readonly lookedIn: string;
}

/**
 * Builds bars from the exchange's closed candles of the longest suitable period. The exchange has only the newest thousand candles. A
 * refusal is returned as text and not thrown, because the recordings may be enough.
 * @throws ExchangeError if the request fails.
 */
export async function candleBars(client: CandleClient, wanted: WantedBars, until: number): Promise<CandleBars> {
  const { instrument, interval, count } = wanted;
  // Read before the request: a candle that closes meanwhile may be incomplete in the reply.
  const closed = Math.min(until, client.serverTime());
  const { candles, periodMs, lookedIn } = await requested(client, instrument, interval, earlierBarStart(interval, until, count), until);
  return { bars: barsOf(candles, instrument, periodMs, interval, closed).slice(-count), lookedIn };
}

/** The bar that is open at `until` with its prices so far, the candle that is open included; none if its first candle is missing. */
async function openBar(client: CandleClient, { instrument, interval }: CalendarBars, until: number): Promise<CandleBars> {
  const start = barStart(interval, until);
  const { candles, lookedIn } = await requested(client, instrument, interval, start, until);
  const own = candles.filter(({ time }) => time >= start && time <= until);
  if (own[0]?.time !== start) return { bars: [], lookedIn };
  const builder = new BarBuilder(instrument, interval);
  // Bars of a bot are built from tickers, which have no volume.
  for (const { time, open, high, low, close } of own) builder.addRange(time, open, high, low, close, 0, 0);
  return { bars: [builder.closeBar()], lookedIn };
}

/** A candle in ticks. */
interface Candle {
  /** Epoch ms of its open. */
  readonly time: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

interface Candles {
  /** Oldest first. */
  readonly candles: readonly Candle[];
  readonly periodMs: number;
  readonly lookedIn: string;
}

/**
 * Requests the longest candles from which bars of an interval can be built. If none of these begins where it must (the days of some
 * exchanges do not begin at midnight UTC), requests the next shorter ones.
 * @throws ExchangeError if a request fails.
 */
async function requested(
  client: CandleClient,
  instrument: Instrument,
  interval: BarInterval,
  from: number,
  until: number,
): Promise<Candles> {
  const periods = CANDLE_PERIODS.filter(({ ms }) => consistsOf(interval, ms, 0)).toReversed();
  let found: Candles = {
    candles: [],
    periodMs: 0,
    lookedIn: `the exchange has no candles from which ${barIntervalText(interval)} can be built`,
  };
  for (const period of periods) {
    const { ms: periodMs } = period;
    // The reply also has the candle that has not closed.
    const limit = Math.min(MOST_CANDLES, Math.ceil((until - from) / periodMs) + 1);
    const lookedIn = `the exchange's newest ${limit} candles of ${intervalText(periodMs)}`;
    try {
      const rows = await candleRows(client, instrument, period, limit);
      found = { candles: candlesOf(rows, instrument, periodMs), periodMs, lookedIn };
      if (rows.length === 0 || rows.some(([time]) => time % periodMs === 0)) return found;
    } catch (error) {
      if (!(error instanceof ExchangeError) || error.retryable) throw error;
      return { candles: [], periodMs, lookedIn: `${lookedIn}, but it refused (${error.message})` };
    }
  }
  return found;
}

function candleRows(
  client: CandleClient,
  { symbol, kind }: Instrument,
  { spot, futures }: CandlePeriod,
  limit: number,
): Promise<PayloadOf<'candles'>> {
  return kind === 'spot'
    ? client.candles({ symbol: wireSymbol(symbol), period: spot, limit })
    : client.futuresCandles({ symbol: wireSymbol(symbol), granularity: futures, limit });
}

/**
 * The candles of rows in any order. Leaves out those that do not start at multiples of their period, and those with invalid prices.
 */
function candlesOf(rows: PayloadOf<'candles'>, { tick }: Instrument, periodMs: number): Candle[] {
  const byTime = new Map(rows.map((row) => [row[0], row]));
  return [...byTime.values()]
    .sort(([a], [b]) => a - b)
    .map(([time, ...texts]): Candle => {
      const [open, high, low, close] = texts.slice(0, 4).map((text) => tick.snap(text, 'down') ?? 0) as [number, number, number, number];
      return { time, open, high, low, close, volume: Number(texts[4]) };
    })
    .filter(({ time, open, high, low, close }) => {
      return time % periodMs === 0 && low > 0 && low <= Math.min(open, close) && high >= Math.max(open, close);
    });
}

/** Builds bars from closed candles. The first bar may be incomplete: it is left out if its first candle is missing. */
function barsOf(candles: readonly Candle[], instrument: Instrument, periodMs: number, interval: BarInterval, closed: number): Bar[] {
  const builder = new BarBuilder(instrument, interval);
  const bars: Bar[] = [];
  let isWhole = false;
  for (const { time, open, high, low, close, volume } of candles) {
    if (time + periodMs > closed) continue;
    if (time >= builder.endTime) bars.push(builder.closeBar());
    isWhole ||= barStart(interval, time) === time;
    if (isWhole) builder.addRange(time, open, high, low, close, volume, 0);
  }
  if (builder.endTime <= closed) bars.push(builder.closeBar());
  return bars;
}
