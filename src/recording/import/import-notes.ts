import { roundHalfEven } from '../columns/decimals.ts';

/** A decimal as whole digits and places. */
interface Decimal {
  readonly digits: bigint;
  readonly decimals: number;
}

/** A decimal with this many digits may be the text of a double, whose last digits are noise. */
const DIGITS_OF_A_DOUBLE = 16;
/** Noise is smaller than this part of a step. */
const PARTS = 1_000_000n;

/** The changes that an import makes to the rows it reads, for its last message. */
export class ImportNotes {
  /** Values that were rounded. */
  rounded = 0;
  /** The largest rounding difference. */
  largest = 0;
  /** Lines that are no rows but text: titles and comments. */
  remarks = 0;
  /** Times that their zone shows twice, at the end of daylight saving. */
  doubled = 0;
  /** Quotes that were left out, as they have no new price or only one side so far. */
  unpaired = 0;
  /** Files whose rows were newest first. */
  readonly newestFirst = new Set<string>();

  /** @param decimals decimal places to which all prices are rounded; where it is left out, only noise is removed. */
  constructor(readonly decimals?: number) {}

  /** Clears the counts: the files are read once more. */
  restart(): void {
    this.rounded = 0;
    this.largest = 0;
    this.remarks = 0;
    this.doubled = 0;
    this.unpaired = 0;
  }

  /** The value without the noise of a binary fraction: `0.0016200000000000001` is 0.00162. Prices have `decimals` places at most. */
  settle(value: Decimal, unit: 'price' | 'quantity'): Decimal {
    const places = unit === 'price' && this.decimals !== undefined ? this.decimals : cleanPlaces(value);
    if (places >= value.decimals) return value;
    const beyond = value.decimals - places;
    return { digits: roundHalfEven(value.digits, beyond), decimals: places };
  }

  /** Counts a value that was rounded. */
  count(written: Decimal, settled: Decimal): void {
    const moved = written.digits - settled.digits * 10n ** BigInt(written.decimals - settled.decimals);
    this.rounded++;
    this.largest = Math.max(this.largest, Math.abs(Number(moved)) / 10 ** written.decimals);
  }
}

/**
 * Decimal places of a decimal without noise: the fewest from which it differs by less than a millionth of a step. All places for a decimal
 * with fewer digits than a double's text.
 */
function cleanPlaces({ digits, decimals }: Decimal): number {
  const size = digits < 0n ? -digits : digits;
  if (size < 10n ** BigInt(DIGITS_OF_A_DOUBLE - 1)) return decimals;
  for (let places = 0; places < decimals; places++) {
    const unit = 10n ** BigInt(decimals - places);
    const rounded = roundHalfEven(size, decimals - places);
    const moved = rounded * unit - size;
    if (rounded > 0n && (moved < 0n ? -moved : moved) * PARTS < unit) return places;
  }
  return decimals;
}
