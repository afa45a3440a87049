import type { PALETTES } from './palette.ts';

/** What the page's script draws from, embedded as JSON. Types alone: the page's own modules import them too. Times are epoch seconds. */
export interface PageData {
  readonly currency: string;
  readonly palettes: typeof PALETTES;
  readonly equity: EquityColumns | undefined;
  readonly rolling: RollingColumns | undefined;
  readonly charts: readonly PriceColumns[];
  /** Absent where no trade was closed. */
  readonly dots: DotColumns | undefined;
  /** Recorded series, on a page of data. */
  readonly series?: readonly SeriesPicture[];
}

/** A recorded series as it is drawn: bars as candles, anything else as lines. */
export interface SeriesPicture {
  /** Decimal places of the prices. */
  readonly places: number;
  /** Epoch seconds, rising. */
  readonly t: readonly number[];
  /** The usual distance of two points. */
  readonly stepSeconds: number;
  readonly candles?: Omit<BarColumns, 't'>;
  readonly lines: readonly { readonly label: string; readonly values: readonly number[] }[];
  /** Volume below the prices; null where it is counted with the point before. */
  readonly volume?: readonly (number | null)[];
}

/** The closed trades of the scatters in columns, in the order in which they are drawn; shares in percent of the entries. */
export interface DotColumns {
  /** Symbols with their sides, and of each dot the index of its own. */
  readonly names: readonly string[];
  readonly name: readonly number[];
  /** The last exit, and how long the trade was held, in seconds. */
  readonly t: readonly number[];
  readonly held: readonly number[];
  readonly gain: readonly number[];
  readonly mae: readonly number[];
  readonly mfe: readonly number[];
}

/** The equity curve in columns; all are as long as `t`. */
export interface EquityColumns {
  readonly t: readonly number[];
  readonly equity: readonly number[];
  /** Fall from the peak in percent, never above 0. */
  readonly underwater: readonly number[];
  /** The benchmark, from the same start. */
  readonly benchmark?: readonly number[];
  readonly benchmarkLabel?: string;
  /** Gross value of the positions in percent of equity: 100 is a leverage of 1. */
  readonly gross?: readonly number[];
  /** Long less short, in percent of equity; absent where that is the same. */
  readonly net?: readonly number[];
}

/** Rolling figures in columns, as long as `t`; null where the window was not full. */
export interface RollingColumns {
  readonly t: readonly number[];
  readonly windows: readonly {
    /** Daily returns in the window. */
    readonly days: number;
    readonly sharpe: readonly (number | null)[];
    /** In percent a year. */
    readonly volatility: readonly (number | null)[];
  }[];
}

/** One symbol's candles with the orders and fills of the run. */
export interface PriceColumns {
  readonly symbol: string;
  /** The length of a candle. */
  readonly intervalMs: number;
  /** Decimal places of the prices. */
  readonly places: number;
  /** How candles and marks came about, in words. */
  readonly note: string;
  readonly bars: BarColumns;
  readonly fills: FillColumns;
  readonly orders: OrderColumns;
}

export interface BarColumns {
  readonly t: readonly number[];
  readonly o: readonly number[];
  readonly h: readonly number[];
  readonly l: readonly number[];
  readonly c: readonly number[];
}

export interface FillColumns {
  readonly t: readonly number[];
  /** 1 buy, 0 sell. */
  readonly buy: readonly (0 | 1)[];
  /** Price and quantity. */
  readonly p: readonly number[];
  readonly q: readonly number[];
  readonly tag: readonly string[];
  /** Where both sides are held: `open long`, `close short`, `liquidation of long`. */
  readonly what?: readonly string[];
  /** Indices of those by which the venue liquidated. */
  readonly liquidations?: readonly number[];
}

/** The lives of orders, in order of their placing. */
export interface OrderColumns {
  /** Placed, and ended: filled, canceled, expired, rejected; null while open at the end of the run. */
  readonly t: readonly number[];
  readonly end: readonly (number | null)[];
  /** 1 buy, 0 sell. */
  readonly buy: readonly (0 | 1)[];
  /** `limit 0.5`, as sent. */
  readonly what: readonly string[];
  /** Limit price, or the trigger price of a stop; null of market orders, which have none. */
  readonly p: readonly (number | null)[];
  /** Indices of those that wait for a trigger price. */
  readonly stops: readonly number[];
  /** The last state, with its reason. */
  readonly state: readonly string[];
  readonly tag: readonly string[];
  /** What was changed while they lived: index of the order, when, its new price, and what it is now. */
  readonly changes: readonly (readonly [order: number, t: number, p: number | null, what: string])[];
}
