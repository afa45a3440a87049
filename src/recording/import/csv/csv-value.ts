import type { TidegateError } from '../../../model/errors.ts';
import type { RowBuffer } from '../../columns/chunks.ts';
import { type ExactDecimal, POWERS_OF_TEN, parseExactDecimal, roundHalfEven } from '../../columns/decimals.ts';
import { MAX_DECIMALS, maxPriceDecimals } from '../../columns/series-meta.ts';
import type { ImportNotes } from '../import-notes.ts';
import { type DecimalScales, OneSymbol, quoted, RowError } from '../rows.ts';
import { TIME_FORMS, TimeParser } from '../times/time-parser.ts';
import { BLANK_PRICE } from './carried-prices.ts';
import type { CsvLayout } from './csv-layout.ts';
import { plainNumber } from './csv-numbers.ts';
import { SIDES } from './word-columns.ts';

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);
const FLAGS: ReadonlyMap<string, number> = new Map([
  ...['true', 't', '1', 'snapshot', 'snap'].map((text) => [text, 1] as const),
  ...['false', 'f', '0', '', 'delta', 'set', 'update', 'change'].map((text) => [text, 0] as const),
]);
const YES: ReadonlyMap<string, number> = new Map([
  ...['true', 't', '1'].map((text) => [text, 1] as const),
  ...['false', 'f', '0'].map((text) => [text, -1] as const),
  ['', 0],
]);

/**
 * Reads the fields that the fast path of `CsvRows` cannot read: quotes, blanks, exponents, long numbers, dates, sides, and every error.
 * Results are in `value` (or `time`) and `next`.
 */
export class CsvValue {
  value = 0;
  /** Position of the separator or line end after the field. */
  next = 0;
  /** After a symbol: the row has another symbol than the imported one and is skipped. */
  other = false;
  readonly time: TimeParser;
  /** Parses the second time of a row. */
  readonly #clockTime: TimeParser;
  /** The last rows whose day and whose time of day were read, and the texts. */
  #dayRow = -1;
  #day = '';
  #clockRow = -1;
  #clock = '';
  /** By field: the text that all rows have. */
  readonly #same = new Map<number, OneSymbol>();
  /** The sides found: with 1 and 0 but without -1, 0 is a side of its own. */
  readonly #sides = new Set<string>();

  constructor(
    readonly path: string,
    readonly layout: CsvLayout,
    readonly scales: DecimalScales,
    readonly symbol: OneSymbol,
    readonly buffer: RowBuffer,
    private readonly notes: ImportNotes,
  ) {
    this.time = new TimeParser(layout.times);
    this.#clockTime = new TimeParser(layout.times);
  }

  /**
   * Reads field `index` at `at` of line `row`. False when it changed the decimals of the import: the row must then be read again from its
   * start.
   * @throws TidegateError DATA_INVALID naming file, row and column.
   */
  read(bytes: Buffer, at: number, index: number, row: number): boolean {
    const found = fieldText(bytes, at, this.layout.separator.charCodeAt(0));
    if (found === undefined) throw this.invalid(row, index, 'a quote that does not end on its line');
    this.next = found.next;
    return this.take(found.text, index, row);
  }

  /** As `read`, from the text of the field. */
  take(text: string, index: number, row: number): boolean {
    const field = this.layout.fields[index]!;
    switch (field.unit) {
      case 'skip':
        return true;
      case 'time':
        this.time.begin(row);
        if (!this.time.parse(text)) throw this.invalid(row, index, this.#noTime(`expected ${TIME_FORMS}, not`, text));
        return true;
      case 'day':
        this.#day = text;
        this.#dayRow = row;
        return this.#joined(row, index);
      case 'timeOfDay':
        this.#clock = text;
        this.#clockRow = row;
        return this.#joined(row, index);
      case 'clock':
        // Only the clock offset uses it, so a text that is not a time is ignored.
        this.value = this.#clockTime.parse(text) ? this.#clockTime.us : Number.NaN;
        return true;
      case 'symbol':
        this.other = this.#isOther(text, row, index);
        return true;
      case 'same':
        if (text !== '' && this.same(index).judge(text) === 'refused') throw this.invalid(row, index, this.#changed(text, index));
        return true;
      case 'side':
        this.value = this.#side(text, row, index);
        return true;
      case 'flag':
        this.value = this.#flag(text, row, index);
        return true;
      case 'number':
      case 'substitute':
        this.value = this.#ownNumber(text, row, index);
        return true;
      case 'price':
      case 'quantity':
        return this.#decimal(text, field.unit, row, index);
    }
    return field.unit satisfies never;
  }

  /** An error at a field of this file. */
  invalid(row: number, index: number, problem: string): TidegateError {
    return new RowError(this.path, row, this.layout.fields[index]?.header, problem);
  }

  /** Whether both fields of a time in two columns have been read in this row: `time` then contains it. */
  hasTime(row: number): boolean {
    return this.#dayRow === row && this.#clockRow === row;
  }

  #joined(row: number, index: number): true {
    if (!this.hasTime(row)) return true;
    this.time.begin(row);
    if (this.time.parseParts(this.#day, this.#clock)) return true;
    throw this.invalid(
      row,
      index,
      this.#noTime('expected a day and a time of day (--date-format gives another form), not', `${this.#day} ${this.#clock}`),
    );
  }

  #noTime(expected: string, text: string): string {
    const { zone } = this.layout.times;
    if (!this.time.skipped || zone === undefined) return `${expected} ${quoted(text)}`;
    return `${quoted(text)} does not exist in ${zone.name}: daylight saving skips it; --zone names another zone`;
  }

  /**
   * Called at the end of a file: checks that its sides are of one kind.
   * @throws TidegateError DATA_INVALID where they are 0 and 1, which may mean either side.
   */
  checkSides(): void {
    if (!this.#sides.has('0') || !this.#sides.has('1') || this.#sides.has('-1')) return;
    const index = this.layout.fields.findIndex(({ unit }) => unit === 'side');
    throw this.invalid(
      1,
      index,
      'the sides are 0 and 1, and nothing says which of them is a buy; expected buy and sell, or 1 and -1; --columns side=none imports without a side',
    );
  }

  /** The text that a column has in all rows. */
  same(index: number): OneSymbol {
    const known = this.#same.get(index) ?? new OneSymbol(undefined);
    this.#same.set(index, known);
    return known;
  }

  #changed(text: string, index: number): string {
    const { header } = this.layout.fields[index]!;
    const before = this.same(index).text;
    return `the rows are of several, ${quoted(before)} and ${quoted(text)}; --columns symbol=${header} --only ${before} takes those of one; --columns symbol=none takes all`;
  }

  #isOther(text: string, row: number, index: number): boolean {
    const answer = this.symbol.judge(text);
    if (answer !== 'refused') return answer === 'other';
    const { text: meant } = this.symbol;
    const problem = `expected one symbol in all rows, ${quoted(meant)}, not ${quoted(text)} too; --only ${meant} takes the rows of that one`;
    throw this.invalid(row, index, problem);
  }

  #side(text: string, row: number, index: number): number {
    const { sides } = this.layout;
    const isWord = sides === 'taker' || sides === 'maker';
    const side = (isWord ? SIDES : YES).get(text.toLowerCase());
    const level = this.buffer.kind === 'depth';
    if (isWord && this.#sides.size < 3 && (text === '0' || text === '1' || text === '-1')) this.#sides.add(text);
    if (side !== undefined && !(level && side === 0)) return side === 0 || sides === 'taker' || sides === 'isBuy' ? side : -side;
    const expected = !isWord ? 'true or false' : level ? 'bid or ask' : 'buy or sell';
    throw this.invalid(row, index, `expected ${expected}, not ${quoted(text)}`);
  }

  #flag(text: string, row: number, index: number): number {
    const flag = FLAGS.get(text.toLowerCase());
    if (flag !== undefined) return flag;
    throw this.invalid(row, index, `expected true or false, snapshot or delta, not ${quoted(text)}`);
  }

  #ownNumber(text: string, row: number, index: number): number {
    // Binance writes -1 where there is no number.
    if (text === '' || text === '-1') return 0;
    const number = Number(text);
    if (/^\d+$/.test(text) && Number.isSafeInteger(number)) return number + this.layout.fields[index]!.shift;
    throw this.invalid(row, index, `expected a whole number below 2^53 or nothing, not ${quoted(text)}`);
  }

  #decimal(text: string, unit: 'price' | 'quantity', row: number, index: number): boolean {
    if (text === '' && unit === 'price' && this.layout.carriesPrices) {
      this.value = BLANK_PRICE;
      return true;
    }
    const volume = unit === 'quantity' && this.buffer.kind === 'bar';
    const plain = volume && text === '' ? '0' : plainNumber(text, this.layout.numbers);
    const number = plain === undefined ? undefined : parseExactDecimal(plain);
    if (number === undefined) throw this.invalid(row, index, this.#noDecimal(text, volume));
    const factor = this.layout.factors[unit];
    const written = factor === undefined ? number : multiplied(number, factor);
    if (unit === 'quantity' && written.digits < 0n)
      throw this.invalid(row, index, `expected a quantity of at least 0, not ${quoted(text)}`);

    const decimal = this.notes.settle(written, unit);
    const places = volume ? Math.min(decimal.decimals, this.scales.quantityCap) : decimal.decimals;
    const most = unit === 'price' ? maxPriceDecimals(this.buffer.kind) : MAX_DECIMALS;
    if (places > most)
      throw this.invalid(
        row,
        index,
        `expected at most ${most} decimals, not ${quoted(text)}${unit === 'price' ? '; --decimals <n> rounds all prices' : ''}`,
      );
    if (places > this.scales[unit]) return this.#grow(unit, places, text, row, index);
    const units =
      decimal.decimals > this.scales[unit]
        ? roundHalfEven(decimal.digits, decimal.decimals - this.scales[unit])
        : decimal.digits * 10n ** BigInt(this.scales[unit] - decimal.decimals);
    if (units <= SAFE && units >= -SAFE) {
      this.value = Number(units);
      if (decimal !== written) this.notes.count(written, decimal);
      return true;
    }
    if (volume && this.scales.quantity > 0) {
      this.scales.capQuantity(String(decimal.digits).length - decimal.decimals);
      return false;
    }
    throw this.invalid(
      row,
      index,
      `${quoted(text)} at the ${this.scales[unit]} decimals of this file does not fit a safe integer (2^53); ${FITTING[unit]}`,
    );
  }

  #noDecimal(text: string, volume: boolean): string {
    const { mark } = this.layout.numbers;
    const isMarked = /^[+-]?[\d., ]*\d[\d., ]*$/.test(text);
    const expected = isMarked && mark !== undefined ? `a decimal ${mark}` : 'a decimal number';
    const help = isMarked
      ? '; --decimal-mark comma or point says how decimals are written'
      : volume
        ? '; --columns volume=none imports without a volume'
        : '';
    return `expected ${expected}, not ${quoted(text)}${help}`;
  }

  #grow(unit: 'price' | 'quantity', places: number, text: string, row: number, index: number): boolean {
    const largest = this.scales.largestWith(unit, places, this.buffer);
    const fits = largest <= Number.MAX_SAFE_INTEGER;
    const volume = unit === 'quantity' && this.buffer.kind === 'bar';
    if (!fits && !volume) {
      const problem = `with the ${places} decimals of ${quoted(text)} an earlier value of this file does not fit a safe integer (2^53); ${FITTING[unit]}`;
      throw this.invalid(row, index, problem);
    }
    this.scales.grow(unit, places, this.buffer);
    if (!fits) this.scales.capQuantity(Math.floor(largest / POWERS_OF_TEN[places]!).toFixed(0).length);
    return false;
  }
}

/** The options that make a number fit. */
const FITTING = {
  price: '--decimals <n> rounds all prices',
  quantity: '--quantity-factor <n> multiplies all quantities, such as contracts of a token by 0.001',
} as const;

/** The product, without needless places. */
function multiplied(a: ExactDecimal, b: ExactDecimal): ExactDecimal {
  let digits = a.digits * b.digits;
  let decimals = a.decimals + b.decimals;
  for (; decimals > 0 && digits % 10n === 0n; decimals--) digits /= 10n;
  return { digits, decimals };
}

const QUOTE = 34;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** One field of a line: its text, trimmed and unquoted, and the position of the separator or line end after it. */
interface FieldText {
  readonly text: string;
  readonly next: number;
}

/** The field that begins at `at`; `undefined` when a quote in it is not closed on its line. The line ends with a line feed. */
function fieldText(bytes: Buffer, at: number, separator: number): FieldText | undefined {
  let next = at;
  if (bytes[at] === QUOTE) {
    next = quoteEnd(bytes, at);
    if (next < 0) return undefined;
    const rest = fieldEnd(bytes, next, separator);
    const inside = bytes.toString('utf8', at + 1, next - 1).replaceAll('""', '"');
    return { text: (inside + bytes.toString('utf8', next, rest)).trim(), next: rest };
  }
  next = fieldEnd(bytes, at, separator);
  return { text: bytes.toString('utf8', at, next).trim(), next };
}

function fieldEnd(bytes: Buffer, from: number, separator: number): number {
  let at = from;
  while (bytes[at] !== separator && bytes[at] !== LINE_FEED) at++;
  return bytes[at] === LINE_FEED && at > from && bytes[at - 1] === CARRIAGE_RETURN ? at - 1 : at;
}

/** The position after the closing quote, or -1 when the line ends before. */
function quoteEnd(bytes: Buffer, from: number): number {
  for (let at = from + 1; bytes[at] !== LINE_FEED; at++) {
    if (bytes[at] !== QUOTE) continue;
    if (bytes[at + 1] !== QUOTE) return at + 1;
    at++;
  }
  return -1;
}
