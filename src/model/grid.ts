import { Decimal, isDecimalText } from './decimal.ts';
import { TidegateError } from './errors.ts';

/** The direction in which a value between two grid points is rounded. */
type SnapDirection = 'down' | 'up';

/** Decimal text up to this length is handled as a double: 15 digits survive the conversion both ways. */
const PLAIN_DIGITS = 12;

/** How near (as a share of one unit) a value must be to a grid point to count as being on it. */
const SNAP_TOLERANCE = 1e-3;

/** The share of a double that its last digits may be wrong by, after a few sums. */
const LAST_DIGITS = 16 * Number.EPSILON;

/**
 * An evenly spaced grid of decimals: an instrument's price ticks or quantity steps.
 *
 * Units are safe integers. A plain number is computed as `units * numerator / 10^decimals`, never as
 * `units * 0.1`: the product of an integer and a rounded tick is wrong in the last bit for about 40 %
 * of prices, the quotient of two exact integers is always the nearest double.
 */
export class Grid {
  /** The distance between two points, as the config wrote it, e.g. `0.01`. */
  readonly text: string;
  readonly numerator: number;
  readonly decimals: number;
  readonly scale: number;
  /** The unit as a decimal: multiplying by it is exact and three times as fast as dividing by the scale. */
  readonly #unit: Decimal;

  /** @throws TidegateError CONFIG_INVALID unless `text` is a positive decimal of at most 15 places. */
  constructor(text: string) {
    const value = isDecimalText(text) ? new Decimal(text) : new Decimal(0);
    const decimals = value.decimalPlaces();
    const numerator = value.times(new Decimal(10).pow(decimals)).toNumber();
    if (!(numerator > 0) || decimals > 15 || !Number.isSafeInteger(numerator)) {
      throw new TidegateError('CONFIG_INVALID', `a tick or step must be a positive decimal of at most 15 places, not "${text}"`);
    }
    this.text = value.toFixed();
    this.numerator = numerator;
    this.decimals = decimals;
    this.scale = 10 ** decimals;
    this.#unit = value;
  }

  /** The smallest number of units of this grid that is a multiple of another grid's unit, decimal text. 1 if that is not above 0. */
  unitsIn(unit: string): number {
    const scale = new Decimal(10).pow(Math.max(this.decimals, new Decimal(unit).decimalPlaces()));
    const [own, theirs] = [this.#unit, unit].map((value) => BigInt(scale.times(value).toFixed(0))) as [bigint, bigint];
    return theirs <= 0n ? 1 : Number(theirs / commonDivisor(own, theirs));
  }

  /** The nearest double to `units` grid units. */
  toNumber(units: number): number {
    return (units * this.numerator) / this.scale;
  }

  /** The exact decimal value of `units` grid units; `units` may be fractional (a mid price). */
  toDecimal(units: number): Decimal {
    return this.#unit.times(units);
  }

  /** Exact decimal text of `units` grid units, without trailing zeros. */
  toText(units: number): string {
    const scaled = units * this.numerator;
    return Number.isSafeInteger(scaled) ? pointText(scaled, this.decimals) : this.toDecimal(units).toFixed();
  }

  /**
   * The grid units of a price or quantity: the nearest point when within a thousandth of a unit, else
   * the next one in `direction`. `undefined` when the text is no number or the result no safe integer.
   */
  snap(value: number | string, direction: SnapDirection): number | undefined {
    if (typeof value === 'string') return this.#snapText(value, direction);
    return this.#snapNumber(value, direction);
  }

  /**
   * The whole units of a quantity, rounded down: never more than it is. A double whose last digits are noise, such as 0.1 + 0.2 or
   * 0.3 - 0.1, counts as the point that it means. `undefined` when the text is no number or the result no safe integer.
   */
  floor(value: number | string): number | undefined {
    if (typeof value === 'string') {
      if (!isDecimalText(value)) return undefined;
      if (value.length > PLAIN_DIGITS) return this.#floorText(value);
    }
    const number = Number(value);
    if (!Number.isFinite(number)) return undefined;
    const nearest = Math.round((number * this.scale) / this.numerator);
    const noise = Math.abs(number) * LAST_DIGITS;
    const units = this.toNumber(nearest) - number > noise ? nearest - 1 : nearest;
    return Number.isSafeInteger(units) ? units + 0 : undefined;
  }

  /** The grid units of an exact decimal, rounded down (no tolerance). */
  floorUnits(value: Decimal): number {
    const scaled = value.times(this.scale);
    return (this.numerator === 1 ? scaled : scaled.div(this.numerator)).floor().toNumber();
  }

  #floorText(text: string): number | undefined {
    const units = new Decimal(text).times(this.scale).div(this.numerator);
    const nearest = units.round();
    const isNoise = nearest.minus(units).lessThanOrEqualTo(units.abs().times(LAST_DIGITS));
    const floored = (isNoise ? nearest : units.floor()).toNumber();
    return Number.isSafeInteger(floored) ? floored + 0 : undefined;
  }

  #snapNumber(value: number, direction: SnapDirection): number | undefined {
    if (!Number.isFinite(value)) return undefined;
    const units = (value * this.scale) / this.numerator;
    const nearest = Math.round(units);
    // Above about 10^12 units a double is coarser than the tolerance: values that the grid itself produced are accepted.
    if (this.toNumber(nearest) === value && Number.isSafeInteger(nearest)) return nearest + 0;
    return settle(units, direction);
  }

  #snapText(text: string, direction: SnapDirection): number | undefined {
    if (!isDecimalText(text)) return undefined;
    // With this few digits the double is equal, far within the tolerance.
    if (text.length <= PLAIN_DIGITS) return this.#snapNumber(Number(text), direction);
    const units = new Decimal(text).times(this.scale).div(this.numerator);
    const nearest = units.round();
    const near = units.minus(nearest).abs().lessThanOrEqualTo(SNAP_TOLERANCE);
    const snapped = (near ? nearest : direction === 'down' ? units.floor() : units.ceil()).toNumber();
    return Number.isSafeInteger(snapped) ? snapped + 0 : undefined;
  }
}

function settle(units: number, direction: SnapDirection): number | undefined {
  const nearest = Math.round(units);
  const snapped = Math.abs(units - nearest) <= SNAP_TOLERANCE ? nearest : direction === 'down' ? Math.floor(units) : Math.ceil(units);
  return Number.isSafeInteger(snapped) ? snapped + 0 : undefined;
}

/** Text of `integer / 10^decimals`, without trailing zeros. */
function pointText(integer: number, decimals: number): string {
  if (decimals === 0) return String(integer);
  const digits = String(Math.abs(integer)).padStart(decimals + 1, '0');
  const at = digits.length - decimals;
  let end = digits.length;
  while (end > at && digits.charCodeAt(end - 1) === 48) end--;
  const fraction = end === at ? '' : `.${digits.slice(at, end)}`;
  return `${integer < 0 ? '-' : ''}${digits.slice(0, at)}${fraction}`;
}

function commonDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : commonDivisor(b, a % b);
}
