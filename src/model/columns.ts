import { type Decimal, decimalOf, powerOfWhole, wholeOf } from './decimal.ts';

/** Items in order that are made when they are read: an array, or rows of columns. */
export interface Rows<Item> extends Iterable<Item> {
  readonly length: number;
  /** The item at an index; counted from the end if it is negative. */
  at(index: number): Item | undefined;
}

/** Rows that a function makes. */
export class MadeRows<Item> implements Rows<Item> {
  constructor(
    readonly length: number,
    private readonly make: (index: number) => Item,
  ) {}

  at(index: number): Item | undefined {
    const place = index < 0 ? this.length + index : index;
    return place >= 0 && place < this.length ? this.make(place) : undefined;
  }

  *[Symbol.iterator](): IterableIterator<Item> {
    for (let index = 0; index < this.length; index++) yield this.make(index);
  }
}

const CHUNK_BITS = 10;
const CHUNK = 1 << CHUNK_BITS;
const IN_CHUNK = CHUNK - 1;

type Values = Int8Array | Int16Array | Int32Array | Float64Array;

/** By width: how values of a chunk differ from its first one. The last width holds any number as it is. */
const WIDTHS = [undefined, Int8Array, Int16Array, Int32Array, Float64Array] as const;
const WIDEST = WIDTHS.length - 1;

/**
 * Numbers in chunks of 1,024. A chunk holds the differences to its first number in the narrowest type that fits them: nothing at all for
 * equal numbers, 1 to 4 bytes for whole numbers near each other, 8 bytes for any others. Each number is read as it was written.
 */
export class NumberColumn {
  length = 0;
  readonly #bases: number[] = [];
  readonly #widths: number[] = [];
  readonly #values: (Values | undefined)[] = [];

  push(value: number): void {
    const index = this.length++;
    if ((index & IN_CHUNK) === 0) {
      this.#bases.push(value);
      this.#widths.push(0);
      this.#values.push(undefined);
    } else this.set(index, value);
  }

  /** @param index below `length`. */
  set(index: number, value: number): void {
    const chunk = index >> CHUNK_BITS;
    const width = widthOf(value, this.#bases[chunk]!);
    if (width > this.#widths[chunk]!) this.#widen(chunk, width);
    const values = this.#values[chunk];
    if (values !== undefined) values[index & IN_CHUNK] = this.#widths[chunk] === WIDEST ? value : value - this.#bases[chunk]!;
  }

  /** @param index below `length`. */
  at(index: number): number {
    const chunk = index >> CHUNK_BITS;
    const values = this.#values[chunk];
    const base = this.#bases[chunk]!;
    return values === undefined ? base : base + values[index & IN_CHUNK]!;
  }

  /** All numbers as a packed array. */
  toArray(): Float64Array {
    const all = new Float64Array(this.length);
    for (let index = 0; index < all.length; index++) all[index] = this.at(index);
    return all;
  }

  #widen(chunk: number, width: number): void {
    const [base, before] = [this.#bases[chunk]!, this.#values[chunk]];
    const values = new WIDTHS[width]!(CHUNK);
    if (width < WIDEST) values.set(before ?? []);
    else {
      for (let at = 0; at < CHUNK; at++) values[at] = before === undefined ? base : base + before[at]!;
      // -0 is the one number to which any other can be added without a change.
      this.#bases[chunk] = -0;
    }
    this.#widths[chunk] = width;
    this.#values[chunk] = values;
  }
}

/** The narrowest width for a value of a chunk. */
function widthOf(value: number, base: number): number {
  if (Object.is(value, base)) return 0;
  const difference = value - base;
  if (!isWhole(value) || !isWhole(base)) return WIDEST;
  if (difference === (difference << 24) >> 24) return 1;
  if (difference === (difference << 16) >> 16) return 2;
  return difference === (difference | 0) ? 3 : WIDEST;
}

function isWhole(value: number): boolean {
  return Number.isSafeInteger(value) && !Object.is(value, -0);
}

/** Digits of the lower one of the two numbers that hold an amount. */
const LOW_DIGITS = 15;
const LOW = 10n ** BigInt(LOW_DIGITS);

/** An amount as `(high * 10^15 + low) * 10^power`; the power is `NaN` if it has more than some 30 digits. */
interface Parts {
  readonly low: number;
  readonly high: number;
  readonly power: number;
}

function partsOf(value: Decimal): Parts {
  const low = wholeOf(value) + 0;
  const power = powerOfWhole();
  return Number.isNaN(power) ? halvesOf(value) : { low, high: 0, power };
}

const TOO_LONG: Parts = { low: 0, high: 1, power: Number.NaN };

function halvesOf(value: Decimal): Parts {
  const places = Math.max(0, value.decimalPlaces());
  const text = value.toFixed().replace('.', '');
  if (!/^-?\d+$/.test(text)) return TOO_LONG;
  const whole = BigInt(text);
  const high = Number(whole / LOW);
  return Number.isSafeInteger(high) && high !== 0 ? { low: Number(whole % LOW), high, power: -places } : TOO_LONG;
}

/** Exact amounts: up to 30 digits as two whole numbers and a power of ten, in some 5 to 17 bytes; longer ones as they are. */
export class MoneyColumn {
  readonly #low = new NumberColumn();
  /** Digits above 15: zero unless an amount was converted or divided. */
  readonly #high = new NumberColumn();
  readonly #power = new NumberColumn();
  readonly #longer = new Map<number, Decimal>();
  /** The newest amount as it was pushed: who reads a row right after it was added needs no new decimals. */
  #newest: Decimal | undefined;

  get length(): number {
    return this.#low.length;
  }

  push(value: Decimal): void {
    const { low, high, power } = partsOf(value);
    if (Number.isNaN(power)) this.#longer.set(this.length, value);
    this.#low.push(low);
    this.#high.push(high);
    this.#power.push(power);
    this.#newest = value;
  }

  /** @param index below `length`. */
  set(index: number, value: Decimal): void {
    const { low, high, power } = partsOf(value);
    if (Number.isNaN(power)) this.#longer.set(index, value);
    this.#low.set(index, low);
    this.#high.set(index, high);
    this.#power.set(index, power);
    this.#newest = undefined;
  }

  /** @param index below `length`. */
  at(index: number): Decimal {
    if (this.#newest !== undefined && index === this.length - 1) return this.#newest;
    const [low, high, power] = [this.#low.at(index), this.#high.at(index), this.#power.at(index)];
    if (high === 0) return decimalOf(low, power);
    if (Number.isNaN(power)) return this.#longer.get(index)!;
    return decimalOf(high, power + LOW_DIGITS).plus(decimalOf(low, power));
  }
}

/** One item for each row, from few distinct ones. */
export class ItemColumn<Item> {
  readonly #rows = new NumberColumn();
  readonly #items: Item[] = [];
  readonly #places = new Map<string, number>();
  /** The places of the two newest distinct items: most rows have one of them. */
  #newest = 0;
  #second = 0;

  /** @param keyOf differs for items that differ. */
  constructor(private readonly keyOf: (item: Item) => string) {}

  get length(): number {
    return this.#rows.length;
  }

  push(item: Item): void {
    this.#rows.push(this.#place(item));
  }

  /** @param index below `length`. */
  set(index: number, item: Item): void {
    this.#rows.set(index, this.#place(item));
  }

  /** @param index below `length`. */
  at(index: number): Item {
    return this.#items[this.#rows.at(index)]!;
  }

  #place(item: Item): number {
    if (isSame(item, this.#items[this.#newest])) return this.#newest;
    const place = isSame(item, this.#items[this.#second]) ? this.#second : this.#find(item);
    this.#second = this.#newest;
    this.#newest = place;
    return place;
  }

  #find(item: Item): number {
    const key = this.keyOf(item);
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    this.#places.set(key, this.#items.length);
    return this.#items.push(item) - 1;
  }
}

/** Whether two items are equal, or have equal fields. */
function isSame<Item>(a: Item, b: Item | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  for (const field in a) if (a[field] !== b[field]) return false;
  return true;
}
