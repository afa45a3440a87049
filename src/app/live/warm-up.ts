import type { ExchangeClient } from '../../exchange/client/exchange-client.ts';
import { ExchangeError } from '../../exchange/errors.ts';
import type { PayloadOf } from '../../exchange/operations/operations.ts';
import { CANDLE_PERIODS, MOST_CANDLES, wireSymbol } from '../../exchange/symbols.ts';
import { BarBuilder } from '../../model/bar-builder.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Bar } from '../../model/market-events.ts';
import { intervalText, isoTime } from '../../model/time.ts';
import { FoundBars, recordedBars, requireHistory, type WantedBars } from '../planning/planned-history.ts';
import type { FeedNeeds } from '../planning/planned-strategies.ts';
import type { RecordedData } from '../planning/recorded-data.ts';

interface WarmUpParts {
  readonly needs: readonly FeedNeeds[];
  readonly wanted: readonly WantedBars[];
  /** Left out where nothing is wanted. */
  readonly data: RecordedData | undefined;
  /** Whether too little refuses the start. */
  readonly warmup: 'require' | 'cold';
}

/** The bars from before a bot's start: recorded ones, and where these lack any, the exchange's candles. */
export class WarmUp {
  readonly #found: FoundBars;

  constructor(private readonly parts: WarmUpParts) {
    this.#found = new FoundBars(parts.needs);
  }

  /** What strategies ask when they are constructed. */
  get history(): FoundBars['read'] {
    return this.#found.read;
  }

  /** @returns what is missing. @throws TidegateError DATA_NOT_FOUND where that refuses the start. */
  fromRecordings(until: number): string[] {
    const { wanted, data, warmup } = this.parts;
    const missing = wanted.flatMap((one) => this.#found.set(one, recordedBars(data!, one, until), until));
    requireHistory(missing, warmup);
    return missing;
  }

  /**
   * Recorded bars win over candles of the same time. @param until epoch ms of the start.
   * @returns what is missing, and where there are gaps.
   * @throws TidegateError DATA_NOT_FOUND where that refuses the start; ExchangeError where the exchange cannot be asked.
   */
  async fromCandles(client: CandleClient, until: number): Promise<string[]> {
    const { wanted, data, warmup } = this.parts;
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
      const where = ` (looked for in the recordings, which have ${recorded.length}, and in ${lookedIn})`;
      missing.push(...this.#found.set(one, found, until, where));
      const [first, ...more] = absent(found, one, until).filter((time) => time > (found[0]?.time ?? until));
      if (first === undefined) continue;
      const { strategyId, instrument, intervalMs } = one;
      gaps.push(
        `strategy "${strategyId}": ${more.length + 1} bars of ${intervalText(intervalMs)} of ${instrument.symbol} are missing among those before the start, the first of them closes at ${isoTime(first)}`,
      );
    }
    requireHistory(missing, warmup);
    return [...missing, ...gaps];
  }
}

function hasBars(data: RecordedData, { instrument, intervalMs }: WantedBars): boolean {
  return data.has(instrument.symbol, 'bar', intervalMs);
}

/** When the bars close that would have to be there, oldest first, and are not. */
function absent(bars: readonly Bar[], { intervalMs, count }: WantedBars, until: number): number[] {
  const times = new Set(bars.map(({ time }) => time));
  const last = Math.floor(until / intervalMs) * intervalMs;
  return Array.from({ length: count }, (_, index) => last - (count - 1 - index) * intervalMs).filter((time) => !times.has(time));
}

type CandleClient = Pick<ExchangeClient, 'candles' | 'futuresCandles' | 'serverTime'>;

interface CandleBars {
  /** Oldest first. */
  readonly bars: readonly Bar[];
  /** Where they were looked for, and what came of it, in words. */
  readonly lookedIn: string;
}

/**
 * Bars from the exchange's closed candles, of the longest period that makes them. It tells of the newest thousand alone: bars
 * before these cannot be had. What it refuses is told, not thrown, since recordings may do.
 * @throws ExchangeError where it cannot be asked.
 */
export async function candleBars(client: CandleClient, wanted: WantedBars, until: number): Promise<CandleBars> {
  const { instrument, intervalMs, count } = wanted;
  const period = CANDLE_PERIODS.findLast(({ ms }) => intervalMs % ms === 0);
  if (period === undefined) return { bars: [], lookedIn: `the exchange has no candles that make ${intervalText(intervalMs)}` };
  const from = Math.floor(until / intervalMs) * intervalMs - count * intervalMs;
  // The one under way is told, too.
  const limit = Math.min(MOST_CANDLES, Math.ceil((until - from) / period.ms) + 1);
  const symbol = wireSymbol(instrument.symbol);
  const lookedIn = `the newest ${limit} candles of ${intervalText(period.ms)} of the exchange`;
  // Taken before it is asked: what closes meanwhile may not be whole in its answer.
  const closed = Math.min(until, client.serverTime());
  try {
    const rows =
      instrument.contract === undefined
        ? await client.candles({ symbol, period: period.spot, limit })
        : await client.futuresCandles({ symbol, granularity: period.futures, limit });
    return { bars: barsOf(rows, instrument, period.ms, intervalMs, closed).slice(-count), lookedIn };
  } catch (error) {
    if (!(error instanceof ExchangeError) || error.retryable) throw error;
    return { bars: [], lookedIn: `${lookedIn}, which refused (${error.message})` };
  }
}

/** Rows may come in any order. The first bar may be cut, and is left out unless its first candle is there. */
function barsOf(rows: PayloadOf<'candles'>, instrument: Instrument, periodMs: number, intervalMs: number, closed: number): Bar[] {
  const builder = new BarBuilder(instrument, intervalMs);
  const bars: Bar[] = [];
  let isWhole = false;
  const byTime = new Map(rows.map((row) => [row[0], row]));
  for (const [time, ...texts] of [...byTime.values()].sort(([a], [b]) => a - b)) {
    const [open, high, low, close] = texts.slice(0, 4).map((text) => instrument.tick.snap(text, 'down') ?? 0) as [
      number,
      number,
      number,
      number,
    ];
    // Candles of a day that begins elsewhere than at midnight UTC, say, make no bars; nor does what is no price.
    const fits = time % periodMs === 0 && low > 0 && low <= Math.min(open, close) && high >= Math.max(open, close);
    if (!fits || time + periodMs > closed) continue;
    if (time >= builder.endTime) bars.push(builder.closeBar());
    isWhole ||= time % intervalMs === 0;
    if (!isWhole) continue;
    builder.addRange(time, open, high, low, close, Number(texts[4]), 0);
  }
  if (builder.endTime <= closed) bars.push(builder.closeBar());
  return bars;
}
