import { createHash } from 'node:crypto';
import { type BarInterval, parseBarInterval } from '../../model/bar-interval.ts';
import { Decimal } from '../../model/decimal.ts';
import { TidegateError } from '../../model/errors.ts';
import { isSymbol } from '../../model/instrument.ts';
import type { SignalValue } from '../../model/signal.ts';
import { decimalText, gcd } from '../../recording/columns/decimals.ts';
import { maxPriceDecimals, SERIES_COLUMNS, type SeriesColumn, type SeriesMeta } from '../../recording/columns/series-meta.ts';
import type { SeriesRows } from '../../recording/columns/series-reader.ts';
import { COLUMN_NAMES, isSignalColumn, type SignalRows } from '../../recording/signals/signal-rows.ts';
import { RecordedData, type RecordedSeries } from '../planning/recorded-data.ts';
import type { SeriesKind } from './series-rows.ts';
import type { HandFed, HandSignal } from './strategy-test-types.ts';

/** The name of the recording that the rows of a test make. */
export const HAND_FED = 'by-hand';

const SECOND_MS = 1_000;
/** The quantity of a row that has none, in base units. */
const QUANTITY = 1_000;

/** The terms of hand-fed rows. */
export interface FeedTerms {
  /** Epoch ms of the first row; the others follow at equal distances. */
  readonly start: number;
  /** The length of bars, and the distance of signals. */
  readonly interval: string;
  /** The symbol of rows that are a plain list. */
  readonly symbol: string;
}

type Row = Readonly<Record<string, unknown>>;

/** Everything that a test has written by hand. @throws TidegateError DATA_INVALID naming the row and the expected value. */
export function handFedData(fed: HandFed, terms: FeedTerms): RecordedData {
  const intervalMs = barLength(terms.interval);
  const series = KEYS.flatMap((key) =>
    Object.entries(bySymbol(fed[key], terms.symbol)).map(([symbol, rows]) =>
      seriesOf({ key, symbol, intervalMs, start: terms.start }, rows),
    ),
  );
  if (series.every(({ meta }) => meta.kind === 'mark' || meta.kind === 'funding'))
    throw new TidegateError('DATA_INVALID', `expected rows of at least one of ${KEYS.filter((key) => KINDS[key].isPrice).join(', ')}`);
  const signals = Object.entries(fed.signals ?? {}).map(
    ([name, rows]) => [name, signalRows(name, rows, terms.start + intervalMs, intervalMs)] as const,
  );
  return RecordedData.of(series, new Map(signals));
}

/** The symbols of hand-fed rows, in the order in which they first appear. @param symbol that of a plain list. */
export function symbolsOf(fed: HandFed, symbol: string): string[] {
  return [...new Set(KEYS.flatMap((key) => Object.keys(bySymbol(fed[key], symbol))))];
}

/** The length of a bar in ms. @throws TidegateError CONFIG_INVALID. */
export function barLength(interval: string): number {
  const length: BarInterval | undefined = parseBarInterval(interval);
  if (typeof length === 'number') return length;
  throw new TidegateError('CONFIG_INVALID', `interval: expected a length such as 1m, 15m, 1h or 1d, not "${interval}"`);
}

/** The keys of series; signals belong to no symbol. */
type SeriesKey = Exclude<keyof HandFed, 'signals'>;

interface Kind {
  readonly kind: SeriesKind;
  /** Strategies trade at them: a test needs some. */
  readonly isPrice: boolean;
  /** The rows of what a test has written as one; anything but an object is wrong. */
  readonly rows: (given: unknown) => readonly unknown[];
  /** The forms of a row, for messages. */
  readonly expected: string;
}

const KINDS: Readonly<Record<SeriesKey, Kind>> = {
  bars: kindOf('bar', ['open', 'high', 'low', 'close', 'volume'], { volume: QUANTITY }),
  quotes: kindOf('quote', ['bid', 'ask', 'bidQuantity', 'askQuantity'], { bidQuantity: QUANTITY, askQuantity: QUANTITY }),
  trades: kindOf('trade', ['price', 'quantity', 'side'], { quantity: QUANTITY }),
  tickers: kindOf('ticker', ['last'], {}),
  depth: { kind: 'depth', isPrice: true, rows: bookRows, expected: 'an object with bids and asks, lists of [price, quantity], and time' },
  marks: kindOf('mark', ['price'], {}),
  funding: kindOf('funding', ['rate'], {}),
};
const KEYS = Object.keys(KINDS) as SeriesKey[];

function kindOf(kind: SeriesKind, names: readonly string[], defaults: Row): Kind {
  const row = listRow(names, defaults);
  const oneOf = kind === 'funding' ? 'a rate' : 'a price';
  return {
    kind,
    isPrice: kind !== 'mark' && kind !== 'funding',
    rows: (given) => [kind === 'bar' && isPrice(given) ? flatBar(given) : row(given)],
    expected: `${oneOf}, a list [${names.join(', ')}] or an object of these and time`,
  };
}

function flatBar(price: unknown): Row {
  return { open: price, high: price, low: price, close: price, volume: QUANTITY };
}

/** A row for each level of a whole book. */
function bookRows(given: unknown): readonly unknown[] {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return [given];
  const { bids, asks, ...rest } = given as Row;
  if (!Array.isArray(bids) || !Array.isArray(asks)) return [undefined];
  const levels = (side: string, list: readonly unknown[]) =>
    list.map((level) => (Array.isArray(level) && level.length === 2 ? { ...rest, side, price: level[0], quantity: level[1] } : undefined));
  return [...levels('buy', bids), ...levels('sell', asks)];
}

/** A price alone, a list, or an object. */
function listRow(names: readonly string[], defaults: Row): (given: unknown) => unknown {
  return (given) => {
    if (isPrice(given) && names.length > 0) return { ...defaults, [names[0]!]: given };
    if (!Array.isArray(given)) return typeof given === 'object' && given !== null ? { ...defaults, ...given } : given;
    return { ...defaults, ...Object.fromEntries(given.map((value, index) => [names[index] ?? `value ${index + 1}`, value])) };
  };
}

function isPrice(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'string';
}

function bySymbol(rows: HandFed[SeriesKey], symbol: string): Readonly<Record<string, readonly unknown[]>> {
  if (rows === undefined) return {};
  return Array.isArray(rows) ? { [symbol]: rows } : (rows as Readonly<Record<string, readonly unknown[]>>);
}

interface SeriesTerms {
  readonly key: SeriesKey;
  readonly symbol: string;
  readonly intervalMs: number;
  readonly start: number;
}

/** One series; its numbers are exact decimals. */
function seriesOf(terms: SeriesTerms, given: readonly unknown[]): RecordedSeries {
  const { key, symbol, intervalMs, start } = terms;
  const { kind, rows: rowsOf, expected } = KINDS[key];
  if (!isSymbol(symbol)) throw new TidegateError('DATA_INVALID', `${key}: expected a symbol such as BTC-USDT, not "${symbol}"`);
  if (!Array.isArray(given) || given.length === 0) throw new TidegateError('DATA_INVALID', `${key} of ${symbol}: expected rows`);
  const everyMs = kind === 'bar' ? intervalMs : SECOND_MS;
  const columns = SERIES_COLUMNS[kind];
  const times: number[] = [];
  const rows = given.flatMap((one, index) => {
    const at = `${key} of ${symbol}, row ${index}`;
    const wrong = () => new TidegateError('DATA_INVALID', `${at}: expected ${expected}, not ${shown(one)}`);
    const made = rowsOf(one);
    if (made.length === 0) throw wrong();
    return made.map((row) => {
      if (typeof row !== 'object' || row === null) throw wrong();
      const { time = start + index * everyMs, ...values } = row as Row;
      times.push(timeOf(time, at, times.at(-1)));
      if (Object.keys(values).some((name) => columns.every((column) => column.name !== name))) throw wrong();
      const read = columns.map((column) => cellOf(column, values[column.name], at, kind));
      if (kind === 'bar') checkBar(read, at);
      return read;
    });
  });
  const decimalsOf = (unit: SeriesColumn['unit']) =>
    Math.max(0, ...columns.flatMap((column, index) => (column.unit === unit ? rows.map((row) => row[index]!.decimalPlaces()) : [])));
  const [priceDecimals, quantityDecimals] = [decimalsOf('price'), decimalsOf('quantity')];
  const scaled = columns.map(({ unit }, index) => {
    const power = unit === 'price' ? priceDecimals : unit === 'quantity' ? quantityDecimals : 0;
    return Float64Array.from(rows, (row) => {
      const units = row[index]!.times(Decimal.pow(10, power)).toNumber();
      if (Number.isSafeInteger(units)) return units;
      const digits = `with the ${power} decimal places of its column it has more than 15 digits, so it is not exact`;
      throw new TidegateError('DATA_INVALID', `${key} of ${symbol}: ${row[index]!.toFixed()}: ${digits}`);
    });
  });
  const step = columns.reduce((found, { unit }, index) => (unit === 'price' ? scaled[index]!.reduce(gcd, found) : found), 0);
  const hash = createHash('sha256').update(JSON.stringify([terms, times, rows]));
  const meta: SeriesMeta = {
    version: 1,
    symbol,
    kind,
    ...(kind === 'bar' && { intervalMs, gaps: 0 }),
    ...(kind === 'depth' && { snapshots: given.length }),
    rows: rows.length,
    firstTime: times[0]!,
    lastTime: times.at(-1)!,
    priceDecimals,
    quantityDecimals,
    priceStep: decimalText(step, priceDecimals),
    sha256: hash.digest('hex'),
    source: [],
  };
  const part = { meta, path: '', rows: () => new MemoryRows(meta, Float64Array.from(times), scaled) };
  const stored = { meta, parts: [part] };
  return { recording: HAND_FED, sources: [{ name: HAND_FED, stored }], meta, stored };
}

/** Rows in memory, as one chunk. */
class MemoryRows implements SeriesRows {
  length = 0;
  readonly nanos = undefined;
  #read = false;

  constructor(
    readonly meta: SeriesMeta,
    readonly time: Float64Array<ArrayBuffer>,
    readonly columns: readonly Float64Array<ArrayBuffer>[],
  ) {}

  next(): boolean {
    this.length = this.#read ? 0 : this.time.length;
    this.#read = true;
    return this.length > 0;
  }

  close(): void {}
}

function timeOf(given: unknown, at: string, before = Number.NEGATIVE_INFINITY): number {
  const time = typeof given === 'string' ? Date.parse(given) : given instanceof Date ? given.getTime() : given;
  if (typeof time !== 'number' || !Number.isFinite(time))
    throw new TidegateError('DATA_INVALID', `${at}: time: expected epoch ms, a Date or ISO 8601, not ${shown(given)}`);
  if (time < before) throw new TidegateError('DATA_INVALID', `${at}: its time is before that of the row above`);
  return time;
}

/** The value of a column; every row of a book belongs to a snapshot. */
function cellOf({ name, unit }: SeriesColumn, given: unknown, at: string, kind: SeriesKind): Decimal {
  switch (unit) {
    case 'side':
      return sideOf(given, at);
    case 'flag':
      return new Decimal(1);
    case 'number':
      return new Decimal(0);
    default:
      return amountOf(given, `${at}: ${name}`, kind);
  }
}

function amountOf(given: unknown, at: string, kind: SeriesKind): Decimal {
  const isRate = kind === 'funding';
  const amount = isPrice(given) && given !== '' && /^[-+]?[\d.]/.test(String(given)) ? decimalOf(given as number | string) : undefined;
  const isWrong = amount?.isFinite() !== true || (amount.isNegative() && !isRate) || (amount.isZero() && kind === 'depth');
  if (isWrong) {
    const range = isRate ? 'a number' : kind === 'depth' ? 'a number above 0' : 'a number of at least 0';
    throw new TidegateError('DATA_INVALID', `${at}: expected ${range} or decimal text, not ${shown(given)}`);
  }
  const most = maxPriceDecimals(kind);
  if (amount.decimalPlaces() > most) throw new TidegateError('DATA_INVALID', `${at}: more than ${most} decimal places`);
  return amount;
}

/** A value in one line. JSON would show `NaN` as null. */
function shown(value: unknown): string {
  return typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? 'nothing');
}

function decimalOf(given: number | string): Decimal | undefined {
  try {
    return new Decimal(given);
  } catch {
    return undefined;
  }
}

const SIDES: Readonly<Record<string, number>> = { buy: 1, sell: -1 };

function sideOf(given: unknown, at: string): Decimal {
  const side = given === undefined ? 0 : SIDES[String(given)];
  if (side === undefined) throw new TidegateError('DATA_INVALID', `${at}: side: expected buy, sell or nothing, not ${shown(given)}`);
  return new Decimal(side);
}

function checkBar([open, high, low, close]: readonly Decimal[], at: string): void {
  if (Decimal.max(open!, close!, low!).greaterThan(high!) || Decimal.min(open!, close!).lessThan(low!))
    throw new TidegateError('DATA_INVALID', `${at}: expected low <= open, close <= high`);
}

/** The signals of one name. @param first the time of the first row. */
function signalRows(name: string, given: readonly HandSignal[], first: number, everyMs: number): SignalRows {
  if (!Array.isArray(given) || given.length === 0) throw new TidegateError('DATA_INVALID', `signals of ${name}: expected rows`);
  const times: number[] = [];
  const rows = given.map((one: unknown, index) => {
    const at = `signals of ${name}, row ${index}`;
    const wrong = (expected: string, value: unknown = one) =>
      new TidegateError('DATA_INVALID', `${at}: expected ${expected}, not ${shown(value)}`);
    if (typeof one !== 'object' || one === null || Array.isArray(one)) throw wrong('an object of values, time and symbol');
    const { time = first + index * everyMs, symbol, ...values } = one as Row;
    times.push(timeOf(time, at, times.at(-1)));
    if (symbol !== undefined && !(typeof symbol === 'string' && isSymbol(symbol))) throw wrong('a symbol such as BTC-USDT', symbol);
    const read = Object.entries(values).map(([column, value]): [string, SignalValue] => {
      if (!isSignalColumn(column)) throw wrong(`a name of ${COLUMN_NAMES}`, column);
      if (typeof value === 'boolean') return [column, String(value)];
      if (value === null || value === undefined) return [column, null];
      if (typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value))) return [column, value];
      throw wrong(`${column} to be a finite number, a text or null`, value);
    });
    return { symbol, values: new Map(read) };
  });
  const names = [...new Set(rows.flatMap(({ values }) => [...values.keys()]))];
  const columns = names.map((column) => rows.map(({ values }) => values.get(column) ?? null));
  return {
    columns: names.map((column, index) => ({
      name: column,
      type: columns[index]!.some((value) => typeof value === 'string') ? 'text' : 'number',
    })),
    times,
    symbols: rows.map(({ symbol }) => symbol as string | undefined),
    values: columns,
  };
}
