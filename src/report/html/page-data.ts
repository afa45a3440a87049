import type { PlotStyle } from '../../ports/plots.ts';
import type { PALETTES, Palette } from './palette.ts';

/** The data that the page's script draws, embedded as JSON, long columns packed. Types only: the page's own modules import them too. Times are epoch seconds. */
export interface PageData {
  readonly currency: string;
  readonly palettes: typeof PALETTES;
  readonly equity: EquityColumns | undefined;
  readonly rolling: RollingColumns | undefined;
  /** Absent where fewer than two symbols were held. */
  readonly allocation?: AllocationColumns | undefined;
  readonly charts: readonly PriceColumns[];
  /** Absent where no trade was closed. */
  readonly dots: DotColumns | undefined;
  /** Recorded series, on a page of data. */
  readonly series?: readonly SeriesPicture[];
  /** The trials of a search, on the page of a study. */
  readonly study?: StudyColumns;
}

/** The trials of a search in columns, for its heat map and for the dots of its plots. */
export interface StudyColumns {
  /** The objective, and how its values are shown: times `scale`, before `suffix`. */
  readonly label: string;
  readonly maximize: boolean;
  readonly scale: number;
  readonly suffix: string;
  /** The number of the best trial; 0 without one. */
  readonly best: number;
  readonly parameters: readonly { readonly name: string; readonly cells: readonly string[] }[];
  /** The trials of the heat map; the columns are as long as this one. */
  readonly trials: readonly number[];
  /** The objective; null without one. */
  readonly values: readonly (number | null)[];
  /** 1 for a trial that has an objective and meets all constraints. */
  readonly valid: readonly (0 | 1)[];
  /** For each parameter, the cell of each trial. */
  readonly cells: readonly (readonly number[])[];
  /** The trials of the dots in the order in which each plot draws them, with their objectives. */
  readonly dots: readonly number[];
  readonly dotValues: readonly number[];
}

/** A recorded series as it is drawn: bars as candles, anything else as lines. */
export interface SeriesPicture {
  /** Decimal places of the prices. */
  readonly places: number;
  /** Epoch seconds, rising. */
  readonly t: readonly number[];
  /** The usual distance between two points. */
  readonly stepSeconds: number;
  readonly candles?: Omit<BarColumns, 't'>;
  readonly lines: readonly { readonly label: string; readonly values: readonly number[] }[];
  /** Volume below the prices; null where it is included in the previous point. */
  readonly volume?: readonly (number | null)[];
}

/** The closed trades of the scatters in columns, in the order in which they are drawn; shares in percent of the entries. */
export interface DotColumns {
  /** Symbols with their sides, and for each dot the index of its name. */
  readonly names: readonly string[];
  readonly name: readonly number[];
  /** The last exit, and the duration of the trade, in seconds. */
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
  /** Drawdown in percent, never above 0. */
  readonly underwater: readonly number[];
  /** The benchmark, from the same start. */
  readonly benchmark?: readonly number[];
  readonly benchmarkLabel?: string;
  /** Gross value of the positions in percent of equity: 100 is a leverage of 1. */
  readonly gross?: readonly number[];
  /** Long less short, in percent of equity; absent where it equals `gross`. */
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
    /** Against the benchmark; absent without one. */
    readonly beta?: readonly (number | null)[];
  }[];
}

/** The shares of the equity in each symbol, in percent, as long as `t`; negative for shorts. */
export interface AllocationColumns {
  readonly t: readonly number[];
  readonly curves: readonly { readonly label: string; readonly shares: readonly number[] }[];
}

/** One symbol's candles with the orders and fills of the run. */
export interface PriceColumns {
  readonly symbol: string;
  /** The length of a candle. */
  readonly intervalMs: number;
  /** Decimal places of the prices. */
  readonly places: number;
  /** How candles and marks were made, in words. */
  readonly note: string;
  readonly bars: BarColumns;
  readonly fills: FillColumns;
  readonly orders: OrderColumns;
  /** The plots of strategies; absent where nothing was. */
  readonly plots?: readonly PlotColumns[];
}

/** A plot: at most one value for each candle. */
export interface PlotColumns {
  /** Its name; with the name of its strategy where several strategies plot for the symbol. */
  readonly label: string;
  /** `price`: over the candles. */
  readonly pane: string;
  readonly style: PlotStyle;
  readonly color: keyof Palette;
  /** Decimal places of the values; null if they are so large or small that they have an exponent. */
  readonly places: number | null;
  /** The index of the candle of each value. */
  readonly at: readonly number[];
  /** Null is the begin of a gap. */
  readonly v: readonly (number | null)[];
}

export interface BarColumns {
  readonly t: readonly number[];
  readonly o: readonly number[];
  readonly h: readonly number[];
  readonly l: readonly number[];
  readonly c: readonly number[];
  /** Traded quantity; absent where the data have none. */
  readonly v?: readonly number[];
}

export interface FillColumns {
  readonly t: readonly number[];
  /** 1 buy, 0 sell. */
  readonly buy: readonly (0 | 1)[];
  /** Price and quantity. */
  readonly p: readonly number[];
  readonly q: readonly number[];
  readonly tag: readonly string[];
  /** For accounts with both sides: `open long`, `close short`, `liquidation of long`. */
  readonly what?: readonly string[];
  /** Indices of liquidations. */
  readonly liquidations?: readonly number[];
}

/** The orders' lifetimes, in order of their placing. */
export interface OrderColumns {
  /** Placed, and ended: filled, canceled, expired, rejected; null while open at the end of the run. */
  readonly t: readonly number[];
  readonly end: readonly (number | null)[];
  /** 1 buy, 0 sell. */
  readonly buy: readonly (0 | 1)[];
  /** `limit 0.5`, as sent. */
  readonly what: readonly string[];
  /** Limit price, or the trigger price of a stop; null for market orders, which have none. */
  readonly p: readonly (number | null)[];
  /** Indices of orders that wait for a trigger price. */
  readonly stops: readonly number[];
  /** The last state, with its reason. */
  readonly state: readonly string[];
  readonly tag: readonly string[];
  /** Changes of open orders: index of the order, time, new price, and new description. */
  readonly changes: readonly (readonly [order: number, t: number, p: number | null, what: string])[];
}
