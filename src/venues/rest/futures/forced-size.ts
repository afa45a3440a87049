import type { Decimal } from '../../../model/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { wholeValue } from './whole-price.ts';

/** How far prices of one moment may lie apart, as a share. */
const NEAR = 0.1;

/**
 * How many steps of a close were forced, where so much of its value was: the size nearest to its average price that makes it a
 * whole one, as a liquidation closes at one price.
 * @param close all of it. @param forced in quote.
 */
export function forcedSize(
  { steps, value }: { readonly steps: number; readonly value: Decimal },
  forced: Decimal,
  instrument: Instrument,
): number | undefined {
  if (forced.isZero()) return undefined;
  const likely = forced.div(value).times(steps).round().toNumber();
  for (let away = 0; away <= likely * NEAR; away++) {
    for (const size of [likely - away, likely + away]) {
      if (size > 0 && size < steps && wholeValue(forced, size, instrument) !== undefined) return size;
    }
  }
  return undefined;
}
