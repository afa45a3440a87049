import { Decimal, ZERO } from './decimal.ts';
import type { Instrument, MarginTier } from './instrument.ts';

/** Account settings of one contract (the API's mode and leverage settings). */
export interface MarginSettings {
  /** `shared`: all shared positions of a currency have one collateral. `isolated`: each has its own margin. */
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
 * The share `part / whole` of an amount, rounded to 18 places; all of it if `part` is `whole`. A caller that splits money
 * keeps `amount - share` as the rest, so that the total is exact.
 */
export function shareOf(amount: Decimal, part: number, whole: number): Decimal {
  if (part === whole) return amount;
  return amount.times(part).div(whole).toDecimalPlaces(MONEY_PLACES, Decimal.ROUND_HALF_EVEN);
}

/** Margin that a value needs at a leverage, rounded up to 18 places: never too little. */
export function initialMargin(value: Decimal, leverage: Decimal): Decimal {
  return value.div(leverage).toDecimalPlaces(MONEY_PLACES, Decimal.ROUND_UP);
}

/** One side of a contract as the margin computation uses it. */
export interface MarginPosition {
  readonly instrument: Instrument;
  readonly positionSide: 'long' | 'short';
  /** Never negative. */
  readonly steps: number;
  /** Quote paid (long) or received (short) for the open steps. */
  readonly openValue: Decimal;
}

/** The profit of a position at this mark price that has not been realised. */
export function unrealizedProfit({ instrument, positionSide, steps, openValue }: MarginPosition, markPrice: Decimal): Decimal {
  const value = instrument.step.toDecimal(steps).times(markPrice);
  return positionSide === 'long' ? value.minus(openValue) : openValue.minus(value);
}

/** Maintenance margin of a position at this mark price; zero if the instrument has no tiers. */
export function maintenanceMargin({ instrument, steps }: MarginPosition, markPrice: Decimal): Decimal {
  const value = instrument.step.toDecimal(steps).times(markPrice);
  return instrument.contract?.tiers.maintenance(value) ?? new Decimal(0);
}

/** The part of collateral and these positions of one contract above their maintenance margins at this mark price. */
export function marginLeft(positions: readonly MarginPosition[], markPrice: Decimal, collateral: Decimal): Decimal {
  return positions.reduce(
    (left, position) => left.plus(unrealizedProfit(position, markPrice)).minus(maintenanceMargin(position, markPrice)),
    collateral,
  );
}

/** The mark price at which a position alone on a collateral is liquidated: `liquidationPriceAmong` of one. */
export function liquidationPrice(position: MarginPosition, collateral: Decimal): Decimal | undefined {
  return liquidationPriceAmong([position], position.positionSide, collateral);
}

/**
 * The mark price of a contract at which `collateral + unrealised profit` of these positions of it, long and short,
 * equals their maintenance margins; at it and beyond, they are liquidated.
 *
 * With C the collateral (for shared margin with the unrealised profit and less the maintenance margin of its
 * positions in other contracts), and for each position the quantity q, the open value V, and the rate r and deduction d of
 * the tier of its own value q p, the rest at price p is
 * `C + (long: q p - V; short: V - q p; of each) - (q p r - d; of each)`.
 * Between two prices at which a value crosses a border of its tiers this is a straight line `base + slope p`, zero at
 * `-base / slope`; alone, a long has `p = (V - C - d) / (q (1 - r))` and a short `p = (V + C + d) / (q (1 + r))`.
 * Rates rise, so the whole line bends downwards: it is zero at most once while it rises and once while it falls. A
 * fall of the price to the first liquidates longs, a rise to the second shorts.
 *
 * @returns `undefined` if no positive price liquidates that side.
 */
export function liquidationPriceAmong(
  positions: readonly MarginPosition[],
  positionSide: MarginPosition['positionSide'],
  collateral: Decimal,
): Decimal | undefined {
  const open = positions.filter(({ instrument, steps }) => steps > 0 && instrument.contract !== undefined);
  if (!open.some((position) => position.positionSide === positionSide)) return undefined;
  for (const { from, upTo, base, slope } of stretches(open, collateral)) {
    if (slope.isZero() || slope.isPositive() !== (positionSide === 'long')) continue;
    const price = base.negated().div(slope);
    if (price.lessThan(from) || (upTo !== undefined && price.greaterThan(upTo))) continue;
    return price.isZero() ? undefined : price;
  }
  return undefined;
}

/** Prices between which every position stays in its tier, and the rest there at price p: `base + slope p`. */
interface Stretch {
  readonly from: Decimal;
  /** Absent on the last. */
  readonly upTo: Decimal | undefined;
  readonly base: Decimal;
  readonly slope: Decimal;
}

/** The stretches of all prices, upwards from zero. */
function* stretches(positions: readonly MarginPosition[], collateral: Decimal): Generator<Stretch> {
  const reached = positions.map(() => 0);
  let from: Decimal | undefined = ZERO;
  while (from !== undefined) {
    const tiers = positions.map(({ instrument }, index) => instrument.contract!.tiers.tiers[reached[index]!]!);
    const ends = positions.map(({ instrument, steps }, index) => tiers[index]!.upTo?.div(instrument.step.toDecimal(steps)));
    const upTo = ends.reduce((least, end) => (least === undefined || end?.lessThan(least) ? end : least), undefined);
    yield { from, upTo, ...lineOf(positions, tiers, collateral) };
    ends.forEach((end, index) => {
      if (upTo !== undefined && end?.equals(upTo)) reached[index]!++;
    });
    from = upTo;
  }
}

function lineOf(positions: readonly MarginPosition[], tiers: readonly MarginTier[], collateral: Decimal): Pick<Stretch, 'base' | 'slope'> {
  let base = collateral;
  let slope: Decimal = ZERO;
  positions.forEach(({ instrument, positionSide, steps, openValue }, index) => {
    const { rate, deduction } = tiers[index]!;
    const quantity = instrument.step.toDecimal(steps);
    const long = positionSide === 'long';
    base = (long ? base.minus(openValue) : base.plus(openValue)).plus(deduction);
    slope = (long ? slope.plus(quantity) : slope.minus(quantity)).minus(quantity.times(rate));
  });
  return { base, slope };
}
