import { intervalText } from '../../../model/interval.ts';
import type { Bar } from '../../../model/market-events.ts';
import { isoTime } from '../../../model/time-text.ts';
import type { FeedNeeds } from '../../backtest/planning/data-use.ts';
import { FoundBars, recordedBars, requireHistory, type WantedBars } from '../../backtest/planning/history-reader.ts';
import type { RecordedData } from '../../backtest/planning/recorded-data.ts';
import { type CandleClient, candleBars } from './candle-bars.ts';

export interface WarmUpParts {
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
