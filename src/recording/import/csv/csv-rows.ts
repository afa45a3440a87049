import type { RowBuffer } from '../../columns/chunks.ts';
import { POWERS_OF_TEN } from '../../columns/decimals.ts';
import type { Lines } from '../line-source.ts';
import { RowError, type RowSource, type RowsTarget } from '../rows.ts';
import { CarriedPrices } from './carried-prices.ts';
import type { CsvLayout } from './csv-layout.ts';
import { isRemark } from './csv-line.ts';
import { CsvValue } from './csv-value.ts';

// Long because the hot loop is one function, with a case for each kind of field.

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const QUOTE = 34;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;

const MAX_SAFE = Number.MAX_SAFE_INTEGER;

const SKIP = 0;
const TIME = 1;
const PRICE = 2;
const QUANTITY = 3;
const NUMBER = 4;
const CLOCK = 5;
const SIDE = 6;
const FLAG = 7;
const SYMBOL = 8;
const SLOW_TIME = 9;
const HALF_TIME = 10;
const SLOW_DECIMAL = 11;
const SAME = 12;
const CODES = {
  ...{ skip: SKIP, time: TIME, price: PRICE, quantity: QUANTITY },
  ...{
    number: NUMBER,
    substitute: NUMBER,
    clock: CLOCK,
    side: SIDE,
    flag: FLAG,
    symbol: SYMBOL,
    same: SAME,
    day: HALF_TIME,
    timeOfDay: HALF_TIME,
  },
} as const;

/**
 * Reads the rows of one file into a buffer. `#block` is the only hot loop of the import: it reads plain digits byte by byte and leaves
 * everything else to `CsvValue`. Doubles represent integers of up to 15 digits exactly, so nothing is rounded.
 */
export class CsvRows implements RowSource {
  readonly #source: Lines;
  readonly #layout: CsvLayout;
  readonly #scales: RowsTarget['scales'];
  readonly #buffer: RowBuffer;
  /** By field: the text of a column of symbols, or of another that must not change. */
  readonly #texts: readonly RowsTarget['symbol'][];
  readonly #refuse: RowsTarget['refuse'];
  readonly #clock: RowsTarget['clock'];
  /** Whether the second time of a row is the receive time (1), the exchange's (-1), or there is none (0). */
  readonly #clockShift: number;
  /** Second times of the current rows, in microseconds; `NaN` where a row has none. */
  readonly #others: Float64Array;
  /** The column whose blanks are filled, and the substitutes of the current rows; both empty where there is none. */
  readonly #blanks: Float64Array;
  readonly #substitutes: Float64Array;
  readonly #slow: CsvValue;
  readonly #carried: CarriedPrices | undefined;
  readonly #codes: Uint8Array;
  readonly #targets: readonly Float64Array[];
  readonly #shifts: readonly number[];
  #at: number;
  #line = 1;
  /** The first line of rows. */
  readonly #firstLine: number;
  #blankLines = 0;
  /** Lines of text after the last row: remarks, unless another row follows. */
  readonly #remarks: { readonly error: RowError; readonly text: string }[] = [];
  readonly #notes: RowsTarget['notes'];
  passedOver = 0;
  #ended = false;

  constructor(source: Lines, layout: CsvLayout, { scales, symbol, clock, buffer, refuse, notes }: RowsTarget) {
    this.#source = source;
    this.#layout = layout;
    this.#scales = scales;
    this.#buffer = buffer;
    this.#refuse = refuse;
    this.#slow = new CsvValue(source.path, layout, scales, symbol, buffer, notes);
    this.#texts = layout.fields.map(({ unit }, index) => (unit === 'same' ? this.#slow.same(index) : symbol));
    this.#notes = notes;
    this.#carried = layout.carriesPrices ? new CarriedPrices(layout.fields) : undefined;
    const { times, numbers, factors, quantity } = layout;
    this.#codes = Uint8Array.from(layout.fields, ({ unit }) => {
      if (unit === 'time' && times.format !== undefined) return SLOW_TIME;
      const isSlow = numbers.mark === 'comma' || (unit === 'price' ? factors.price : factors.quantity) !== undefined;
      return isSlow && (unit === 'price' || unit === 'quantity') ? SLOW_DECIMAL : CODES[unit];
    });
    if (quantity !== undefined && quantity.decimals > scales.quantity) scales.grow('quantity', quantity.decimals, buffer);
    this.#clock = clock;
    this.#clockShift = layout.fields.find(({ unit }) => unit === 'clock')?.shift ?? 0;
    this.#others = new Float64Array(this.#clockShift === 0 ? 0 : buffer.capacity);
    const substitute = layout.fields.find(({ unit }) => unit === 'substitute');
    this.#blanks = substitute === undefined ? new Float64Array(0) : buffer.columns[substitute.column]!;
    this.#substitutes = new Float64Array(this.#blanks.length);
    this.#targets = layout.fields.map((field) => {
      if (field.unit === 'clock') return this.#others;
      if (field.unit === 'substitute') return this.#substitutes;
      return field.column < 0 ? buffer.time : buffer.columns[field.column]!;
    });
    this.#shifts = layout.fields.map(({ shift }) => shift);
    this.#at = source.start;
    for (let line = 0; line < layout.headLines; line++) this.#passLine();
    this.#firstLine = this.#line;
  }

  get seen(): number {
    return this.#line - this.#firstLine - this.#blankLines + this.#source.refused;
  }

  /**
   * Adds rows until the buffer is full (true) or the file ends (false).
   * @throws TidegateError DATA_INVALID naming file, row and column, unless bad rows are put aside.
   */
  fill(): boolean {
    this.#zeroMissing();
    const from = this.#buffer.rows;
    while (!this.#ended && this.#buffer.rows < this.#buffer.capacity) {
      if (this.#at < this.#source.end) this.#goodRows();
      else if (this.#source.next(this.#line)) this.#at = this.#source.start;
      else this.#end();
    }
    this.#fillBlanks(from);
    this.#carryPrices(from);
    const { time, rows } = this.#buffer;
    if (this.#clockShift < 0) this.#clock.update(time, this.#others, from, rows);
    else if (this.#clockShift > 0) this.#clock.update(this.#others, time, from, rows);
    return !this.#ended;
  }

  #end(): void {
    this.#ended = true;
    this.#notes.remarks += this.#remarks.length + this.#layout.remarks;
    this.#notes.doubled += this.#slow.time.doubled;
    this.#slow.checkSides();
  }

  /** Fills blank numbers from their substitutes. */
  #fillBlanks(from: number): void {
    const end = Math.min(this.#buffer.rows, this.#substitutes.length);
    for (let row = from; row < end; row++) {
      if (this.#blanks[row] === 0) this.#blanks[row] = this.#substitutes[row]!;
    }
  }

  #carryPrices(from: number): void {
    const left = this.#carried?.fill(this.#buffer, from, this.#scales.price) ?? 0;
    this.passedOver += left;
    this.#notes.unpaired += left;
  }

  close(): void {
    this.#source.close();
  }

  /** Reads rows up to the end of the block or of the buffer, or to a bad row, which is refused. */
  #goodRows(): void {
    const before = this.#buffer.rows;
    let failure: RowError | undefined;
    try {
      this.#block();
    } catch (error) {
      if (!(error instanceof RowError)) throw error;
      failure = error;
    }
    if (this.#buffer.rows > before) this.#refuseRemarks();
    if (failure === undefined) return;
    const start = this.#at;
    const text = this.#source.text(start);
    if (isRemark(text, this.#layout.separator)) {
      this.#remarks.push({ error: failure, text });
      this.#blankLines++;
    } else {
      this.#refuseRemarks();
      this.#refuse(failure, () => text);
    }
    this.#at = this.#source.bytes.indexOf(LINE_FEED, start) + 1;
    this.#line++;
  }

  /** Another row follows: comments stay comments, other lines of text are bad rows. */
  #refuseRemarks(): void {
    for (const { error, text } of this.#remarks.splice(0)) {
      if (COMMENT.test(text)) {
        this.#notes.remarks++;
        continue;
      }
      this.#blankLines--;
      this.#refuse(error, () => text);
    }
  }

  /** Passes over a line before the first row; all of them are in the first block. */
  #passLine(): void {
    this.#at = this.#source.bytes.indexOf(LINE_FEED, this.#at) + 1;
    this.#line++;
  }

  /** Columns that the file lacks hold zeros, or the quantity that is given for all quotes, whatever the buffer held before. */
  #zeroMissing(): void {
    const { quantity } = this.#layout;
    const missing = quantity === undefined ? 0 : Number(quantity.digits) * POWERS_OF_TEN[this.#scales.quantity - quantity.decimals]!;
    this.#buffer.columns.forEach((column, index) => {
      if (!this.#layout.fields.some((field) => field.column === index)) column.fill(missing, this.#buffer.rows);
    });
  }

  /** Reads rows from the current block until it or the buffer ends. */
  #block(): void {
    const { bytes, end } = this.#source;
    const { capacity, time, nanos, lines } = this.#buffer;
    const codes = this.#codes;
    const targets = this.#targets;
    const last = codes.length - 1;
    const separator = this.#layout.separator.charCodeAt(0);
    let { price: priceDecimals, quantity: quantityDecimals } = this.#scales;
    let at = this.#at;
    let line = this.#line;
    let row = this.#buffer.rows;

    rows: while (at < end && row < capacity) {
      const start = at;
      if (bytes[at] === CARRIAGE_RETURN && bytes[at + 1] === LINE_FEED) at++;
      if (bytes[at] === LINE_FEED) {
        at++;
        line++;
        this.#blankLines++;
        continue;
      }
      for (let field = 0; field <= last; field++) {
        const code = codes[field]!;
        const from = at;
        let byte = bytes[at]!;
        let plain = false;
        if (code === SKIP) {
          if (byte !== QUOTE) {
            while (byte !== separator && byte !== LINE_FEED) byte = bytes[++at]!;
            plain = true;
          }
        } else if (code > CLOCK) {
          if (code === SYMBOL || code === SAME) {
            at = this.#texts[field]!.endIn(bytes, at);
            byte = bytes[at]!;
            plain = at > from && (byte === separator || byte === LINE_FEED || byte === CARRIAGE_RETURN);
          }
        } else {
          const negative = byte === MINUS;
          if (negative) byte = bytes[++at]!;
          // Two groups of nine digits, each an int32: integer arithmetic makes this loop fast.
          let head = 0;
          let tail = 0;
          let places = 0;
          let begin = at;
          let groupEnd = at + 9;
          let digit = byte - ZERO;
          while (digit >>> 0 <= 9) {
            if (at < groupEnd) head = (head * 10 + digit) | 0;
            else tail = (tail * 10 + digit) | 0;
            digit = bytes[++at]! - ZERO;
          }
          if (digit === POINT - ZERO && at > begin) {
            begin++;
            groupEnd++;
            const point = at;
            digit = bytes[++at]! - ZERO;
            while (digit >>> 0 <= 9) {
              if (at < groupEnd) head = (head * 10 + digit) | 0;
              else tail = (tail * 10 + digit) | 0;
              digit = bytes[++at]! - ZERO;
            }
            places = at - point - 1;
          }
          byte = digit + ZERO;
          const digits = at - begin;
          plain = digits > 0 && (byte === separator || byte === LINE_FEED || byte === CARRIAGE_RETURN);
          if (!plain) {
            // A blank is not a number, though a column may have blanks in every row. Everything else is left to the slow path.
            plain = code === NUMBER && at === from && (byte === separator || byte === LINE_FEED);
            if (plain) targets[field]![row] = 0;
          } else if (code === TIME || code === CLOCK) {
            plain =
              (digits <= 16 || (digits === 19 && head >= 1e8)) &&
              digits !== 8 &&
              digits !== 12 &&
              digits !== 14 &&
              places === 0 &&
              !negative;
            let stamp =
              digits <= 9
                ? head
                : digits === 19
                  ? head * 1e7 + wholeNumber(bytes, from + 9, 7)
                  : head * (POWERS_OF_TEN[digits - 9] ?? 0) + tail;
            if (stamp < 1e11) stamp *= 1e6;
            else if (stamp < 1e14) stamp *= 1e3;
            if (stamp > MAX_SAFE) plain = false;
            targets[field]![row] = stamp;
            if (code === TIME) nanos[row] = digits === 19 ? wholeNumber(bytes, from + 16, 3) : 0;
          } else if (code === NUMBER) {
            plain = digits <= 15 && places === 0 && !negative;
            targets[field]![row] = (digits <= 9 ? head : head * POWERS_OF_TEN[digits - 9]! + tail) + this.#shifts[field]!;
          } else {
            let value = digits <= 9 ? head : head * POWERS_OF_TEN[digits - 9]! + tail;
            plain = digits <= 15 && !(negative && code === QUANTITY);
            if (places > 0 && bytes[at - 1] === ZERO) {
              let zeros = 1;
              while (zeros < places && bytes[at - 1 - zeros] === ZERO) zeros++;
              value /= POWERS_OF_TEN[zeros]!;
              places -= zeros;
            }
            const decimals = code === PRICE ? priceDecimals : quantityDecimals;
            if (places > decimals) plain = false;
            else if (places < decimals) value *= POWERS_OF_TEN[decimals - places]!;
            if (value > MAX_SAFE) plain = false;
            targets[field]![row] = negative ? 0 - value : value;
          }
        }
        if (!plain) {
          // Start of a refused row.
          this.#at = start;
          this.#line = line;
          if (!this.#slow.read(bytes, from, field, line)) {
            ({ price: priceDecimals, quantity: quantityDecimals } = this.#scales);
            at = start;
            continue rows;
          }
          at = this.#slow.next;
          byte = bytes[at]!;
          if (code === SYMBOL) {
            if (this.#slow.other) {
              at = bytes.indexOf(LINE_FEED, at) + 1;
              line++;
              this.passedOver++;
              continue rows;
            }
          } else if (code === HALF_TIME ? this.#slow.hasTime(line) : code === TIME || code === SLOW_TIME) {
            time[row] = this.#slow.time.us;
            nanos[row] = this.#slow.time.nanos;
          } else if (code !== SKIP && code !== HALF_TIME && code !== SAME) targets[field]![row] = this.#slow.value;
        }
        if (byte === CARRIAGE_RETURN && bytes[at + 1] === LINE_FEED) byte = bytes[++at]!;
        if (byte === separator ? field === last : byte !== LINE_FEED || field < last) {
          this.#at = start;
          this.#line = line;
          throw this.#slow.invalid(line, last + 1, `expected ${last + 1} fields, not ${byte === separator ? 'more' : field + 1}`);
        }
        at++;
      }
      lines[row] = line++;
      this.#buffer.rows = ++row;
    }
    this.#at = at;
    this.#line = line;
  }
}

const COMMENT = /^\s*(#|\/\/|%)/;

/** The number written with `count` digits at `at`. */
function wholeNumber(bytes: Uint8Array, at: number, count: number): number {
  let value = 0;
  for (let offset = 0; offset < count; offset++) value = value * 10 + bytes[at + offset]! - ZERO;
  return value;
}
