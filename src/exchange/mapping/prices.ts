import { Decimal } from '../../model/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import { Mark, Ticker } from '../../model/market-events.ts';

/**
 * A mark price as a market event, in its own decimals; digits beyond what an exact integer can hold are cut off.
 * `undefined` where it is no price (not above 0).
 */
export function markEvent(instrument: Instrument, markPrice: string, time: number, sequence: number): Mark | undefined {
  const price = new Decimal(markPrice);
  if (!price.isFinite() || !price.greaterThan(0)) return undefined;
  for (let decimals = price.decimalPlaces(); decimals >= 0; decimals--) {
    const units = price.times(new Decimal(10).pow(decimals)).trunc().toNumber();
    if (Number.isSafeInteger(units)) return units > 0 ? new Mark(instrument, time, sequence, units, decimals) : undefined;
  }
  return undefined;
}

/** A last price of either host as a market event; `undefined` where it is no price of the instrument (not above 0, say). */
export function tickerEvent(instrument: Instrument, lastPrice: string, time: number, sequence: number): Ticker | undefined {
  const ticks = instrument.tick.snap(lastPrice, 'down');
  return ticks !== undefined && ticks > 0 ? new Ticker(instrument, time, sequence, ticks) : undefined;
}
