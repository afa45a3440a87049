import { Decimal as Base } from 'decimal.js';

/**
 * Exact decimal money: 64 significant digits, printed by `toFixed`, which gives no exponent.
 * decimal.js's default of 20 digits rounds fees silently. A clone, so that no other user of
 * decimal.js in the process can change the precision under the ledger.
 */
export const Decimal = Base.clone({ precision: 64, rounding: Base.ROUND_HALF_EVEN });
export type Decimal = Base;

export const ZERO: Decimal = new Decimal(0);

const PLAIN = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** True for text that names a finite decimal number (`1`, `-0.5`, `1e-8`); false for `0x1`, `NaN`, ``. */
export function isDecimalText(text: string): boolean {
  return PLAIN.test(text);
}

/** Digits of a word: decimal.js keeps a number as words of so many, `e` the power of ten of its first digit. */
const WORD_DIGITS = 7;
/** More words than this hold more digits than a double. */
const MOST_WORDS = 3;
/** The powers of ten that are exact as doubles. */
const POWERS: readonly number[] = Array.from({ length: 23 }, (_, power) => Number(`1e${power}`));

/**
 * The nearest double, as `toNumber` gives it, and of amounts of some fifteen digits without writing them out: a whole number times or
 * over a power of ten, both of them exact, is rounded once.
 */
export function toDouble(value: Decimal): number {
  const { d: words, e, s } = value;
  if (words === null || words.length > MOST_WORDS) return value.toNumber();
  const after = words.length - 1;
  let tail = words[after]!;
  let zeros = 0;
  for (; tail > 0 && tail % 10 === 0; zeros++) tail /= 10;
  let whole = 0;
  for (let at = 0; at < after; at++) whole = whole * 1e7 + words[at]!;
  whole = whole * POWERS[WORD_DIGITS - zeros]! + tail;
  const power = e - exponentOf(words[0]!) - WORD_DIGITS * after + zeros;
  if (whole > Number.MAX_SAFE_INTEGER || Math.abs(power) >= POWERS.length) return value.toNumber();
  return s * (power < 0 ? whole / POWERS[-power]! : whole * POWERS[power]!);
}

/** The power of ten of a whole number's first digit. */
function exponentOf(whole: number): number {
  let exponent = 0;
  for (let left = whole; left >= 10; left /= 10) exponent++;
  return exponent;
}
