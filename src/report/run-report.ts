import type { LiquidationType, OrderType, PositionSide } from '../model/order.ts';
import type { BreakdownBy, BreakdownRow } from '../statistics/breakdown.ts';
import type { Finding } from '../statistics/diagnosis/check.ts';
import type { RollingWindow, YearReturns } from '../statistics/returns/daily-returns.ts';
import type { Benchmark, EquityPoint } from '../statistics/run-record.ts';
import type { StatisticDefinition, StatisticUnit, StatisticValue } from '../statistics/statistic.ts';
import type { ClosedTrade, OpenTrade } from '../statistics/trades/trade.ts';
import { formatValue } from './format.ts';

/** What a run on one assumed path inside its bars came to. Money is decimal text. */
export interface PathFigures {
  readonly finalEquity: string;
  readonly totalReturn: number;
  readonly maxDrawdown: number;
  readonly totalFees: string;
  readonly fills: number;
  readonly closedTrades: number;
  /** Null without closed trades. */
  readonly winRate: number | null;
  /** Fills that hung on the path, and what the closed trades gained (negative: lost) in which one took part. */
  readonly pathDependentFills: number;
  readonly pathDependentProfit: string;
}

/** The same run on the two extreme paths. Nothing makes `worst` the lower one: a path chosen bar by bar looks no further than its bar. */
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
  ['pathDependentFills', 'Fills that hang on the path', 'count'],
  ['pathDependentProfit', 'Profit of their trades', 'money'],
];

/** One figure of both, for people. */
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
}

export interface ChartFill {
  readonly time: number;
  readonly side: 'buy' | 'sell';
  readonly price: number;
  readonly quantity: number;
  readonly tag: string;
  /** Of futures that hold both sides: which of them it opens or closes. */
  readonly positionSide?: PositionSide | undefined;
  /** The venue closed the position for lack of margin. */
  readonly liquidation?: boolean | undefined;
}

/** What an order asks for; `size` is base quantity, or an amount of quote with its currency. */
interface OrderTerms {
  /** Of limit orders. */
  readonly price: number | undefined;
  /** Of stops and triggers: the price that they wait for. */
  readonly stopPrice: number | undefined;
  readonly size: string;
}

/** An order in another shape, from `time` on: resized, or going out to the venue once its condition was met. */
export interface OrderChange extends OrderTerms {
  readonly time: number;
}

/** An order's life, as placed. */
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

/** The price of one symbol with the run's orders and fills; `ChartBars` gathers the bars in bounded memory. */
export interface PriceChart {
  readonly symbol: string;
  readonly bars: readonly ChartBar[];
  /** The length of a bar. */
  readonly intervalMs: number;
  /** How many market events or bars the bars were made of, as the page says; absent: as many as bars. */
  readonly madeFrom?: number | undefined;
  readonly fills: readonly ChartFill[];
  /** In the order of their placing. */
  readonly orders?: readonly ChartOrder[] | undefined;
}

/** Refusals of one code (and of one strategy, symbol and side, where these are told), with the numbers of one of them. */
export interface DeniedRow {
  readonly code: string;
  readonly count: number;
  /** The numbers, of the newest one unless said otherwise. */
  readonly example: string;
  readonly strategy?: string | undefined;
  readonly symbol?: string | undefined;
  readonly side?: 'buy' | 'sell' | undefined;
  /** Epoch ms of the first and the last of them. */
  readonly firstTime?: number | undefined;
  readonly lastTime?: number | undefined;
}

/** Where a recording came from. */
export interface DataProvenance {
  readonly name: string;
  readonly sha256: string;
  /** Further lines in order, e.g. symbols, kind, period, source. */
  readonly facts: readonly { readonly label: string; readonly value: string }[];
}

/** The return of one UTC day. */
interface DayReturn {
  /** The day's end: the next UTC midnight, epoch ms. */
  readonly time: number;
  /** As a share; null after a day that ended without equity. */
  readonly value: number | null;
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
    /** Empty but on futures accounts. */
    readonly bySide: readonly BreakdownRow[];
  };
  /** By each thing that trades are told apart by. */
  readonly breakdowns: Readonly<Record<BreakdownBy, readonly BreakdownRow[]>>;
  readonly equity: readonly EquityPoint[];
  /** Its values lie beside those of `equity`. */
  readonly benchmark: Benchmark | undefined;
  /** One for each day with market data. */
  readonly returns: readonly DayReturn[];
  readonly rolling: readonly RollingWindow[];
  readonly charts: readonly PriceChart[];
  readonly monthly: readonly YearReturns[];
  readonly trades: readonly ClosedTrade[];
  readonly openTrades: readonly OpenTrade[];
  readonly denied: readonly DeniedRow[];
  /** The config file's text as it was read. */
  readonly configText: string;
  readonly data: readonly DataProvenance[];
  readonly warnings: readonly string[];
  /** What diagnosis found, the most severe first; absent where it was not asked. */
  readonly findings?: readonly Finding[] | undefined;
  /** Where the run was made on both extreme paths inside bars; all else is of the worst. */
  readonly paths?: BothPaths | undefined;
}
