import { Decimal } from '../model/decimal.ts';
import type { Fill } from '../model/fill.ts';
import { MONEY_PLACES } from '../model/margin.ts';

/** An amount of quote in the run's currency: as it is without a rate, else rounded to 18 places (half to even). */
export function worthOf(amount: Decimal, rate: Decimal | undefined): Decimal {
  return rate === undefined ? amount : amount.times(rate).toDecimalPlaces(MONEY_PLACES, Decimal.ROUND_HALF_EVEN);
}

/** A fill's fee in the run's currency; one in base counts at the fill's price. */
export function feeWorth(fill: Fill, rate: Decimal | undefined): Decimal {
  const { instrument, fee, feeAsset, priceTicks } = fill;
  return worthOf(feeAsset === instrument.base ? fee.times(instrument.tick.toDecimal(priceTicks)) : fee, rate);
}
