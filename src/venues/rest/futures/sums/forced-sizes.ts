import type { Decimal } from '../../../../model/decimal.ts';
import type { Instrument } from '../../../../model/instrument.ts';
import { wholeValue } from './whole-price.ts';

/** How far prices of one moment may lie apart, as a share. */
const NEAR = 0.1;

/**
 * How many steps of a close may have been forced, where so much of its value was: the sizes that make it a whole price, as a
 * liquidation closes at one price; the nearest to the average price of all of it first.
 * @param close all of it. @param forced in quote.
 */
export function forcedSizes(
  { steps, value }: { readonly steps: number; readonly value: Decimal },
  forced: Decimal,
  instrument: Instrument,
): number[] {
  if (!forced.isPositive() || forced.isZero() || value.isZero()) return [];
  // A whole price of any size is a whole number of ticks of one step.
  const whole = wholeValue(forced, 1, instrument);
  if (whole === undefined) return [];
  const units = whole.div(instrument.notional(1, 1)).toNumber();
  const exact = forced.div(value).times(steps).toNumber();
  const likely = Math.round(exact);
  const isNear = (size: number) => Math.abs(exact / size - 1) < NEAR;
  const sizes: number[] = [];
  for (let away = 0; away <= likely * NEAR + 1; away++) {
    for (const size of away === 0 ? [likely] : [likely - away, likely + away]) {
      if (size > 0 && size < steps && isNear(size) && units % size === 0) sizes.push(size);
    }
  }
  return sizes;
}
