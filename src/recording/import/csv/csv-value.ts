import type { TidegateError } from '../../../model/errors.ts';
import type { RowBuffer } from '../../columns/chunks.ts';
import { POWERS_OF_TEN, parseExactDecimal, roundHalfEven } from '../../columns/decimals.ts';
import { MAX_DECIMALS, maxPriceDecimals } from '../../columns/series-meta.ts';
import { type DecimalScales, type OneSymbol, quoted, RowError } from '../rows.ts';
import type { CsvLayout } from './csv-layout.ts';
import { TIME_FORMS, TimeParser } from './csv-time.ts';

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);
const SIDES: ReadonlyMap<string, number> = new Map([
  ...['buy', 'b', 'bid', 'bids', '1', 'buyer'].map((text) => [text, 1] as const),
  ...['sell', 's', 'ask', 'asks', 'a', '-1', 'seller'].map((text) => [text, -1] as const),
  ...['', '0', 'unknown'].map((text) => [text, 0] as const),
]);
const FLAGS: ReadonlyMap<string, number> = new Map([
  ...['true', 't', '1', 'snapshot', 'snap'].map((text) => [text, 1] as const),
  ...['false', 'f', '0', '', 'delta', 'set', 'update', 'change'].map((text) => [text, 0] as const),
]);
const BUYER_MAKER: ReadonlyMap<string, number> = new Map([
  ...['true', 't', '1'].map((text) => [text, -1] as const),
  ...['false', 'f', '0'].map((text) => [text, 1] as const),
  ['', 0],
]);

/**
 * Reads what the fast path of `CsvRows` leaves aside: quotes, blanks, exponents, long numbers, dates, sides,
 * and every error. Results stand in `value` (or `time`) and `next`.
 */
export class CsvValue {
  value = 0;
  /** Where the separator or line end after the field stands. */
  next = 0;
  /** After a symbol: the row is of another one than is meant, and to be passed over. */
  other = false;
  readonly time = new TimeParser();

  constructor(
    readonly path: string,
    readonly layout: CsvLayout,
    readonly scales: DecimalScales,
    readonly symbol: OneSymbol,
    readonly buffer: RowBuffer,
  ) {}

  /**
   * Reads field `index` at `at` of line `row`. False when the decimals of the import changed on its account:
   * the row is then to be read again from its start.
   * @throws TidegateError DATA_INVALID naming file, row and column.
   */
  read(bytes: Buffer, at: number, index: number, row: number): boolean {
    const field = this.layout.fields[index]!;
    const found = fieldText(bytes, at, this.layout.separator.charCodeAt(0));
    if (found === undefined) throw this.invalid(row, index, 'a quote that does not end on its line');
    this.next = found.next;
    switch (field.unit) {
      case 'skip':
        return true;
      case 'time':
        if (!this.time.parse(found.text)) throw this.invalid(row, index, `expected ${TIME_FORMS}, not ${quoted(found.text)}`);
        return true;
      case 'clock':
        // Nothing but its offset follows from it: what is no time is none.
        this.value = this.time.parse(found.text) ? this.time.us : Number.NaN;
        return true;
      case 'symbol':
        this.other = this.#isOther(found.text, row, index);
        return true;
      case 'side':
        this.value = this.#side(found.text, row, index);
        return true;
      case 'flag':
        this.value = this.#flag(found.text, row, index);
        return true;
      case 'number':
      case 'standIn':
        this.value = this.#ownNumber(found.text, row, index);
        return true;
      case 'price':
      case 'quantity':
        return this.#decimal(found.text, field.unit, row, index);
    }
    return field.unit satisfies never;
  }

  /** An error at a field of this file. */
  invalid(row: number, index: number, problem: string): TidegateError {
    return new RowError(this.path, row, this.layout.fields[index]?.header, problem);
  }

  #isOther(text: string, row: number, index: number): boolean {
    const answer = this.symbol.judge(text);
    if (answer !== 'refused') return answer === 'other';
    const { text: meant } = this.symbol;
    const problem = `expected one symbol in all rows, ${quoted(meant)}, not ${quoted(text)} too; --only ${meant} takes the rows of that one`;
    throw this.invalid(row, index, problem);
  }

  #side(text: string, row: number, index: number): number {
    const side = (this.layout.buyerMaker ? BUYER_MAKER : SIDES).get(text.toLowerCase());
    const level = this.buffer.kind === 'depth';
    if (side !== undefined && !(level && side === 0)) return side;
    const expected = level ? 'bid or ask' : this.layout.buyerMaker ? 'true or false' : 'buy or sell';
    throw this.invalid(row, index, `expected ${expected}, not ${quoted(text)}`);
  }

  #flag(text: string, row: number, index: number): number {
    const flag = FLAGS.get(text.toLowerCase());
    if (flag !== undefined) return flag;
    throw this.invalid(row, index, `expected true or false, snapshot or delta, not ${quoted(text)}`);
  }

  #ownNumber(text: string, row: number, index: number): number {
    // Binance writes -1 where there is none.
    if (text === '' || text === '-1') return 0;
    const number = Number(text);
    if (/^\d+$/.test(text) && Number.isSafeInteger(number)) return number + this.layout.fields[index]!.shift;
    throw this.invalid(row, index, `expected a whole number below 2^53 or nothing, not ${quoted(text)}`);
  }

  #decimal(text: string, unit: 'price' | 'quantity', row: number, index: number): boolean {
    const volume = unit === 'quantity' && this.buffer.kind === 'bar';
    const decimal = parseExactDecimal(volume && text === '' ? '0' : text);
    if (decimal === undefined) throw this.invalid(row, index, `expected a decimal number, not ${quoted(text)}`);
    if (unit === 'quantity' && decimal.digits < 0n)
      throw this.invalid(row, index, `expected a quantity of at least 0, not ${quoted(text)}`);

    const places = volume ? Math.min(decimal.decimals, this.scales.quantityCap) : decimal.decimals;
    const most = unit === 'price' ? maxPriceDecimals(this.buffer.kind) : MAX_DECIMALS;
    if (places > most) throw this.invalid(row, index, `expected at most ${most} decimals, not ${quoted(text)}`);
    if (places > this.scales[unit]) return this.#grow(unit, places, text, row, index);
    const units =
      decimal.decimals > this.scales[unit]
        ? roundHalfEven(decimal.digits, decimal.decimals - this.scales[unit])
        : decimal.digits * 10n ** BigInt(this.scales[unit] - decimal.decimals);
    if (units <= SAFE && units >= -SAFE) {
      this.value = Number(units);
      return true;
    }
    if (volume && this.scales.quantity > 0) {
      this.scales.capQuantity(String(decimal.digits).length - decimal.decimals);
      return false;
    }
    throw this.invalid(row, index, `${quoted(text)} at the ${this.scales[unit]} decimals of this file does not fit a safe integer (2^53)`);
  }

  #grow(unit: 'price' | 'quantity', places: number, text: string, row: number, index: number): boolean {
    const largest = this.scales.largestWith(unit, places, this.buffer);
    const fits = largest <= Number.MAX_SAFE_INTEGER;
    const volume = unit === 'quantity' && this.buffer.kind === 'bar';
    if (!fits && !volume) {
      const problem = `with the ${places} decimals of ${quoted(text)} an earlier value of this file does not fit a safe integer (2^53)`;
      throw this.invalid(row, index, problem);
    }
    this.scales.grow(unit, places, this.buffer);
    if (!fits) this.scales.capQuantity(Math.floor(largest / POWERS_OF_TEN[places]!).toFixed(0).length);
    return false;
  }
}

const QUOTE = 34;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** One field of a line: its text, trimmed and unquoted, and where the separator or line end after it stands. */
interface FieldText {
  readonly text: string;
  readonly next: number;
}

/** The field that begins at `at`; `undefined` when a quote in it does not end on its line. The line ends with a line feed. */
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
