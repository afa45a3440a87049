import type { Decimal } from 'decimal.js';

/** decimal.js stores a number as words of seven digits, the first one first, with `e` as the power of ten of its first digit. */
const WORD_DIGITS = 7;
const WORD = 10 ** WORD_DIGITS;
const POWERS = Array.from({ length: WORD_DIGITS + 1 }, (_, power) => 10 ** power);
/** Results of so many words have fewer digits than the precision: nothing is rounded. */
const MOST_WORDS = 8;

/** The words of a result, the last one first, before it is a number of its own. Two more take the carry. */
const WORDS = new Int32Array(MOST_WORDS + 2);

type Value = Decimal.Value;
type Operation = 'plus' | 'minus' | 'times' | 'negated' | 'comparedTo';

/**
 * Gives a class of decimals short ways for sums, products, comparisons and texts of numbers with few words, which nearly all money has.
 * They give the same number, word for word, as decimal.js: it copies operands and rounds results, even where neither is needed.
 * Everything else, such as an infinite operand or a result of too many digits, is left to decimal.js.
 * @returns a function that makes the number of a safe whole number times ten to a power.
 */
export function shortenArithmetic(Class: Decimal.Constructor): (whole: number, power: number) => Decimal {
  const slow: Pick<Decimal, Operation> = Class.prototype;
  const own = Object.create(slow) as Decimal;
  /** Has the same fields in the same order as a number that decimal.js makes. */
  const Made = function (this: { constructor: unknown; s: number; e: number; d: readonly number[] }, s: number, e: number, d: number[]) {
    this.constructor = Class;
    this.s = s;
    this.e = e;
    this.d = d;
  } as unknown as new (
    s: number,
    e: number,
    d: readonly number[],
  ) => Decimal;
  Made.prototype = own;
  Object.defineProperty(Class, 'prototype', { value: own });

  /** The operand as a number of this class. */
  const operand = (value: Value): Decimal => {
    if (typeof value === 'object' && value.constructor === Class) return value;
    return typeof value === 'number' ? ofNumber(value) : new Class(value);
  };

  const ofNumber = (value: number): Decimal => (Number.isSafeInteger(value) && value !== 0 ? ofWhole(value, 0) : new Class(value));

  /** A safe whole number other than zero, times ten to a power: decimal.js would parse its text. */
  const ofWhole = (whole: number, power: number): Decimal => {
    const place = Math.floor(power / WORD_DIGITS);
    const digits = power - place * WORD_DIGITS;
    let left = Math.abs(whole);
    const unit = POWERS[WORD_DIGITS - digits]!;
    const above = Math.floor(left / unit);
    WORDS[0] = (left - above * unit) * POWERS[digits]!;
    left = above;
    let count = 1;
    while (left > 0) {
      const rest = Math.floor(left / WORD);
      WORDS[count++] = left - rest * WORD;
      left = rest;
    }
    return made(whole < 0 ? -1 : 1, count, place + count - 1);
  };

  /** The number of the first `count` of `WORDS`. @param place of the last of them: a number below `WORD` has its word at 0. */
  const made = (sign: number, count: number, place: number): Decimal => {
    let last = count - 1;
    while (WORDS[last] === 0) last--;
    if (last < 0) return new Made(1, 0, [0]);
    let first = 0;
    while (WORDS[first] === 0) first++;
    const head = WORDS[last]!;
    return new Made(sign, (place - (count - 1 - last)) * WORD_DIGITS + exponentOf(head), taken(first, last));
  };

  /** x + sign times y; `undefined` if decimal.js has to compute it. */
  const sum = (x: Decimal, y: Decimal, sign: number): Decimal | undefined => {
    const a = x.d;
    const b = y.d;
    if (a === null || b === null) return undefined;
    if (a[0] === 0 || b[0] === 0) {
      if (a[0] === b[0] || a.length > MOST_WORDS || b.length > MOST_WORDS) return undefined;
      return b[0] === 0 ? new Made(x.s, x.e, a.slice()) : new Made(sign * y.s, y.e, b.slice());
    }
    const placeOfA = Math.floor(x.e / WORD_DIGITS);
    const placeOfB = Math.floor(y.e / WORD_DIGITS);
    const top = Math.max(placeOfA, placeOfB);
    const bottom = Math.min(placeOfA - a.length, placeOfB - b.length) + 1;
    const count = top - bottom + 1;
    if (count > MOST_WORDS) return undefined;
    const signOfA = x.s;
    const signOfB = sign * y.s;
    for (let at = 0, ofA = placeOfA - bottom, ofB = placeOfB - bottom; at < count; at++, ofA--, ofB--) {
      const word = ofA >= 0 && ofA < a.length ? signOfA * a[ofA]! : 0;
      WORDS[at] = ofB >= 0 && ofB < b.length ? word + signOfB * b[ofB]! : word;
    }
    // The sign of the sum is that of its highest word: all lower words together are smaller than one of it.
    let highest = count - 1;
    while (highest > 0 && WORDS[highest] === 0) highest--;
    const signOfSum = WORDS[highest]! < 0 ? -1 : 1;
    let carry = 0;
    for (let at = 0; at < count; at++) {
      let word = signOfSum * WORDS[at]! + carry;
      carry = 0;
      if (word < 0) {
        word += WORD;
        carry = -1;
      } else if (word >= WORD) {
        word -= WORD;
        carry = 1;
      }
      WORDS[at] = word;
    }
    WORDS[count] = carry;
    return made(signOfSum, count + 1, top + 1);
  };

  const product = (x: Decimal, y: Decimal): Decimal | undefined => {
    const a = x.d;
    const b = y.d;
    if (a === null || b === null || a[0] === 0 || b[0] === 0) return undefined;
    const count = a.length + b.length;
    if (count > MOST_WORDS) return undefined;
    for (let at = 0; at < count; at++) WORDS[at] = 0;
    for (let ofA = a.length - 1, from = 0; ofA >= 0; ofA--, from++) {
      const word = a[ofA]!;
      let carry = 0;
      let to = from;
      for (let ofB = b.length - 1; ofB >= 0; ofB--, to++) {
        const value = WORDS[to]! + word * b[ofB]! + carry;
        carry = Math.floor(value / WORD);
        WORDS[to] = value - carry * WORD;
      }
      WORDS[to] = carry;
    }
    return made(x.s * y.s, count, Math.floor(x.e / WORD_DIGITS) + Math.floor(y.e / WORD_DIGITS) + 1);
  };

  const short: Pick<Decimal, Operation> = {
    plus(this: Decimal, value) {
      const y = operand(value);
      return sum(this, y, 1) ?? slow.plus.call(this, y);
    },
    minus(this: Decimal, value) {
      const y = operand(value);
      return sum(this, y, -1) ?? slow.minus.call(this, y);
    },
    times(this: Decimal, value) {
      const y = operand(value);
      return product(this, y) ?? slow.times.call(this, y);
    },
    negated(this: Decimal) {
      return this.d === null ? slow.negated.call(this) : new Made(-this.s, this.e, this.d.slice());
    },
    comparedTo(this: Decimal, value) {
      return compared(this, operand(value));
    },
  };
  Object.assign(own, short, { add: short.plus, sub: short.minus, mul: short.times, neg: short.negated, cmp: short.comparedTo });
  return (whole, power) => (whole === 0 ? new Class(0) : ofWhole(whole, power));
}

/** The elements of `WORDS`, from the last one to the first. Literals use no more memory than their words. */
function taken(first: number, last: number): number[] {
  switch (last - first) {
    case 0:
      return [WORDS[last]!];
    case 1:
      return [WORDS[last]!, WORDS[first]!];
    case 2:
      return [WORDS[last]!, WORDS[last - 1]!, WORDS[first]!];
    case 3:
      return [WORDS[last]!, WORDS[last - 1]!, WORDS[last - 2]!, WORDS[first]!];
    default:
      return Array.from(WORDS.subarray(first, last + 1)).reverse();
  }
}

/** The result of `comparedTo`: above 0 where x is larger, `NaN` where either is. */
function compared(x: Decimal, y: Decimal): number {
  const a = x.d;
  const b = y.d;
  const signOfX = x.s;
  const signOfY = y.s;
  if (a === null || b === null) {
    if (Number.isNaN(signOfX) || Number.isNaN(signOfY)) return Number.NaN;
    if (signOfX !== signOfY) return signOfX;
    return a === b ? 0 : (a === null) === signOfX > 0 ? 1 : -1;
  }
  if (a[0] === 0 || b[0] === 0) return a[0] !== 0 ? signOfX : b[0] !== 0 ? -signOfY : 0;
  if (signOfX !== signOfY) return signOfX;
  if (x.e !== y.e) return x.e > y.e ? signOfX : -signOfX;
  const both = Math.min(a.length, b.length);
  for (let at = 0; at < both; at++) if (a[at] !== b[at]) return a[at]! > b[at]! ? signOfX : -signOfX;
  if (a.length === b.length) return 0;
  return a.length > b.length ? signOfX : -signOfX;
}

/** The power of ten of the first digit of a word. */
function exponentOf(word: number): number {
  if (word < 1_000) return word < 10 ? 0 : word < 100 ? 1 : 2;
  if (word < 100_000) return word < 10_000 ? 3 : 4;
  return word < 1_000_000 ? 5 : 6;
}
