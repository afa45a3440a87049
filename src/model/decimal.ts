import { Decimal as Base } from 'decimal.js';
import { shortenArithmetic } from './decimal-arithmetic.ts';

/**
 * Exact decimal money: 64 significant digits, printed by `toFixed`, which gives no exponent.
 * decimal.js's default of 20 digits rounds fees silently. A clone, so that no other user of
 * decimal.js in the process can change the precision under the ledger.
 */
export const Decimal = Base.clone({ precision: 64, rounding: Base.ROUND_HALF_EVEN });
export type Decimal = Base;

/** The exact amount of a safe whole number times ten to a power. */
export const decimalOf: (whole: number, power: number) => Decimal = shortenArithmetic(Decimal);

export const ZERO: Decimal = new Decimal(0);

const PLAIN = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** True for text that names a finite decimal number (`1`, `-0.5`, `1e-8`); false for `0x1`, `NaN`, ``. */
export function isDecimalText(text: string): boolean {
  return PLAIN.test(text);
}

/** Digits of a word: decimal.js stores a number as words of this many digits, with `e` as the power of ten of its first digit. */
const WORD_DIGITS = 7;
/** More words than this have more digits than a double. */
const MOST_WORDS = 3;
/** The powers of ten that are exact as doubles. */
const POWERS: readonly number[] = Array.from({ length: 23 }, (_, power) => Number(`1e${power}`));

/**
 * The nearest double, for amounts of up to about fifteen digits without converting them to text as decimal.js does: a whole number
 * times or over a power of ten, both of them exact, is rounded once.
 */
export function toDouble(value: Decimal): number {
  const whole = wholeOf(value);
  if (!(Math.abs(power) < POWERS.length)) return Base.prototype.toNumber.call(value);
  return power < 0 ? whole / POWERS[-power]! : whole * POWERS[power]!;
}

Object.assign(Decimal.prototype, {
  toNumber(this: Decimal) {
    return toDouble(this);
  },
});

/** `value.div(by).toNumber()`, without a division of decimals where doubles are enough. */
export function ratioOf(value: Decimal, by: Decimal): number {
  const above = wholeOf(value);
  const ofAbove = power;
  const below = wholeOf(by);
  return quotientOf(above, ofAbove, below, power) ?? value.div(by).toNumber();
}

/**
 * The quotient of two whole numbers, each with its power of ten. Where both have some fifteen digits at one power of ten, the quotient of
 * two doubles is rounded once, and no such quotient is close enough to the middle of two doubles that 64 digits would round another way.
 * @returns undefined where doubles are not enough.
 */
export function quotientOf(above: number, ofAbove: number, below: number, ofBelow: number): number | undefined {
  const shift = ofAbove - ofBelow;
  if (!(Math.abs(shift) < POWERS.length) || below === 0) return undefined;
  const [one, other] = [shift > 0 ? above * POWERS[shift]! : above, shift > 0 ? below : below * POWERS[-shift]!];
  return Math.abs(one) <= Number.MAX_SAFE_INTEGER && Math.abs(other) <= Number.MAX_SAFE_INTEGER ? one / other : undefined;
}

let power = 0;

/** The power of ten that belongs to the last result of `wholeOf`; `NaN` if the amount has more digits than a double. */
export function powerOfWhole(): number {
  return power;
}

/** The amount as a whole number without trailing zeros of its own, times ten to `powerOfWhole()`. */
export function wholeOf({ d: words, e, s }: Decimal): number {
  power = Number.NaN;
  if (words === null || words.length > MOST_WORDS) return Number.NaN;
  const after = words.length - 1;
  let tail = words[after]!;
  let zeros = 0;
  for (; tail > 0 && tail % 10 === 0; zeros++) tail /= 10;
  let whole = 0;
  for (let at = 0; at < after; at++) whole = whole * 1e7 + words[at]!;
  whole = whole * POWERS[WORD_DIGITS - zeros]! + tail;
  if (whole <= Number.MAX_SAFE_INTEGER) power = e - exponentOf(words[0]!) - WORD_DIGITS * after + zeros;
  return s * whole;
}

/** The power of ten of a whole number's first digit. */
function exponentOf(whole: number): number {
  let exponent = 0;
  for (let left = whole; left >= 10; left /= 10) exponent++;
  return exponent;
}

/** Words that a sum holds, and the place of the word of units among them: some two hundred digits on each side. */
const SUM_WORDS = 64;
const UNITS = SUM_WORDS / 2;
const WORD = new Decimal(`1e${WORD_DIGITS}`);

/** An exact sum of very many amounts: it adds the words of each to its own, and carries once, at the end. */
export class ExactSum {
  /** Each is a whole number below 2^53 as long as fewer than 900 million amounts are added. */
  readonly #words = new Float64Array(SUM_WORDS);
  /** Amounts that are out of its range. */
  #rest: Decimal = ZERO;

  add(value: Decimal): void {
    const { d: words, e, s } = value;
    const first = UNITS + Math.floor(e / WORD_DIGITS);
    if (words === null || !(first < SUM_WORDS && first >= words.length)) {
      this.#rest = this.#rest.plus(value);
      return;
    }
    for (let at = 0; at < words.length; at++) this.#words[first - at]! += s * words[at]!;
  }

  get total(): Decimal {
    let sum = this.#rest;
    for (const [at, word] of this.#words.entries()) if (word !== 0) sum = sum.plus(WORD.pow(at - UNITS).times(word));
    return sum;
  }
}

/** The exact sum of an amount of each item. */
export function exactSum<Item>(items: Iterable<Item>, amountOf: (item: Item) => Decimal): Decimal {
  const sum = new ExactSum();
  for (const item of items) sum.add(amountOf(item));
  return sum.total;
}
