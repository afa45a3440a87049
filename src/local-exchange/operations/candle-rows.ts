import type { CandlePeriod } from '../../exchange/candle-periods.ts';
import type { PayloadOf } from '../../exchange/operations/operations.ts';
import type { MarketView } from '../market/market-view.ts';

/** The newest candles of an instrument as both hosts write them, newest first. */
export function candleRows({ candles, instrument }: MarketView, period: CandlePeriod, limit: number, now: number): PayloadOf<'candles'> {
  const { tick, step } = instrument;
  return candles
    .newest(period.ms, limit, now)
    .map(({ start, open, high, low, close, steps, value }) => [
      start,
      tick.toText(open),
      tick.toText(high),
      tick.toText(low),
      tick.toText(close),
      step.toText(steps),
      value.toFixed(),
    ]);
}
