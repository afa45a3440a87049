import { Decimal } from './decimal.ts';
import type { Instrument } from './instrument.ts';
import type { MarginTiers } from './margin-tiers.ts';

/** Account settings of one contract (the API's mode and leverage settings). */
export interface MarginSettings {
  /** `shared`: all shared positions of a currency stand on one collateral. `isolated`: each on its own margin. */
  readonly mode: 'shared' | 'isolated';
  /** True: each opening order has a position of its own; false: one position a side. */
  readonly separated: boolean;
  readonly longLeverage: Decimal;
  readonly shortLeverage: Decimal;
  /** Isolated positions that lack margin take it from the shared collateral before they are liquidated. */
  readonly autoAppend: boolean;
}

/** Places after which shares of money are rounded (half to even), so that sums of money stay finite decimals. */
export const MONEY_PLACES = 18;

/**
 * The share `part / whole` of an amount, rounded to 18 places; all of it when part is whole. Whoever splits money
 * keeps `amount - share` as the rest, so that nothing is lost.
 */
export function shareOf(amount: Decimal, part: number, whole: number): Decimal {
  if (part === whole) return amount;
  return amount.times(part).div(whole).toDecimalPlaces(MONEY_PLACES, Decimal.ROUND_HALF_EVEN);
}

/** Margin that a value needs at a leverage, rounded up to 18 places: never too little. */
export function initialMargin(value: Decimal, leverage: Decimal): Decimal {
  return value.div(leverage).toDecimalPlaces(MONEY_PLACES, Decimal.ROUND_UP);
}

/** One side of a contract as the margin arithmetic sees it. */
export interface MarginPosition {
  readonly instrument: Instrument;
  readonly positionSide: 'long' | 'short';
  /** Never negative. */
  readonly steps: number;
  /** Quote paid (long) or received (short) for what is open. */
  readonly openValue: Decimal;
}

/** What a position has gained at this mark price and not realised. */
export function unrealizedProfit({ instrument, positionSide, steps, openValue }: MarginPosition, markPrice: Decimal): Decimal {
  const value = instrument.step.toDecimal(steps).times(markPrice);
  return positionSide === 'long' ? value.minus(openValue) : openValue.minus(value);
}

/** Maintenance margin of a position at this mark price; zero where the instrument has no tiers. */
export function maintenanceMargin({ instrument, steps }: MarginPosition, markPrice: Decimal): Decimal {
  const value = instrument.step.toDecimal(steps).times(markPrice);
  return instrument.contract?.tiers.maintenance(value) ?? new Decimal(0);
}

/**
 * The mark price at which `collateral + unrealised profit` equals the maintenance margin; at it and beyond, the
 * position is liquidated.
 *
 * With quantity q, open value V, collateral C (for shared margin: the shared collateral, plus the unrealised
 * profit and less the maintenance margin of all other positions on it), and the tier's rate r and deduction d:
 * long `C + q p - V = q p r - d`, so `p = (V - C - d) / (q (1 - r))`;
 * short `C + V - q p = q p r - d`, so `p = (V + C + d) / (q (1 + r))`;
 * the tier is the one in which q p lies.
 *
 * @returns `undefined` where no positive price does it.
 */
export function liquidationPrice(position: MarginPosition, collateral: Decimal): Decimal | undefined {
  const { instrument, positionSide, steps, openValue } = position;
  const tiers: MarginTiers | undefined = instrument.contract?.tiers;
  if (tiers === undefined || steps === 0) return undefined;
  const quantity = instrument.step.toDecimal(steps);
  for (const { from, upTo, rate, deduction } of tiers.tiers) {
    const price =
      positionSide === 'long'
        ? openValue
            .minus(collateral)
            .minus(deduction)
            .div(quantity.times(new Decimal(1).minus(rate)))
        : openValue
            .plus(collateral)
            .plus(deduction)
            .div(quantity.times(rate.plus(1)));
    const value = price.times(quantity);
    if (value.greaterThanOrEqualTo(from) && (upTo === undefined || value.lessThanOrEqualTo(upTo))) {
      return price.isPositive() && !price.isZero() ? price : undefined;
    }
  }
  return undefined;
}
