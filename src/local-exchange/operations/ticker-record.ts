import type { PayloadOf } from '../../exchange/operations/operations.ts';
import { wireSymbol } from '../../exchange/symbols.ts';
import type { MarketView } from '../market/market-view.ts';
import { wireTime } from './page.ts';

/** Places of a ratio. */
const RATIO_PLACES = 6;

/** A pair's ticker over the last 24 hours; `undefined` before its first price. */
export function tickerRecord(view: MarketView, now: number): PayloadOf<'ticker'> | undefined {
  const day = view.day.summary(now);
  if (day === undefined) return undefined;
  const { instrument } = view;
  const { tick, step } = instrument;
  const price = (ticks: number) => tick.toText(ticks);
  return {
    symbol: wireSymbol(instrument.symbol),
    priceChange: price(day.close - day.open),
    priceChangePercent: tick
      .toDecimal(day.close - day.open)
      .div(tick.toDecimal(day.open))
      .toDecimalPlaces(RATIO_PLACES)
      .toFixed(),
    trades: day.trades,
    size: step.toText(day.steps),
    value: day.value.toFixed(),
    high: price(day.high),
    low: price(day.low),
    open: price(day.open),
    close: price(day.close),
    highTime: wireTime(day.highTime),
    lowTime: wireTime(day.lowTime),
    startTime: wireTime(day.startTime),
    endTime: wireTime(day.endTime),
    lastPrice: price(view.lastTicks),
    // Of derivatives; spot pairs have none.
    openInterest: '0',
    ts: wireTime(now),
  };
}
