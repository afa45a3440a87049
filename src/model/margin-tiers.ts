import { Decimal, ZERO } from './decimal.ts';
import { TidegateError } from './errors.ts';

/** One step of a contract's risk table; decimals as text. */
export interface MarginTierSpec {
  /** Value of the position (quote) up to which the tier goes; absent on the last. */
  readonly upTo?: string | undefined;
  /** Maintenance margin rate of the part of the value that lies in this tier. */
  readonly maintenance: string;
  /** Highest leverage with which the value may be opened into this tier; absent means any. */
  readonly maxLeverage?: string | undefined;
}

export interface MarginTier {
  /** Value at which the tier begins. */
  readonly from: Decimal;
  readonly upTo: Decimal | undefined;
  readonly rate: Decimal;
  /** What the lower tiers' lower rates save: `maintenance = value x rate - deduction`, continuous over the tiers. */
  readonly deduction: Decimal;
  readonly maxLeverage: Decimal | undefined;
}

/**
 * Maintenance margin by the value of a position. Each rate holds for the part of the value inside its tier, as
 * income tax does, so the margin has no jumps and every position one liquidation price. (Binance and Bybit
 * publish the same rule as rate and "maintenance amount".)
 */
export class MarginTiers {
  readonly tiers: readonly MarginTier[];

  /** @throws TidegateError CONFIG_INVALID unless the tiers rise in value and rate, the last alone being open. */
  constructor(specs: readonly MarginTierSpec[]) {
    const tiers: MarginTier[] = [];
    specs.forEach(({ upTo, maintenance, maxLeverage }, index) => {
      const below = tiers[index - 1];
      const from = below?.upTo ?? ZERO;
      const rate = new Decimal(maintenance);
      const end = upTo === undefined ? undefined : new Decimal(upTo);
      const last = index === specs.length - 1;
      const rising = (end === undefined || end.greaterThan(from)) && (below === undefined || rate.greaterThan(below.rate));
      if (!rising || last !== (end === undefined) || rate.isNegative() || rate.greaterThanOrEqualTo(1)) {
        throw new TidegateError(
          'CONFIG_INVALID',
          `maintenance tier ${index + 1}: upTo and rate rise from tier to tier, and only the last has no upTo`,
        );
      }
      const deduction = below === undefined ? ZERO : below.deduction.plus(from.times(rate.minus(below.rate)));
      tiers.push({ from, upTo: end, rate, deduction, maxLeverage: maxLeverage === undefined ? undefined : new Decimal(maxLeverage) });
    });
    if (tiers.length === 0) throw new TidegateError('CONFIG_INVALID', 'a contract has at least one maintenance tier');
    this.tiers = tiers;
  }

  /** The tier of a value; a value on a border belongs to the lower one. */
  of(value: Decimal): MarginTier {
    return this.tiers.find(({ upTo }) => upTo === undefined || value.lessThanOrEqualTo(upTo))!;
  }

  /** Maintenance margin of a position of this value, both in quote. */
  maintenance(value: Decimal): Decimal {
    const { rate, deduction } = this.of(value);
    return value.times(rate).minus(deduction);
  }
}
