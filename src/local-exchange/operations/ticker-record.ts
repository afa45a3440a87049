import type { PayloadOf } from '../../exchange/operations/operations.ts';
import { wireSymbol } from '../../exchange/symbols.ts';
import type { MarketView } from '../market/market-view.ts';
import { shownDay } from '../market/shown-day.ts';
import { wireTime } from './page.ts';

/** Places of a ratio. */
const RATIO_PLACES = 6;

/** A pair's ticker over the last 24 hours; `undefined` before its first price. */
export function tickerRecord(view: MarketView, now: number): PayloadOf<'ticker'> | undefined {
  const day = shownDay(view, now);
  if (day === undefined) return undefined;
  const { instrument } = view;
  const change = day.close.minus(day.open);
  return {
    symbol: wireSymbol(instrument.symbol),
    priceChange: change.toFixed(),
    priceChangePercent: change.div(day.open).toDecimalPlaces(RATIO_PLACES).toFixed(),
    trades: day.trades,
    size: day.size.toFixed(),
    value: day.value.toFixed(),
    high: day.high.toFixed(),
    low: day.low.toFixed(),
    open: day.open.toFixed(),
    close: day.close.toFixed(),
    highTime: wireTime(day.highTime),
    lowTime: wireTime(day.lowTime),
    startTime: wireTime(day.startTime),
    endTime: wireTime(day.endTime),
    lastPrice: instrument.tick.toText(view.lastTicks),
    // Of derivatives; spot pairs have none.
    openInterest: '0',
    ts: wireTime(now),
  };
}
