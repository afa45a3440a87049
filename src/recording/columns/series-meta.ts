import { readFileSync } from 'node:fs';
import { TidegateError } from '../../model/errors.ts';
import { isSymbol } from '../../model/instrument.ts';
import { MARKET_EVENT_KINDS, type MarketEventKind } from '../../model/market-events.ts';
import { intervalText } from '../../model/time.ts';

export type SeriesKind = MarketEventKind;

/** How a synthetic series was made: the same values make the same bytes again. */
export interface SyntheticOrigin {
  readonly seed: number;
  /** Version of the generator; another version makes other data from the same seed. */
  readonly generator: number;
  /** The opening price as decimal text. */
  readonly price: string;
  /** The price tick as decimal text. */
  readonly tick: string;
}

/** How far receive times are from the exchange's times of the same rows, latency included: receive less exchange time in ms. */
export interface ClockOffset {
  /** Rows that have both times. */
  readonly rows: number;
  /** How many of them were received a millisecond or more before the exchange's time. */
  readonly early: number;
  readonly least: number;
  readonly median: number;
  readonly greatest: number;
  /** Medians of the first and of the last tenth of the rows. */
  readonly first: number;
  readonly last: number;
}

/** The JSON file of a series: enough to plan a run without opening the data. */
export interface SeriesMeta {
  readonly version: 1;
  readonly symbol: string;
  readonly kind: SeriesKind;
  /** Length of a bar in ms; for bars only. */
  readonly intervalMs?: number | undefined;
  readonly rows: number;
  /** Epoch ms of the first row (bars: open time), fractions to the microsecond. */
  readonly firstTime: number;
  /** Epoch ms of the last row (bars: OPEN time of the last bar). */
  readonly lastTime: number;
  /** Prices (for funding: rates) in the file are integers of `10^-priceDecimals`. */
  readonly priceDecimals: number;
  /** Quantities and volumes in the file are integers of `10^-quantityDecimals`. */
  readonly quantityDecimals: number;
  /**
   * Decimal text of the greatest step of which every price is a multiple: an instrument's tick must divide it. Marks and funding rates have
   * no tick: theirs is not used.
   */
  readonly priceStep: string;
  /** SHA-256 of the `.bin` file, in hex. */
  readonly sha256: string;
  /** Base names of its source files, in time order; empty for synthetic data. */
  readonly source: readonly string[];
  readonly synthetic?: SyntheticOrigin | undefined;
  /** Present where its source had receive and exchange times. */
  readonly clock?: ClockOffset | undefined;
  /** How often the rows of one time are the whole order book; for depth only. */
  readonly snapshots?: number | undefined;
  /** How often the next bar does not open one interval after the last; for bars only. */
  readonly gaps?: number | undefined;
}

/** File name of a series without its ending: `BTC-USDT.bar.1m`, `BTC-USDT.quote`. */
export function seriesFileName(meta: Pick<SeriesMeta, 'symbol' | 'kind' | 'intervalMs'>): string {
  const interval = meta.intervalMs === undefined ? '' : `.${intervalText(meta.intervalMs)}`;
  return `${meta.symbol}.${meta.kind}${interval}`;
}

/** `BTC-USDT bar 1m`, `ETH-USDT ticker`. */
export function seriesTitle({ symbol, kind, intervalMs }: Pick<SeriesMeta, 'symbol' | 'kind' | 'intervalMs'>): string {
  return `${symbol} ${kind}${intervalMs === undefined ? '' : ` ${intervalText(intervalMs)}`}`;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** True for a valid name of a recording: 1 to 64 letters, digits, `.`, `_`, `-`, not starting with a mark. */
export function isRecordingName(name: string): boolean {
  return NAME.test(name);
}

/** @throws TidegateError USAGE for a name that is no plain folder name. */
export function assertRecordingName(name: string): void {
  if (isRecordingName(name)) return;
  throw new TidegateError(
    'USAGE',
    `"${name}" cannot name a recording: 1 to 64 letters, digits, ".", "_" or "-", starting with a letter or digit`,
  );
}

/**
 * The unit of a column's integers: price or quantity units of the series' decimals (funding rates count as prices), a side, a yes or no, or
 * the source's own number, such as that of an update (0: none).
 */
export type ColumnUnit = 'price' | 'quantity' | 'side' | 'flag' | 'number';

/** True for integers of the series' decimals. */
export function isDecimal(unit: ColumnUnit): unit is 'price' | 'quantity' {
  return unit === 'price' || unit === 'quantity';
}

export interface SeriesColumn {
  readonly name: string;
  readonly unit: ColumnUnit;
}

/**
 * The columns of each kind after the time, in file order. Sides: 1 buy aggressor (of depth: a bid), -1 sell aggressor (an ask), 0
 * unknown. For depth each row is a level, and rows of one time and one update change the book together. `quantity` is the new quantity (0:
 * none); `snapshot` means that the rows of that time are the whole book; `update` is the source's number of the change, and `previous` that
 * of the change before it.
 */
export const SERIES_COLUMNS: Readonly<Record<SeriesKind, readonly SeriesColumn[]>> = {
  bar: [
    { name: 'open', unit: 'price' },
    { name: 'high', unit: 'price' },
    { name: 'low', unit: 'price' },
    { name: 'close', unit: 'price' },
    { name: 'volume', unit: 'quantity' },
  ],
  depth: [
    { name: 'side', unit: 'side' },
    { name: 'price', unit: 'price' },
    { name: 'quantity', unit: 'quantity' },
    { name: 'snapshot', unit: 'flag' },
    { name: 'update', unit: 'number' },
    { name: 'previous', unit: 'number' },
  ],
  quote: [
    { name: 'bid', unit: 'price' },
    { name: 'ask', unit: 'price' },
    { name: 'bidQuantity', unit: 'quantity' },
    { name: 'askQuantity', unit: 'quantity' },
  ],
  trade: [
    { name: 'price', unit: 'price' },
    { name: 'quantity', unit: 'quantity' },
    { name: 'side', unit: 'side' },
  ],
  ticker: [{ name: 'last', unit: 'price' }],
  mark: [{ name: 'price', unit: 'price' }],
  funding: [{ name: 'rate', unit: 'price' }],
};

const SIDES: Readonly<Record<string, string>> = { '1': 'buy', '-1': 'sell', '0': '' };

/** The text of a value without decimals: a side, a yes or no, the source's own number. */
export function plainText(value: number, unit: Exclude<ColumnUnit, 'price' | 'quantity'>): string {
  if (unit === 'side') return SIDES[value] ?? '';
  if (unit === 'flag') return value === 1 ? 'true' : 'false';
  return value === 0 ? '' : String(value);
}

/** Most decimal places of a price or quantity: the limit of an instrument's grid. */
export const MAX_DECIMALS = 15;
/** Most decimal places of a mark or a funding rate: they are on no grid, and a rate is small. */
const MAX_FREE_DECIMALS = 18;

/** Most decimal places of the prices (for funding: rates) of a kind. */
export function maxPriceDecimals(kind: SeriesKind): number {
  return kind === 'mark' || kind === 'funding' ? MAX_FREE_DECIMALS : MAX_DECIMALS;
}

type Candidate = { readonly [Field in keyof SeriesMeta]?: unknown };

const CLOCK_FIELDS: readonly (keyof ClockOffset)[] = ['rows', 'early', 'least', 'median', 'greatest', 'first', 'last'];

const RULES: readonly (readonly [keyof SeriesMeta, string, (meta: Candidate) => boolean])[] = [
  ['version', '1', (meta) => meta.version === 1],
  ['symbol', 'BASE-QUOTE or BASE-QUOTE-PERP', (meta) => typeof meta.symbol === 'string' && isSymbol(meta.symbol)],
  ['kind', `one of ${MARKET_EVENT_KINDS.join(', ')}`, (meta) => MARKET_EVENT_KINDS.some((kind) => kind === meta.kind)],
  ['intervalMs', 'a length on bars alone', (meta) => (meta.kind === 'bar' ? isCount(meta.intervalMs, 1) : meta.intervalMs === undefined)],
  ['rows', 'a whole number above 0', (meta) => isCount(meta.rows, 1)],
  ['firstTime', 'epoch ms', (meta) => Number.isFinite(meta.firstTime)],
  ['lastTime', 'epoch ms', (meta) => Number.isFinite(meta.lastTime)],
  [
    'priceDecimals',
    '0 to 15 (18 of marks and funding)',
    (meta) => isCount(meta.priceDecimals, 0) && Number(meta.priceDecimals) <= mostDecimals(meta),
  ],
  ['quantityDecimals', '0 to 15', (meta) => isCount(meta.quantityDecimals, 0) && Number(meta.quantityDecimals) <= 15],
  ['priceStep', 'decimal text', (meta) => typeof meta.priceStep === 'string'],
  ['sha256', '64 hex digits', (meta) => typeof meta.sha256 === 'string' && /^[0-9a-f]{64}$/.test(meta.sha256)],
  ['source', 'a list of file names', (meta) => Array.isArray(meta.source)],
  ['clock', 'offsets in ms', (meta) => meta.clock === undefined || isClock(meta.clock)],
];

/**
 * Reads the meta file of a series.
 * @throws TidegateError DATA_CORRUPT naming the file, the field and what was expected.
 */
export function readSeriesMeta(path: string): SeriesMeta {
  return parseSeriesMeta(readFileSync(path, 'utf8'), path);
}

/**
 * Checks the JSON of a series.
 * @param path the file it was read from.
 * @throws TidegateError DATA_CORRUPT naming the file, the field and what was expected.
 */
export function parseSeriesMeta(text: string, path: string): SeriesMeta {
  let meta: Candidate;
  try {
    meta = JSON.parse(text) as Candidate;
  } catch (cause) {
    throw new TidegateError('DATA_CORRUPT', `${path}: not readable as the JSON of a series; import the series again`, { cause });
  }
  const broken = meta === null || typeof meta !== 'object' ? RULES[0] : RULES.find(([, , holds]) => !holds(meta));
  if (broken) throw new TidegateError('DATA_CORRUPT', `${path}: "${broken[0]}" should be ${broken[1]}; import the series again`);
  return meta as SeriesMeta;
}

function mostDecimals({ kind }: Candidate): number {
  return maxPriceDecimals(kind as SeriesKind);
}

function isClock(clock: unknown): boolean {
  const offset = (clock ?? {}) as Candidate & Record<string, unknown>;
  return CLOCK_FIELDS.every((field) => Number.isFinite(offset[field]));
}

function isCount(value: unknown, least: number): boolean {
  return Number.isSafeInteger(value) && Number(value) >= least;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * How far the distance of two bars may differ from their length, in ms: a day at a change of summer time has 23 or 25 hours, and a week may
 * begin with its first day of trading.
 */
export function calendarSlackMs(intervalMs: number): number {
  if (intervalMs % DAY_MS !== 0) return 0;
  return intervalMs < 7 * DAY_MS ? HOUR_MS : DAY_MS + HOUR_MS;
}
