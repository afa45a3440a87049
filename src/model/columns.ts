import { type Decimal, decimalOf, powerOfWhole, quotientOf, ratioOf, wholeOf, ZERO } from './decimal.ts';

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

const CHUNK_BITS = 12;
const CHUNK = 1 << CHUNK_BITS;
const IN_CHUNK = CHUNK - 1;
/** The size at which the list of the newest numbers begins: many columns have few rows. */
const FIRST_SIZE = 16;

type Values = Int8Array | Int16Array | Int32Array | Float64Array;

/** A full chunk: each number is `base + unit * value`. Without values, all are the base. */
interface Chunk {
  readonly base: number;
  readonly unit: number;
  readonly values: Values | undefined;
  /** The value that means `NaN` among whole numbers. */
  readonly none: number | undefined;
}

/**
 * Numbers in chunks of 4,096. The newest ones are kept as they are. A full chunk holds whole numbers as multiples of their largest common
 * unit, in the narrowest type that fits: nothing at all for equal numbers, 2 bytes for the times of some days of bars, 8 bytes for numbers
 * with decimals. `NaN` may be among whole numbers. Each number is read as it was written.
 */
export class NumberColumn {
  length = 0;
  readonly #chunks: Chunk[] = [];
  #newest = new Float64Array(FIRST_SIZE);

  push(value: number): void {
    const place = this.length++ & IN_CHUNK;
    if (place === this.#newest.length) this.#grow();
    this.#newest[place] = value;
    if (place === IN_CHUNK) this.#chunks.push(packed(this.#newest));
  }

  /** @param index below `length`. */
  set(index: number, value: number): void {
    const place = index & IN_CHUNK;
    if (index >> CHUNK_BITS === this.#chunks.length) {
      this.#newest[place] = value;
      return;
    }
    const chunk = this.#chunks[index >> CHUNK_BITS]!;
    const { base, unit, values, none = Number.NaN } = chunk;
    if (values !== undefined) values[place] = Number.isNaN(value) ? none : (value - base) / unit;
    if (Object.is(numberAt(chunk, place), value)) return;
    const numbers = Float64Array.from({ length: CHUNK }, (_, at) => numberAt(chunk, at));
    numbers[place] = value;
    this.#chunks[index >> CHUNK_BITS] = packed(numbers);
  }

  /** @param index below `length`. */
  at(index: number): number {
    const chunk = index >> CHUNK_BITS;
    return chunk === this.#chunks.length ? this.#newest[index & IN_CHUNK]! : numberAt(this.#chunks[chunk]!, index & IN_CHUNK);
  }

  /** All numbers as a packed array. */
  toArray(): Float64Array {
    const all = new Float64Array(this.length);
    for (let index = 0; index < all.length; index++) all[index] = this.at(index);
    return all;
  }

  #grow(): void {
    const before = this.#newest;
    this.#newest = new Float64Array(2 * before.length);
    this.#newest.set(before);
  }
}

function numberAt({ base, unit, values, none }: Chunk, place: number): number {
  if (values === undefined) return base;
  const value = values[place]!;
  return value === none ? Number.NaN : base + unit * value;
}

/** The widths of whole numbers, each with its number of values. */
const WIDTHS = [Int8Array, Int16Array, Int32Array].map((Width) => ({ Width, size: 2 ** (8 * Width.BYTES_PER_ELEMENT) }));

/** The numbers of a full chunk. */
function packed(numbers: Float64Array): Chunk {
  if (areSame(numbers)) return { base: numbers[0]!, unit: 1, values: undefined, none: undefined };
  // -0 is the one number to which any other can be added without a change.
  const asTheyAre = () => ({ base: -0, unit: 1, values: numbers.slice(), none: undefined });
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const value of numbers) {
    if (Number.isNaN(value)) continue;
    if (!Number.isSafeInteger(value) || Object.is(value, -0)) return asTheyAre();
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  if (!Number.isSafeInteger(most - least)) return asTheyAre();
  const unit = largestUnit(numbers, least);
  const count = (most - least) / unit;
  // The least value is `NaN`, so that one is not free for a number.
  const narrowest = WIDTHS.find(({ size }) => count < size - 1);
  if (narrowest === undefined) return asTheyAre();
  const none = -narrowest.size / 2;
  const base = least + unit * Math.floor(count / 2);
  const values = new narrowest.Width(CHUNK);
  for (let at = 0; at < CHUNK; at++) values[at] = Number.isNaN(numbers[at]!) ? none : (numbers[at]! - base) / unit;
  return { base, unit, values, none };
}

function areSame(numbers: Float64Array): boolean {
  for (const value of numbers) if (!Object.is(value, numbers[0])) return false;
  return true;
}

/** The largest number of which all differences to the least of the numbers are multiples; 1 if there is none. */
function largestUnit(numbers: Float64Array, least: number): number {
  let unit = 0;
  for (const value of numbers) {
    if (value === least || Number.isNaN(value) || (value - least) % unit === 0) continue;
    for (let rest = value - least; rest !== 0; ) [unit, rest] = [rest, unit % rest];
    if (unit === 1) break;
  }
  return unit || 1;
}

/** Digits of the lower one of the two numbers that hold an amount. */
const LOW_DIGITS = 15;
const LOW = 10n ** BigInt(LOW_DIGITS);
const POWERS: readonly number[] = Array.from({ length: LOW_DIGITS + 1 }, (_, power) => Number(`1e${power}`));

/** An amount as `(high * 10^15 + low) * 10^power`; the power is `NaN` if it has more than some 30 digits. */
interface Parts {
  readonly low: number;
  readonly high: number;
  readonly power: number;
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

/** Exact amounts: up to 30 digits as two whole numbers and a power of ten, in some 2 to 16 bytes; longer ones as they are. */
export class MoneyColumn {
  readonly #low = new NumberColumn();
  /** Digits above 15: zero unless an amount was converted or divided. */
  readonly #high = new NumberColumn();
  readonly #power = new NumberColumn();
  readonly #longer = new Map<number, Decimal>();
  /** The power of the amount with the most decimals so far: with one power for all of them, powers need no bytes. */
  #least = 0;
  /** The newest amount as it was pushed: who reads a row right after it was added needs no new decimals. */
  #newest: Decimal | undefined;

  get length(): number {
    return this.#low.length;
  }

  push(value: Decimal): void {
    this.#write(this.length, value);
    this.#newest = value;
  }

  /** @param index below `length`. */
  set(index: number, value: Decimal): void {
    this.#write(index, value);
    this.#newest = undefined;
  }

  /** @param index below `length`. */
  at(index: number): Decimal {
    if (this.#newest !== undefined && index === this.length - 1) return this.#newest;
    const [low, high, power] = [this.#low.at(index), this.#high.at(index), this.#power.at(index)];
    if (high === 0) return low === 0 ? ZERO : decimalOf(low, power);
    if (Number.isNaN(power)) return this.#longer.get(index)!;
    return decimalOf(high, power + LOW_DIGITS).plus(decimalOf(low, power));
  }

  /** The amount over that of another column at the same index, as a double: makes no decimals where both have few digits. */
  ratioAt(index: number, by: MoneyColumn): number {
    const isShort = this.#high.at(index) === 0 && by.#high.at(index) === 0;
    const ratio = isShort ? quotientOf(this.#low.at(index), this.#power.at(index), by.#low.at(index), by.#power.at(index)) : undefined;
    return ratio ?? ratioOf(this.at(index), by.at(index));
  }

  #write(index: number, value: Decimal): void {
    let low = wholeOf(value) + 0;
    let high = 0;
    let power = powerOfWhole();
    if (Number.isNaN(power)) {
      ({ low, high, power } = halvesOf(value));
      if (Number.isNaN(power)) this.#longer.set(index, value);
    } else if (low === 0) power = this.#least;
    else if (power < this.#least) this.#least = power;
    else {
      const same = low * (POWERS[power - this.#least] ?? Number.NaN);
      if (Number.isSafeInteger(same)) [low, power] = [same, this.#least];
    }
    put(this.#low, index, low);
    put(this.#high, index, high);
    put(this.#power, index, power);
  }
}

function put(column: NumberColumn, index: number, value: number): void {
  if (index === column.length) column.push(value);
  else column.set(index, value);
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
