import type { Decimal } from './decimal.ts';
import type { Grid } from './grid.ts';

/** The usual size of the buffer. It grows for a line that is longer. */
const PIECE_BYTES = 1 << 16;
/** A piece is complete with the first line that ends above this size. */
const FULL_BYTES = PIECE_BYTES - (1 << 12);
/** The most bytes that UTF-8 needs for one character of a string. */
const CHARACTER_BYTES = 3;
/** The most digits of a safe whole number, with its sign. */
const WHOLE_BYTES = 17;
const LINE_END = 10;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;

/** Digits of a word of a decimal: see `decimal.ts`. */
const WORD_DIGITS = 7;
const WORD = 1e7;
const BILLION = 1e9;
const BILLION_DIGITS = 9;
/** The powers of ten up to the most decimals of a grid. */
const POWERS: readonly number[] = Array.from({ length: 16 }, (_, power) => Number(`1e${power}`));

const UTF8 = new TextEncoder();

/** A value inside a template literal of `write`. */
type Written = string | number | boolean | Decimal | OnGrid;

/** So many units of a grid. */
class OnGrid {
  constructor(
    readonly grid: Grid,
    readonly units: number,
  ) {}
}

/** The value of so many units of a grid, for `write`. */
export function onGrid(grid: Grid, units: number): OnGrid {
  return new OnGrid(grid, units);
}

/** The texts of template literals as bytes. A literal in the code has the same list of texts each time. */
const literals = new WeakMap<TemplateStringsArray, readonly Uint8Array[]>();

function encoded(pieces: TemplateStringsArray): readonly Uint8Array[] {
  let known = literals.get(pieces);
  if (known === undefined) {
    known = pieces.map((piece) => UTF8.encode(piece));
    literals.set(pieces, known);
  }
  return known;
}

/**
 * Lines of text as UTF-8, written into one buffer that is used again. Numbers and exact amounts become digits in it directly: a table
 * or a log of a run has hundreds of bytes for each order, and strings of them would be most of a run's garbage.
 */
export class ByteText {
  #bytes = new Uint8Array(PIECE_BYTES);
  #length = 0;

  /** @param receive gets each piece, which is whole lines. The buffer is used again after the call. */
  constructor(private readonly receive: (bytes: Uint8Array) => void) {}

  /** Used as a template literal: its text, with the values in between as JSON has them inside quotes. */
  write(pieces: TemplateStringsArray, ...values: readonly Written[]): this {
    const written = encoded(pieces);
    for (let at = 0; at < values.length; at++) {
      this.#put(written[at]!);
      const value = values[at]!;
      if (typeof value === 'string') this.text(value);
      else if (typeof value === 'number') this.number(value);
      else if (typeof value === 'boolean') this.text(value ? 'true' : 'false');
      else if (value instanceof OnGrid) this.units(value.grid, value.units);
      else this.amount(value);
    }
    this.#put(written[values.length]!);
    return this;
  }

  text(text: string): this {
    const count = text.length;
    this.#reserve(count * CHARACTER_BYTES);
    const bytes = this.#bytes;
    let to = this.#length;
    for (let at = 0; at < count; at++) {
      const code = text.charCodeAt(at);
      if (code > 127) return this.#encode(text);
      bytes[to++] = code;
    }
    this.#length = to;
    return this;
  }

  /** One ASCII character. */
  character(code: number): this {
    this.#reserve(1);
    this.#bytes[this.#length++] = code;
    return this;
  }

  /** Any number as `String` writes it. */
  number(value: number): this {
    return Number.isSafeInteger(value) ? this.#whole(value) : this.text(String(value));
  }

  /** An exact amount as `toFixed()` writes it: all its digits, without an exponent. */
  amount({ d: words, e, s }: Decimal): this {
    if (words === null) return this.text(Number.isNaN(s) ? 'NaN' : s < 0 ? '-Infinity' : 'Infinity');
    const place = Math.floor(e / WORD_DIGITS);
    this.#reserve((words.length + Math.abs(place) + 2) * WORD_DIGITS);
    if (s < 0 && words[0] !== 0) this.#bytes[this.#length++] = MINUS;
    if (place < 0) this.#bytes[this.#length++] = ZERO;
    else this.#digits(words[0]!, digitsOf(words[0]!));
    for (let at = 1; at <= place; at++) this.#digits(at < words.length ? words[at]! : 0, WORD_DIGITS);
    const first = Math.max(0, place + 1);
    if (first >= words.length) return this;
    this.#bytes[this.#length++] = POINT;
    for (let zeros = place + 1; zeros < 0; zeros++) this.#digits(0, WORD_DIGITS);
    for (let at = first; at < words.length; at++) this.#digits(words[at]!, WORD_DIGITS);
    while (this.#bytes[this.#length - 1] === ZERO) this.#length--;
    return this;
  }

  /** The value of so many units of a grid, as its `toText` writes it. */
  units(grid: Grid, units: number): this {
    const scaled = units * grid.numerator;
    return Number.isSafeInteger(scaled) ? this.scaled(scaled, grid.decimals) : this.text(grid.toText(units));
  }

  /** A safe whole number over ten to a power of 0 to 15, without zeros at the end of its decimals. */
  scaled(whole: number, decimals: number): this {
    let value = whole;
    let places = decimals;
    while (places > 0 && value % 10 === 0) {
      value /= 10;
      places--;
    }
    if (places === 0) return this.#whole(value);
    this.#reserve(WHOLE_BYTES + 1 + places);
    if (value < 0) this.#bytes[this.#length++] = MINUS;
    value = Math.abs(value);
    const above = Math.floor(value / POWERS[places]!);
    this.#digits(above, digitsOf(above));
    this.#bytes[this.#length++] = POINT;
    this.#digits(value - above * POWERS[places]!, places);
    return this;
  }

  /** Ends a line, and gives the piece away if it is full. */
  endLine(): void {
    this.character(LINE_END);
    if (this.#length >= FULL_BYTES) this.flush();
  }

  /** Gives away what is left. */
  flush(): void {
    if (this.#length === 0) return;
    const length = this.#length;
    this.#length = 0;
    this.receive(this.#bytes.subarray(0, length));
  }

  #put(piece: Uint8Array): void {
    const count = piece.length;
    this.#reserve(count);
    const bytes = this.#bytes;
    const from = this.#length;
    for (let at = 0; at < count; at++) bytes[from + at] = piece[at]!;
    this.#length = from + count;
  }

  #encode(text: string): this {
    this.#length += UTF8.encodeInto(text, this.#bytes.subarray(this.#length)).written;
    return this;
  }

  #whole(value: number): this {
    this.#reserve(WHOLE_BYTES);
    if (value < 0) this.#bytes[this.#length++] = MINUS;
    const digits = Math.abs(value);
    this.#digits(digits, digitsOf(digits));
    return this;
  }

  /** A whole number with this many digits, with zeros in front where it has fewer. */
  #digits(value: number, count: number): void {
    let rest = value;
    let left = count;
    if (value >= BILLION) {
      const above = Math.floor(value / BILLION);
      this.#digits(above, count - BILLION_DIGITS);
      rest = value - above * BILLION;
      left = BILLION_DIGITS;
    }
    const bytes = this.#bytes;
    let digits = rest | 0;
    const end = this.#length + left;
    for (let at = end - 1; at >= this.#length; at--) {
      const tenth = (digits / 10) | 0;
      bytes[at] = ZERO + digits - tenth * 10;
      digits = tenth;
    }
    this.#length = end;
  }

  #reserve(count: number): void {
    if (this.#length + count > this.#bytes.length) this.#grow(count);
  }

  #grow(count: number): void {
    const bytes = new Uint8Array(2 * (this.#length + count));
    bytes.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = bytes;
  }
}

/** The number of digits of a safe whole number that is not negative. */
function digitsOf(value: number): number {
  if (value >= BILLION) return BILLION_DIGITS + digitsOf(Math.floor(value / BILLION));
  if (value < 1e4) return value < 100 ? (value < 10 ? 1 : 2) : value < 1e3 ? 3 : 4;
  if (value < WORD) return value < 1e5 ? 5 : value < 1e6 ? 6 : 7;
  return value < 1e8 ? 8 : 9;
}
