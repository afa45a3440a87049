import { CANDLE_PERIODS, MOST_CANDLES } from '../../../exchange/candle-periods.ts';
import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import { ExchangeError } from '../../../exchange/errors/exchange-error.ts';
import type { PayloadOf } from '../../../exchange/operations/operations.ts';
import { wireSymbol } from '../../../exchange/symbols.ts';
import { BarBuilder } from '../../../model/bar-builder.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { intervalText } from '../../../model/interval.ts';
import type { Bar } from '../../../model/market-events.ts';
import type { WantedBars } from '../../backtest/planning/history-reader.ts';

export type CandleClient = Pick<ExchangeClient, 'candles' | 'futuresCandles' | 'serverTime'>;

export interface CandleBars {
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
