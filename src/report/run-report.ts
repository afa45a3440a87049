import type { Rows } from '../model/columns.ts';
import type { LiquidationType, OrderType, PositionSide } from '../model/order.ts';
import type { Plot } from '../ports/plots.ts';
import type { BreakdownBy, BreakdownRow } from '../statistics/breakdown.ts';
import type { Finding } from '../statistics/diagnosis/check.ts';
import type { CrisisReturn } from '../statistics/returns/crisis-windows.ts';
import type { RollingWindow, YearComparison, YearReturns } from '../statistics/returns/daily-returns.ts';
import type { DrawdownPeriod } from '../statistics/returns/drawdown-statistics.ts';
import type { Benchmark, EquityPoint, Ruin } from '../statistics/run-record.ts';
import type { StatisticDefinition, StatisticUnit, StatisticValue } from '../statistics/statistic.ts';
import type { ClosedTrade, OpenTrade } from '../statistics/trades/trade.ts';
import { formatValue } from './format.ts';

/** The result of a run with one assumed path inside its bars. Money is decimal text. */
export interface PathFigures {
  readonly finalEquity: string;
  readonly totalReturn: number;
  readonly maxDrawdown: number;
  readonly totalFees: string;
  readonly fills: number;
  readonly closedTrades: number;
  /** Null without closed trades. */
  readonly winRate: number | null;
  /** Fills that depended on the path, and the profit (negative: loss) of the closed trades that include one. */
  readonly pathDependentFills: number;
  readonly pathDependentProfit: string;
}

/** The same run with the two extreme paths. `worst` need not have the lower result: a path is chosen for each bar separately. */
export interface BothPaths {
  readonly worst: PathFigures;
  readonly best: PathFigures;
}

const FIGURES: readonly (readonly [key: keyof PathFigures, label: string, unit: StatisticUnit])[] = [
  ['finalEquity', 'Final equity', 'money'],
  ['totalReturn', 'Total return', 'share'],
  ['maxDrawdown', 'Maximum drawdown', 'share'],
  ['totalFees', 'Fees', 'money'],
  ['fills', 'Fills', 'count'],
  ['closedTrades', 'Closed trades', 'count'],
  ['winRate', 'Win rate', 'share'],
  ['pathDependentFills', 'Fills that depend on the path', 'count'],
  ['pathDependentProfit', 'Profit of their trades', 'money'],
];

/** One figure of both runs, for people. */
export interface PathRow {
  readonly label: string;
  readonly worst: string;
  readonly best: string;
}

export const PATHS_TITLE = 'Worst and best path inside bars';

export function pathRows({ worst, best }: BothPaths): PathRow[] {
  return FIGURES.map(([key, label, unit]) => ({ label, worst: formatValue(unit, worst[key]), best: formatValue(unit, best[key]) }));
}

/** A candle of a price chart. */
export interface ChartBar {
  /** The open, epoch ms. */
  readonly time: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  /** Traded quantity in base units; absent where the data have none, and in files of older versions. */
  readonly volume?: number | undefined;
}

export interface ChartFill {
  readonly time: number;
  readonly side: 'buy' | 'sell';
  readonly price: number;
  readonly quantity: number;
  readonly tag: string;
  /** For futures with both sides: the side that it opens or closes. */
  readonly positionSide?: PositionSide | undefined;
  /** The venue liquidated the position. */
  readonly liquidation?: boolean | undefined;
}

/** The terms of an order; `size` is base quantity, or an amount of quote with its currency. */
interface OrderTerms {
  /** For limit orders. */
  readonly price: number | undefined;
  /** For stops and triggers: the trigger price. */
  readonly stopPrice: number | undefined;
  readonly size: string;
}

/** New terms of an order from `time` on: resized, or sent to the venue after its trigger price was reached. */
export interface OrderChange extends OrderTerms {
  readonly time: number;
}

/** An order from its placing to its end. */
export interface ChartOrder extends OrderTerms {
  readonly time: number;
  /** Filled, canceled, expired, rejected or denied; undefined while open at the end of the run. */
  readonly endTime: number | undefined;
  readonly side: 'buy' | 'sell';
  readonly type: OrderType | LiquidationType;
  /** Its last state in words, with the reason: `filled`, `0.5 filled, canceled (requested)`, `open`. */
  readonly state: string;
  readonly tag: string;
  readonly changes: readonly OrderChange[];
}

/** A plot with its values in order of time. */
export interface ChartPlot extends Plot {
  /** Epoch ms. */
  readonly times: readonly number[];
  /** `NaN` is the begin of a gap. */
  readonly values: readonly number[];
  /** The number of values that were plotted. */
  readonly whole: number;
}

/** The price of one symbol with the run's orders and fills; `ChartBars` gathers the bars in bounded memory. */
export interface PriceChart {
  readonly symbol: string;
  readonly bars: readonly ChartBar[];
  /** The length of a bar. */
  readonly intervalMs: number;
  /** How many market events or bars the bars were made of, as the page says; absent: as many as bars. */
  readonly madeFrom?: number | undefined;
  readonly fills: Rows<ChartFill>;
  /** In the order of their placing. */
  readonly orders?: Rows<ChartOrder> | undefined;
  /** The plots of strategies for the symbol. */
  readonly plots?: readonly ChartPlot[] | undefined;
}

/** Refusals of one code (and of one strategy, symbol and side, where these are known), with the numbers of one of them. */
export interface DeniedRow {
  readonly code: string;
  readonly count: number;
  /** The numbers, by default of the newest refusal. */
  readonly example: string;
  readonly strategy?: string | undefined;
  readonly symbol?: string | undefined;
  readonly side?: 'buy' | 'sell' | undefined;
  /** Epoch ms of the first and the last of them. */
  readonly firstTime?: number | undefined;
  readonly lastTime?: number | undefined;
}

/** The source of a recording. */
export interface DataProvenance {
  readonly name: string;
  readonly sha256: string;
  /** Further lines in order, e.g. symbols, kind, period, source. */
  readonly facts: readonly { readonly label: string; readonly value: string }[];
}

/** A strategy as the head of the page shows it. */
export interface StrategyTitle {
  readonly id: string;
  readonly symbols: readonly string[];
  readonly params: Readonly<Record<string, unknown>>;
}

/** The share of the equity in each symbol over time: net value of its position, negative for a short, over equity. */
export interface Allocation {
  /** Epoch ms, at equal distances except for the first and the last: the end of each point. */
  readonly times: readonly number[];
  /** Points of the equity curve in each of these, which has their mean. */
  readonly each: number;
  /** The largest first, with a share for each time. Symbols beyond a few are one curve together. */
  readonly curves: readonly { readonly label: string; readonly shares: readonly number[] }[];
  /** Every symbol with a position, the largest first. */
  readonly symbols: readonly AllocatedSymbol[];
}

/** The shares of one symbol at the points of the equity curve. */
export interface AllocatedSymbol {
  readonly symbol: string;
  readonly mean: number;
  readonly lowest: number;
  readonly highest: number;
  readonly last: number;
  /** The share of the points at which it was held. */
  readonly held: number;
}

/** The return of one UTC day. */
interface DayReturn {
  /** The day's end: the next UTC midnight, epoch ms. */
  readonly time: number;
  /** As a share; null after a day that ended without equity. */
  readonly value: number | null;
}

/** The latch that ended the trading of a run. */
export interface RunEnd {
  readonly rule: string;
  /** Epoch ms at which it latched. */
  readonly time: number;
  /** Epoch ms of the last fill, or of the latch if that is later. */
  readonly lastFill: number;
}

/** Everything that the terminal summary and the HTML report show of a run. */
export interface RunReport {
  readonly name: string;
  readonly currency: string;
  /** A futures account: funding, liquidations and sides are shown. */
  readonly futures: boolean;
  /** Epoch ms of the first and last market event. */
  readonly from: number;
  readonly to: number;
  readonly counts: {
    readonly marketEvents: number;
    readonly intents: number;
    readonly denied: number;
    readonly orders: number;
    readonly fills: number;
  };
  /** The summary.json object, shown as it is. */
  readonly summary: Readonly<Record<string, unknown>>;
  readonly statistics: Readonly<Record<string, StatisticValue>>;
  readonly definitions: readonly StatisticDefinition[];
  readonly tables: {
    readonly bySymbol: readonly BreakdownRow[];
    readonly byTag: readonly BreakdownRow[];
    /** Empty except for futures accounts. */
    readonly bySide: readonly BreakdownRow[];
  };
  /** One entry for each key that trades can be grouped by. */
  readonly breakdowns: Readonly<Record<BreakdownBy, readonly BreakdownRow[]>>;
  readonly equity: readonly EquityPoint[];
  /** Its values belong to the points of `equity`. */
  readonly benchmark: Benchmark | undefined;
  /** One for each day with market data. */
  readonly returns: readonly DayReturn[];
  readonly rolling: readonly RollingWindow[];
  /** The deepest drawdowns, the deepest first. Files of older versions have none of the next four. */
  readonly drawdowns?: readonly DrawdownPeriod[] | undefined;
  /** The returns by year next to those of the benchmark. */
  readonly years?: readonly YearComparison[] | undefined;
  /** The crises of the markets that the run covers. */
  readonly crises?: readonly CrisisReturn[] | undefined;
  /** Absent where nothing was held, and in files of older versions. */
  readonly allocation?: Allocation | undefined;
  /** The first market event with an equity of zero or less. */
  readonly ruin?: Ruin | undefined;
  /** A latch of the whole account, or of its only strategy, that is in force at the end. */
  readonly end?: RunEnd | undefined;
  readonly charts: readonly PriceChart[];
  readonly monthly: readonly YearReturns[];
  readonly trades: Rows<ClosedTrade>;
  readonly openTrades: readonly OpenTrade[];
  readonly denied: readonly DeniedRow[];
  /** The strategies with their parameters; absent in files of older versions. */
  readonly strategies?: readonly StrategyTitle[] | undefined;
  /** The text of the config file, unchanged. */
  readonly configText: string;
  readonly data: readonly DataProvenance[];
  /** The kinds of prices that the run used, in words; absent in files of older versions. */
  readonly prices?: readonly string[] | undefined;
  /** The needs that the run chose, a line for each strategy whose class leaves a choice; and what each gets of its references. */
  readonly choices?: readonly string[] | undefined;
  readonly warnings: readonly string[];
  /** Findings of the diagnosis, the most severe first; absent where it was not requested. */
  readonly findings?: readonly Finding[] | undefined;
  /** Present where the run was made with both extreme paths inside bars; everything else is from `worst`. */
  readonly paths?: BothPaths | undefined;
}
