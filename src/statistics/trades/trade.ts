import { MadeRows, NumberColumn, type Rows } from '../../model/columns.ts';
import { type Decimal, exactSum, ZERO } from '../../model/decimal.ts';
import type { Fill } from '../../model/fill.ts';

/** The rules by which fills make trades; see `tradesOf`. */
export const TRADE_RULES = ['flat', 'fifo', 'lifo', 'tag'] as const;

export type TradeRule = (typeof TRADE_RULES)[number];

/** The lowest and the highest price of a symbol over a period, in ticks (halves between a bid and an ask). */
export interface PriceRange {
  readonly lowTicks: number;
  readonly highTicks: number;
}

/**
 * The kind of order that made a fill: an order of the strategy (`signal`), a stop (a linked one or the strategy's own), a linked take
 * profit, the venue's liquidation, the close of a kill or of a broken limit (`flatten`), or that of the run's end.
 */
export type FillReason = 'signal' | 'stop' | 'trailing' | 'takeProfit' | 'age' | 'liquidation' | 'deleveraging' | 'flatten' | 'endOfRun';

/**
 * The trading of one strategy in one symbol on one side since it was last flat. Money is in the run's currency, prices are in quote,
 * quantities in base.
 */
interface TradeSoFar {
  readonly strategyId: string;
  readonly symbol: string;
  readonly side: 'long' | 'short';
  /** Tag of the first entry fill. */
  readonly tag: string;
  /** The group of the first entry fill; absent without one. */
  readonly group?: string | undefined;
  /** Epoch ms of the first entry fill. */
  readonly entryTime: number;
  /** Average over the entry fills, by quantity. */
  readonly entryPrice: Decimal;
  /** The largest quantity held at once, after fees taken in base. */
  readonly maxQuantity: Decimal;
  /** The value of all entries. */
  readonly entryValue: Decimal;
  /** The notional of all entries and exits. */
  readonly volume: Decimal;
  readonly fees: Decimal;
  /** Funding gained while it was open (negative: paid); zero except on futures. */
  readonly funding: Decimal;
  /** The number of fills; one that turned the position counts in both its trades. */
  readonly fills: number;
  /** How many of them depended on the assumed path inside a bar. */
  readonly pathFills: number;
  /**
   * Maximum adverse and maximum favourable excursion: the worst (at most 0) and the best (at least 0) unrealised result, by the market's
   * prices and those of its own fills; without fees and funding.
   */
  readonly mae: Decimal;
  readonly mfe: Decimal;
  /** The same as shares of the value of all entries. */
  readonly maeShare: number;
  readonly mfeShare: number;
}

/** A trade that has ended: by default from flat to flat. */
export interface ClosedTrade extends TradeSoFar {
  /** Tag of the last exit fill. */
  readonly exitTag: string;
  /** The kind of order of the last exit fill. */
  readonly exitReason: FillReason;
  readonly exitTime: number;
  readonly exitPrice: Decimal;
  /** The venue liquidated it (or the rest of it). */
  readonly liquidated: boolean;
  /** `netProfit + fees - funding`. */
  readonly profitBeforeCosts: Decimal;
  /** The gain of the account's cash: receipts less payments, fees and funding included. */
  readonly netProfit: Decimal;
  /** Net profit as a share of the value of all entries. */
  readonly returnOnEntry: number;
  /**
   * First entry to last exit. Where both have one time, the entry was inside a bar: then the longest time that it can have been, from the
   * bar's open on.
   */
  readonly holdingMs: number;
}

/** A closed trade with the quantities and notionals (in quote) of all its entries and all its exits. */
export interface RoundTrip extends ClosedTrade {
  readonly entryQuantity: Decimal;
  readonly entryNotional: Decimal;
  readonly exitQuantity: Decimal;
  readonly exitNotional: Decimal;
}

/** A trade that was still open at the end of the run. */
export interface OpenTrade extends TradeSoFar {
  /** The quantity held, never negative. */
  readonly quantity: Decimal;
}

export interface Trades {
  /** In order of exit. */
  readonly closed: Rows<RoundTrip>;
  /** In order of entry. */
  readonly open: readonly OpenTrade[];
  /** The legs of trades with groups, and all other trades, where there are groups: `closed` and `open` have one trade for each group. */
  readonly legs?: Pick<Trades, 'closed' | 'open'> | undefined;
}

/** The trades for tables: each leg of a group by itself. */
export function legsOf(trades: Trades): Pick<Trades, 'closed' | 'open'> {
  return trades.legs ?? trades;
}

/** The tag of a strategy's share of a liquidation, and the beginning of the share's client order id. */
const TAG = 'liquidation';
const ID_PREFIX = 'liq-';

/** Whether the fill is a strategy's share of a liquidated position. */
export function isLiquidation({ tag, positionSide, clientOrderId }: Fill): boolean {
  return tag === TAG && positionSide !== 'net' && clientOrderId.startsWith(ID_PREFIX);
}

/** Averages of money have this many decimal places, and below 1 as many significant digits. Sums and extremes are exact. */
const AVERAGE_PLACES = 8;

/** An average of money as text: `0.12345679`, and `0.000000012345679` rather than `0.00000001`. */
export function averageText(value: Decimal): string {
  const places = value.isZero() || !value.isFinite() ? 0 : AVERAGE_PLACES - 1 - value.e;
  return value.toDecimalPlaces(Math.max(AVERAGE_PLACES, places)).toFixed();
}

/** The sum of one of the figures that open trades have too. */
export function sumOf(trades: Iterable<ClosedTrade | OpenTrade>, figure: 'fees' | 'funding' | 'volume' | 'entryValue'): Decimal {
  return exactSum(trades, (trade) => trade[figure]);
}

/** The sum of the net profits of some trades. Of all trades of a run, `tradeFoldOf` has it. */
export function netProfitOf(trades: Rows<ClosedTrade>): Decimal {
  return exactSum(trades, ({ netProfit }) => netProfit);
}

/** Share of trades with a net profit above zero, in [0, 1]; undefined without a trade. */
export function winRate(trades: Rows<ClosedTrade>): number | undefined {
  if (trades.length === 0) return undefined;
  return tradesWhere(trades, isWin).length / trades.length;
}

/** The trades that fulfil a condition, by their places in the list. */
export function tradesWhere<Trade extends ClosedTrade>(trades: Rows<Trade>, holds: (trade: Trade) => boolean): Rows<Trade> {
  const places = new NumberColumn();
  let place = 0;
  for (const trade of trades) {
    if (holds(trade)) places.push(place);
    place++;
  }
  return new MadeRows(places.length, (index) => trades.at(places.at(index))!);
}

/** True for a trade with a net profit above zero. */
export function isWin({ netProfit }: Pick<ClosedTrade, 'netProfit'>): boolean {
  return netProfit.s > 0 && !netProfit.isZero();
}

/** True for a trade with a net profit below zero. */
export function isLoss({ netProfit }: Pick<ClosedTrade, 'netProfit'>): boolean {
  return netProfit.s < 0 && !netProfit.isZero();
}

/** The smallest amount of the trades, or zero if all are above it. */
export function leastOf(trades: Rows<ClosedTrade>, amountOf: (trade: ClosedTrade) => Decimal): Decimal {
  let least = ZERO;
  for (const trade of trades) {
    const amount = amountOf(trade);
    if (amount.lt(least)) least = amount;
  }
  return least;
}
