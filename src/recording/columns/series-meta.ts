import { TidegateError } from '../../model/errors.ts';
import type { MarketEventKind } from '../../model/market-events.ts';
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

/** How far receive times stand from the exchange's times of the same rows, the way between included: receive less exchange time in ms. */
export interface ClockOffset {
  /** Rows that have both times. */
  readonly rows: number;
  /** Of these: received a millisecond or more before the exchange's time. */
  readonly early: number;
  readonly least: number;
  readonly median: number;
  readonly greatest: number;
  /** Medians of the first and of the last tenth of the rows. */
  readonly first: number;
  readonly last: number;
}

/** What stands in the JSON beside a series: enough to plan a run without opening the data. */
export interface SeriesMeta {
  readonly version: 1;
  readonly symbol: string;
  readonly kind: SeriesKind;
  /** Length of a bar in ms; on bars alone. */
  readonly intervalMs?: number | undefined;
  readonly rows: number;
  /** Epoch ms of the first row (bars: open time), fractions to the microsecond. */
  readonly firstTime: number;
  /** Epoch ms of the last row (bars: OPEN time of the last bar). */
  readonly lastTime: number;
  /** Prices (of funding: rates) in the file are integers of `10^-priceDecimals`. */
  readonly priceDecimals: number;
  /** Quantities and volumes in the file are integers of `10^-quantityDecimals`. */
  readonly quantityDecimals: number;
  /**
   * Decimal text of the greatest step that every price is a multiple of: an instrument's tick must divide it. Marks and
   * funding rates lie on no tick: of theirs nothing follows.
   */
  readonly priceStep: string;
  /** SHA-256 of the `.bin` file, in hex. */
  readonly sha256: string;
  /** Base names of the files it came from, in time order; empty for synthetic data. */
  readonly source: readonly string[];
  readonly synthetic?: SyntheticOrigin | undefined;
  /** Where its source had receive and exchange times. */
  readonly clock?: ClockOffset | undefined;
  /** How many times the rows of one time are the whole order book; of depth alone. */
  readonly snapshots?: number | undefined;
  /** How many times the next bar is not one interval after the last; on bars alone. */
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

/**
 * What a column's integers count: price or quantity units of the series' decimals (funding rates count as prices), a side, a
 * yes or no, or a number of the source's own, such as that of an update (0: none).
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
 * unknown. Of depth each row is a level, and rows of one time and one update change the book together: `quantity` stands there now (0: nothing);
 * `snapshot` says that the rows of that time are the whole book; `update` numbers the change, and `previous` names the one before it, as the
 * source does.
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

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** True for what may name a recording: 1 to 64 letters, digits, `.`, `_`, `-`, not starting with a mark. */
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
