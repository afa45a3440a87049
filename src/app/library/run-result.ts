import { type ErrorCode, TidegateError } from '../../model/errors.ts';
import type { Liquidity } from '../../model/fill.ts';
import type { LiquidationType, OrderType, PositionSide, Side, TimeInForce } from '../../model/order.ts';
import type { OrderStatus } from '../../model/order-state.ts';
import type { Plot } from '../../ports/plots.ts';
import type { Finding } from '../../statistics/diagnosis/check.ts';
import type { Statistics } from '../../statistics/statistics.ts';
import type { FillReason } from '../../statistics/trades/trade.ts';
import type { Summary } from '../backtest/results/summary.ts';

/** The result of a backtest. Its tables are made when they are first read. */
export interface BacktestResult {
  /** The same as `summary.json`. `out` is empty if nothing was written. */
  readonly summary: Summary;
  /** Every statistic by key; `null` where it does not apply. The same as `summary.statistics`. */
  readonly statistics: Statistics;
  /** The account over time: at the start, every `report.equityEvery`, at the end of each day, and at the end. */
  readonly equity: EquityTable;
  /** Every order, in the order of their ends; those that are still open at the end come last. */
  readonly orders: OrderTable;
  /** The fills, in order of time. */
  readonly fills: FillTable;
  /** The closed trades, in order of exit. */
  readonly trades: TradeTable;
  /** The curves that the strategies plotted, in the order of their first values; none unless the option `plots` is true. */
  readonly plots: readonly PlottedCurve[];
  readonly warnings: readonly string[];
  /** The findings of the diagnosis, the most severe first; none if the run did not reach its end. */
  readonly findings: readonly Finding[];
  /** The hash of the ordered log of all intents, denials, orders, fills, ledger entries and timers: equal runs have equal hashes. */
  readonly eventLogSha256: string;
  /** True if the run was stopped before the end of its data: the results cover the time until then. */
  readonly interrupted: boolean;
}

/** Rows with an array for each number. Arrays have the nearest doubles, rows have exact amounts as decimal text. */
export interface Table<Row> extends Iterable<Row> {
  /** The number of rows, and of numbers in each array. */
  readonly length: number;
  /** A row. @param index from 0; a negative one counts from the end. @returns `undefined` outside of the table. */
  at(index: number): Row | undefined;
}

/** The account at one moment, in its currency. */
export interface EquityRow {
  /** Epoch ms. */
  readonly time: number;
  /** The balance of the currency, as decimal text. */
  readonly cash: string;
  /** Cash, other coins at their last prices, and positions; as decimal text. */
  readonly equity: string;
  /** The highest equity so far, over every market event. */
  readonly peak: number;
  /** `(peak - equity) / peak`. */
  readonly drawdown: number;
  /** The value of all positions, both sides counted. */
  readonly exposure: number;
  /** The same, with shorts as negative values. */
  readonly netExposure: number;
  /** The number of positions that had an exit and have none. */
  readonly unprotected: number;
}

/** The account over time. Arrays are in the currency of the account. */
export interface EquityTable extends Table<EquityRow> {
  /** Epoch ms, ascending. */
  readonly time: Float64Array;
  readonly equity: Float64Array;
  readonly cash: Float64Array;
  /** Share of the highest equity so far. */
  readonly drawdown: Float64Array;
  /** The value of all positions, both sides counted. */
  readonly exposure: Float64Array;
  /** The same, with shorts as negative values. */
  readonly netExposure: Float64Array;
  /** The number of positions that had an exit and have none. */
  readonly unprotected: Float64Array;
}

/** An order in its last state. Amounts are decimal text. */
export interface OrderRow {
  /** When it was submitted, in epoch ms. */
  readonly time: number;
  /** When it was filled, canceled, rejected or denied, or when it expired, in epoch ms; `undefined` if it is still open. */
  readonly endTime: number | undefined;
  readonly strategyId: string;
  readonly symbol: string;
  readonly side: Side;
  /** `net` where an instrument has one position, else the side that the order opens or closes. */
  readonly positionSide: PositionSide;
  /** The type that the strategy chose, or the kind of liquidation. */
  readonly type: OrderType | LiquidationType;
  readonly timeInForce: TimeInForce;
  /** The limit as sent, in the quote asset; `undefined` without one. */
  readonly price: string | undefined;
  /** The trigger price as last reported; `undefined` without one. */
  readonly stopPrice: string | undefined;
  /** In the base asset; `undefined` for an order by quote amount. */
  readonly quantity: string | undefined;
  /** In the base asset, at least 0. */
  readonly filledQuantity: string;
  /** The average price of its fills, with 20 digits at most; `undefined` if nothing filled. */
  readonly averagePrice: string | undefined;
  readonly status: OrderStatus;
  /** Why it did not fill; empty if it did. */
  readonly reason: string;
  /** Empty without one. */
  readonly tag: string;
  /** The id of Tidegate. */
  readonly clientOrderId: string;
  /** The id of the venue; empty if it did not accept the order. */
  readonly orderId: string;
  /** The strategy's own name of it; empty without one. */
  readonly ref: string;
  /** The `clientOrderId` of the order that it replaces, as its strategy amended it; empty for any other. */
  readonly replaces: string;
  /** The group of legs to which it belongs; empty without one. */
  readonly group: string;
}

/** The orders. Numbers that an order does not have are `NaN`. */
export interface OrderTable extends Table<OrderRow> {
  /** Epoch ms of the submission. */
  readonly time: Float64Array;
  /** Epoch ms, ascending; `NaN` for an order that is still open. */
  readonly endTime: Float64Array;
  readonly price: Float64Array;
  readonly stopPrice: Float64Array;
  /** In the base asset. */
  readonly quantity: Float64Array;
  /** In the base asset, at least 0. */
  readonly filledQuantity: Float64Array;
  readonly averagePrice: Float64Array;
  readonly symbol: readonly string[];
  readonly strategyId: readonly string[];
  readonly side: readonly Side[];
  readonly type: readonly (OrderType | LiquidationType)[];
  readonly status: readonly OrderStatus[];
  readonly tag: readonly string[];
  readonly clientOrderId: readonly string[];
}

/** A fill. Amounts are decimal text. */
export interface FillRow {
  /** Epoch ms. */
  readonly time: number;
  readonly strategyId: string;
  readonly symbol: string;
  readonly side: Side;
  /** `net` where an instrument has one position, else the side that the fill opens or closes. */
  readonly positionSide: PositionSide;
  /** In the quote asset. */
  readonly price: string;
  /** In the base asset, above 0. */
  readonly quantity: string;
  /** In the quote asset. */
  readonly notional: string;
  /** In `feeAsset`; negative if the exchange paid it. */
  readonly fee: string;
  readonly feeAsset: string;
  readonly liquidity: Liquidity;
  /** The tag of the order; empty without one. */
  readonly tag: string;
  /** The group of the order; empty without one. */
  readonly group: string;
  /** The kind of order: a signal of the strategy, a stop, a take profit, a liquidation, or another. */
  readonly reason: FillReason;
  /** True if the fill, or what became of its exits, depends on the assumed path inside a bar. */
  readonly pathDependent: boolean;
}

export interface FillTable extends Table<FillRow> {
  /** Epoch ms, ascending. */
  readonly time: Float64Array;
  readonly price: Float64Array;
  /** In the base asset, above 0. */
  readonly quantity: Float64Array;
  /** Above 0 for a buy, below 0 for a sell. */
  readonly signedQuantity: Float64Array;
  /** In the `feeAsset` of the row. */
  readonly fee: Float64Array;
  readonly symbol: readonly string[];
  readonly strategyId: readonly string[];
  readonly side: readonly Side[];
  readonly tag: readonly string[];
}

/** A closed trade: one strategy in one symbol, by the rule of `report.trades`, or a leg of a group. Amounts are decimal text, money is in the currency of the account. */
export interface TradeRow {
  readonly strategyId: string;
  readonly symbol: string;
  readonly side: 'long' | 'short';
  /** Epoch ms of the first fill. */
  readonly entryTime: number;
  /** Epoch ms of the last fill. */
  readonly exitTime: number;
  /** The sum of all entries, in the base asset. */
  readonly entryQuantity: string;
  /** The average of all entries, with 20 digits at most. */
  readonly entryPrice: string;
  readonly exitQuantity: string;
  readonly exitPrice: string;
  /** The largest quantity held at once. */
  readonly maxQuantity: string;
  /** The value of all entries. */
  readonly entryValue: string;
  readonly fees: string;
  /** Received less paid funding. */
  readonly funding: string;
  /** After fees and funding. */
  readonly netProfit: string;
  /** Maximum adverse excursion: the worst unrealised result, at most 0. */
  readonly mae: string;
  /** Maximum favourable excursion: the best unrealised result, at least 0. */
  readonly mfe: string;
  /** The tag of the first entry. */
  readonly tag: string;
  /** The tag of the last exit. */
  readonly exitTag: string;
  readonly exitReason: FillReason;
  /** The number of fills. */
  readonly fills: number;
  /** The number of these that depend on the assumed path inside a bar. */
  readonly pathFills: number;
  /** The group of the first entry; empty without one. The statistics count its legs as one trade. */
  readonly group: string;
}

export interface TradeTable extends Table<TradeRow> {
  /** Epoch ms of the first fill. */
  readonly entryTime: Float64Array;
  /** Epoch ms of the last fill, ascending. */
  readonly exitTime: Float64Array;
  /** The average of all entries. */
  readonly entryPrice: Float64Array;
  readonly exitPrice: Float64Array;
  /** The sum of all entries, in the base asset. */
  readonly entryQuantity: Float64Array;
  /** After fees and funding. */
  readonly netProfit: Float64Array;
  readonly fees: Float64Array;
  readonly symbol: readonly string[];
  readonly strategyId: readonly string[];
  readonly side: readonly ('long' | 'short')[];
}

/** One curve that a strategy plotted for a symbol. */
export interface PlottedCurve extends Plot {
  /** Epoch ms, ascending, each time once. */
  readonly time: Float64Array;
  /** The value at each time; `NaN` begins a gap. */
  readonly value: Float64Array;
}

/** How far a run is. Times are epoch ms. */
export interface Progress {
  /** The number of market events so far. */
  readonly events: number;
  /** The time that the run has reached. */
  readonly time: number;
  /** The period of the run. */
  readonly from: number;
  readonly to: number;
}

/** The error of a run that stopped. Its code and message are those of the cause, `result` has everything until then. */
export class RunFailed extends TidegateError {
  constructor(
    code: ErrorCode,
    message: string,
    /** The results until the error. */
    readonly result: BacktestResult,
    cause: unknown,
  ) {
    super(code, message, { cause });
  }
}
