import type { NamedOrderEvent } from '../../model/account-events.ts';
import type { Intent } from '../../model/intents.ts';
import type { Denial } from '../../model/reasons.ts';
import type { LogLine } from '../../ports/log.ts';
import type { Strategy, StrategyContext } from '../../strategy/strategy.ts';
import type { BacktestResult, FillRow, TradeRow } from './run-result.ts';

/** A price or a quantity: a number, or exact decimal text. */
type Amount = number | string;
/** When a row happens: epoch ms, a `Date` or ISO 8601. Left out, rows follow each other at equal distances. */
type At = { readonly time?: number | string | Date };

/** A bar: one price for all four, `[open, high, low, close, volume?]`, or an object; `time` is its open. Default volume: 1,000. */
export type HandBar =
  | Amount
  | readonly [open: Amount, high: Amount, low: Amount, close: Amount, volume?: Amount]
  | (At & { readonly open: Amount; readonly high: Amount; readonly low: Amount; readonly close: Amount; readonly volume?: Amount });

/** The best bid and ask: `[bid, ask]`, or an object. Default quantities: 1,000. Rows are a second apart. */
export type HandQuote =
  | readonly [bid: Amount, ask: Amount, bidQuantity?: Amount, askQuantity?: Amount]
  | (At & { readonly bid: Amount; readonly ask: Amount; readonly bidQuantity?: Amount; readonly askQuantity?: Amount });

/** A public trade: a price, `[price, quantity, side]`, or an object; `side` is that of the order that took. A second apart. */
export type HandTrade =
  | Amount
  | readonly [price: Amount, quantity?: Amount, side?: 'buy' | 'sell']
  | (At & { readonly price: Amount; readonly quantity?: Amount; readonly side?: 'buy' | 'sell' });

/** A last price. Rows are a second apart. */
export type HandTicker = Amount | (At & { readonly last: Amount });

/** The rows of one symbol, or of several by symbol. */
type Rows<Row> = readonly Row[] | Readonly<Record<string, readonly Row[]>>;

/** A whole order book: its levels as `[price, quantity]`, in any order. Books are a second apart. */
export type HandBook = At & { readonly bids: readonly HandLevel[]; readonly asks: readonly HandLevel[] };
type HandLevel = readonly [price: Amount, quantity: Amount];

/** A mark price of a perpetual. A second apart. */
export type HandMark = Amount | (At & { readonly price: Amount });

/** A funding rate of a perpetual, such as 0.0001: `time` is when it is charged. A second apart without it. */
export type HandFunding = Amount | (At & { readonly rate: Amount });

/**
 * A signal: any columns of numbers and texts. Without times, the first comes at the close of the first bar, and the others one bar apart.
 * Without a symbol it belongs to none.
 */
export type HandSignal = At & { readonly symbol?: string } & {
  readonly [column: string]: number | string | boolean | null | Date | undefined;
};

/** The data of a test, written by hand. At least one kind of prices is given: bars, quotes, trades, tickers or depth. */
export interface HandFed {
  readonly bars?: Rows<HandBar> | undefined;
  readonly quotes?: Rows<HandQuote> | undefined;
  readonly trades?: Rows<HandTrade> | undefined;
  readonly tickers?: Rows<HandTicker> | undefined;
  readonly depth?: Rows<HandBook> | undefined;
  readonly marks?: Rows<HandMark> | undefined;
  readonly funding?: Rows<HandFunding> | undefined;
  /** By their name in `needs.signals`. */
  readonly signals?: Readonly<Record<string, readonly HandSignal[]>> | undefined;
}

/** The class of a strategy. */
export type StrategyClass = new (context: StrategyContext) => Strategy;

/** The prices and settings of a test of a strategy. Everything but the prices has a default. */
export interface StrategyTest extends HandFed {
  /** Parameters, as in the config. */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  /** The length of bars; default: the first of the class's `needs.bars`, else `1m`. */
  readonly interval?: string | undefined;
  /** How many of the bars come before the start, as history; default 0. */
  readonly history?: number | undefined;
  /** The time of the first row; default 2025-01-01. */
  readonly start?: number | string | Date | undefined;
  /** Balances by asset; default: 100,000 of the quote asset. */
  readonly balances?: Readonly<Record<string, Amount>> | undefined;
  /** Further settings, with the keys of a config: `account`, `instruments`, `risk`, `backtest`. Maps are merged over the defaults. */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
}

/** An intent with the moment of its decision. */
export interface Decision {
  /** Epoch ms. */
  readonly time: number;
  readonly intent: Intent;
}

/** The decisions of a strategy in a test, and what followed from them. */
export interface StrategyTestResult {
  /** All intents, in order: compare them with `place(...)`, `cancel(...)` and the others. */
  readonly intents: readonly Intent[];
  /** The same with their times. */
  readonly decisions: readonly Decision[];
  /** The events of its orders, in order: submitted, accepted, filled, canceled, rejected, denied and others. */
  readonly orderEvents: readonly NamedOrderEvent[];
  /** The reasons of denied intents, in order: `code` and the numbers. */
  readonly denials: readonly Denial[];
  /** The fills, in order. Amounts are decimal text. */
  readonly fills: readonly FillRow[];
  /** The closed trades, in order of exit. Amounts are decimal text. */
  readonly trades: readonly TradeRow[];
  /** The account at the end. Amounts are decimal text; `positions` has the base quantity by symbol, signed, without flat ones. */
  readonly account: {
    readonly equity: string;
    readonly balances: Readonly<Record<string, string>>;
    readonly positions: Readonly<Record<string, string>>;
  };
  /** The lines that the strategy and the engine logged. */
  readonly log: readonly LogLine[];
  /** The whole result of the backtest: statistics, findings, `eventLogSha256`. */
  readonly result: BacktestResult;
}
