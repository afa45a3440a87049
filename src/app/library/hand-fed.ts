import { createHash } from 'node:crypto';
import { type BarInterval, parseBarInterval } from '../../model/bar-interval.ts';
import { Decimal } from '../../model/decimal.ts';
import { TidegateError } from '../../model/errors.ts';
import { isSymbol } from '../../model/instrument.ts';
import { decimalText, gcd } from '../../recording/columns/decimals.ts';
import { MAX_DECIMALS, SERIES_COLUMNS, type SeriesColumn, type SeriesMeta } from '../../recording/columns/series-meta.ts';
import type { SeriesRows } from '../../recording/columns/series-reader.ts';
import { RecordedData, type RecordedSeries } from '../planning/recorded-data.ts';
import type { HandFed, HandKind } from './strategy-test-types.ts';

/** The name of the recording that the rows of a test make. */
export const HAND_FED = 'by-hand';

const SECOND_MS = 1_000;
/** The quantity of a row that has none, in base units. */
const QUANTITY = 1_000;

/** The terms of hand-fed rows. */
export interface FeedTerms {
  /** Epoch ms of the first row; the others follow at equal distances. */
  readonly start: number;
  /** The length of bars. */
  readonly interval: string;
  /** The symbol of rows that are a plain list. */
  readonly symbol: string;
}

type Row = Readonly<Record<string, unknown>>;

/** The series of rows that a test has written by hand. @throws TidegateError DATA_INVALID naming the row and the expected value. */
export function handFedData(fed: HandFed, terms: FeedTerms): RecordedData {
  const intervalMs = barLength(terms.interval);
  const series = Object.entries(KINDS).flatMap(([key, { kind }]) =>
    Object.entries(bySymbol(fed[key as keyof HandFed], terms.symbol)).map(([symbol, rows]) =>
      seriesOf({ key: key as keyof HandFed, symbol, kind, intervalMs, start: terms.start }, rows),
    ),
  );
  if (series.length > 0) return RecordedData.of(series);
  throw new TidegateError('DATA_INVALID', `expected rows of at least one of ${Object.keys(KINDS).join(', ')}`);
}

/** The symbols of hand-fed rows, in the order in which they first appear. @param symbol that of a plain list. */
export function symbolsOf(fed: HandFed, symbol: string): string[] {
  const keys = Object.keys(KINDS) as (keyof HandFed)[];
  return [...new Set(keys.flatMap((key) => Object.keys(bySymbol(fed[key], symbol))))];
}

/** The length of a bar in ms. @throws TidegateError CONFIG_INVALID. */
export function barLength(interval: string): number {
  const length: BarInterval | undefined = parseBarInterval(interval);
  if (typeof length === 'number') return length;
  throw new TidegateError('CONFIG_INVALID', `interval: expected a length such as 1m, 15m, 1h or 1d, not "${interval}"`);
}

/** The key of each kind, with the short form of its rows and what a row may leave out. */
const KINDS: Readonly<Record<keyof HandFed, { readonly kind: HandKind; readonly row: (given: unknown) => unknown }>> = {
  bars: { kind: 'bar', row: barRow },
  quotes: { kind: 'quote', row: listRow(['bid', 'ask'], { bidQuantity: QUANTITY, askQuantity: QUANTITY }) },
  trades: { kind: 'trade', row: listRow(['price', 'quantity', 'side'], { quantity: QUANTITY }) },
  tickers: { kind: 'ticker', row: listRow(['last'], {}) },
};

function barRow(given: unknown): unknown {
  if (isPrice(given)) return { open: given, high: given, low: given, close: given, volume: QUANTITY };
  return listRow(['open', 'high', 'low', 'close', 'volume'], { volume: QUANTITY })(given);
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

function bySymbol(rows: HandFed[keyof HandFed], symbol: string): Readonly<Record<string, readonly unknown[]>> {
  if (rows === undefined) return {};
  return Array.isArray(rows) ? { [symbol]: rows } : (rows as Readonly<Record<string, readonly unknown[]>>);
}

interface SeriesTerms {
  readonly key: keyof HandFed;
  readonly symbol: string;
  readonly kind: HandKind;
  readonly intervalMs: number;
  readonly start: number;
}

/** One series; its numbers are exact decimals. */
function seriesOf(terms: SeriesTerms, given: readonly unknown[]): RecordedSeries {
  const { key, symbol, kind, intervalMs, start } = terms;
  if (!isSymbol(symbol)) throw new TidegateError('DATA_INVALID', `${key}: expected a symbol such as BTC-USDT, not "${symbol}"`);
  if (!Array.isArray(given) || given.length === 0) throw new TidegateError('DATA_INVALID', `${key} of ${symbol}: expected rows`);
  const everyMs = kind === 'bar' ? intervalMs : SECOND_MS;
  const columns = SERIES_COLUMNS[kind];
  const times: number[] = [];
  const rows = given.map((one, index) => {
    const at = `${key} of ${symbol}, row ${index}`;
    const row = KINDS[key].row(one);
    if (typeof row !== 'object' || row === null) throw wrongRow(at, columns, one);
    const { time = start + index * everyMs, ...values } = row as Row;
    times.push(timeOf(time, at, times.at(-1)));
    const unknown = Object.keys(values).find((name) => columns.every((column) => column.name !== name));
    if (unknown !== undefined) throw wrongRow(at, columns, one);
    const read = columns.map(({ name, unit }) => (unit === 'side' ? sideOf(values[name], at) : amountOf(values[name], `${at}: ${name}`)));
    if (kind === 'bar') checkBar(read, at);
    return read;
  });
  const decimalsOf = (unit: SeriesColumn['unit']) =>
    Math.max(0, ...columns.flatMap((column, index) => (column.unit === unit ? rows.map((row) => row[index]!.decimalPlaces()) : [])));
  const [priceDecimals, quantityDecimals] = [decimalsOf('price'), decimalsOf('quantity')];
  const scaled = columns.map(({ unit }, index) => {
    const power = unit === 'price' ? priceDecimals : unit === 'quantity' ? quantityDecimals : 0;
    return Float64Array.from(rows, (row) => row[index]!.times(Decimal.pow(10, power)).toNumber());
  });
  const step = columns.reduce((found, { unit }, index) => (unit === 'price' ? scaled[index]!.reduce(gcd, found) : found), 0);
  const hash = createHash('sha256').update(JSON.stringify([terms, times, rows]));
  const meta: SeriesMeta = {
    version: 1,
    symbol,
    kind,
    ...(kind === 'bar' && { intervalMs, gaps: 0 }),
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
    throw new TidegateError('DATA_INVALID', `${at}: time: expected epoch ms, a Date or ISO 8601, not ${JSON.stringify(given)}`);
  if (time < before) throw new TidegateError('DATA_INVALID', `${at}: its time is before that of the row above`);
  return time;
}

function amountOf(given: unknown, at: string): Decimal {
  const amount = isPrice(given) && given !== '' && /^[-+]?[\d.]/.test(String(given)) ? decimalOf(given as number | string) : undefined;
  if (amount === undefined || !amount.isFinite() || amount.isNegative())
    throw new TidegateError(
      'DATA_INVALID',
      `${at}: expected a number of at least 0 or decimal text, not ${JSON.stringify(given) ?? 'nothing'}`,
    );
  if (amount.decimalPlaces() > MAX_DECIMALS) throw new TidegateError('DATA_INVALID', `${at}: more than ${MAX_DECIMALS} decimal places`);
  return amount;
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
  if (side === undefined)
    throw new TidegateError('DATA_INVALID', `${at}: side: expected buy, sell or nothing, not ${JSON.stringify(given)}`);
  return new Decimal(side);
}

function checkBar([open, high, low, close]: readonly Decimal[], at: string): void {
  if (Decimal.max(open!, close!, low!).greaterThan(high!) || Decimal.min(open!, close!).lessThan(low!))
    throw new TidegateError('DATA_INVALID', `${at}: expected low <= open, close <= high`);
}

function wrongRow(at: string, columns: readonly SeriesColumn[], given: unknown): TidegateError {
  const names = columns.map(({ name }) => name);
  return new TidegateError(
    'DATA_INVALID',
    `${at}: expected a price, a list [${names.join(', ')}] or an object of these and time, not ${JSON.stringify(given) ?? 'nothing'}`,
  );
}
