import type { Side } from '../../model/order.ts';

/** A bar over [time, time + interval). */
export interface BarRow {
  /** Epoch ms of its OPEN. */
  readonly time: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  /** In base units. */
  readonly volume: number;
}

/** The best bid and ask. */
export interface QuoteRow {
  /** Epoch ms. */
  readonly time: number;
  readonly bid: number;
  readonly ask: number;
  /** In base units. */
  readonly bidQuantity: number;
  readonly askQuantity: number;
}

/** A public trade. */
export interface TradeRow {
  /** Epoch ms. */
  readonly time: number;
  readonly price: number;
  /** In base units. */
  readonly quantity: number;
  /** The side of the order that took; `undefined` if it is unknown. */
  readonly side: Side | undefined;
}

/** The last price. */
export interface TickerRow {
  /** Epoch ms. */
  readonly time: number;
  readonly last: number;
}

/** A mark price of a futures contract. */
export interface MarkRow {
  /** Epoch ms. */
  readonly time: number;
  readonly price: number;
}

/** A funding rate, as a fraction of the position: 0.0001 is 0.01 %. */
export interface FundingRow {
  /** Epoch ms at which it is charged. */
  readonly time: number;
  readonly rate: number;
}

/** The new quantity of one level of the order book. Rows of one time and one update change the book together. */
export interface DepthRow {
  /** Epoch ms. */
  readonly time: number;
  /** `buy` is a bid, `sell` an ask. */
  readonly side: Side | undefined;
  readonly price: number;
  /** In base units; 0 removes the level. */
  readonly quantity: number;
  /** `true` if the rows of this time are the whole book. */
  readonly snapshot: boolean;
  /** The source's number of this change, and of the change before it; `undefined` if it has none. */
  readonly update: number | undefined;
  readonly previous: number | undefined;
}

/** The rows of each kind of series. */
export interface SeriesRowTypes {
  readonly bar: BarRow;
  readonly quote: QuoteRow;
  readonly trade: TradeRow;
  readonly ticker: TickerRow;
  readonly mark: MarkRow;
  readonly funding: FundingRow;
  readonly depth: DepthRow;
}

/** The kinds of series. */
export type SeriesKind = keyof SeriesRowTypes;

/** A row of a series, with the nearest doubles of its exact decimals. */
export type SeriesRow<Kind extends SeriesKind> = SeriesRowTypes[Kind];

/**
 * The columns of a kind as arrays of one length. Times are epoch ms with fractions to the microsecond. Sides are 1 (buy), -1 (sell) and 0
 * (unknown), flags 1 and 0; a number that a row does not have is 0.
 */
export type SeriesColumns<Kind extends SeriesKind> = { readonly [Name in keyof SeriesRowTypes[Kind]]-?: Float64Array };

/** A time: epoch ms with fractions to the microsecond, a `Date`, or epoch ns as a bigint. */
export type RowTime = number | bigint | Date;

/** A value to write: numbers and exact decimal texts such as `'0.1'` are equally good where a decimal is expected. */
type Written<Value> = Value extends number ? number | string : Value;
type OptionalKeys<Row> = { [Name in keyof Row]: undefined extends Row[Name] ? Name : never }[keyof Row];

/** A row to write. What may be `undefined` may be left out, and so may `snapshot`, which is then `false`. */
export type NewRow<Kind extends SeriesKind> = {
  readonly [Name in Exclude<keyof SeriesRowTypes[Kind], OptionalKeys<SeriesRowTypes[Kind]> | 'time' | 'snapshot'>]: Written<
    SeriesRowTypes[Kind][Name]
  >;
} & {
  readonly [Name in Extract<keyof SeriesRowTypes[Kind], OptionalKeys<SeriesRowTypes[Kind]> | 'snapshot'>]?: SeriesRowTypes[Kind][Name];
} & {
  readonly time: RowTime;
};
