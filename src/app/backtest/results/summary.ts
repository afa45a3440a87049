import type { PriceEventKind } from '../../../model/market-events.ts';
import type { BothPaths } from '../../../report/run-report.ts';
import type { BreakdownBy, BreakdownRow } from '../../../statistics/breakdown.ts';
import type { Finding } from '../../../statistics/diagnosis/check.ts';
import type { Statistics } from '../../../statistics/statistics.ts';
import type { RequestFigures } from '../../../venues/simulated/request-pacer.ts';

/** The content of summary.json and of `--json`. Money is decimal text; times are ISO 8601, UTC. */
export interface Summary {
  readonly name: string;
  readonly strategies: readonly string[];
  readonly from: string | null;
  readonly to: string | null;
  readonly marketEvents: number;
  readonly intents: number;
  readonly denied: number;
  readonly orders: number;
  readonly fills: number;
  readonly closedTrades: number;
  readonly currency: string;
  readonly startEquity: string;
  readonly finalEquity: string;
  readonly totalFees: string;
  /** Only futures accounts: received less paid funding; not a part of the fees. */
  readonly totalFunding?: string;
  /** Only futures accounts: the number of liquidations. */
  readonly liquidations?: number;
  /** By asset; assets in the spot wallet of a futures account as `spot:BTC`. */
  readonly finalBalances: Readonly<Record<string, string>>;
  /** Base quantity by symbol, net and signed; for futures as `BTC-USDT-PERP:long`, never negative. Without flat positions. */
  readonly finalPositions: Readonly<Record<string, string>>;
  /** Only futures accounts: the simulator's insurance fund by collateral; negative if it paid more than it had. */
  readonly insuranceFund?: Readonly<Record<string, string>>;
  /** Fraction of the peak, over every market event. */
  readonly maxDrawdown: number;
  readonly statistics: Statistics;
  /** Present with `--breakdown`. */
  readonly breakdowns?: Readonly<Partial<Record<BreakdownBy, readonly BreakdownRow[]>>>;
  /** The number of fills that depend on the assumed path inside a bar. */
  readonly pathDependentFills: number;
  /** If there are such fills: the closed trades with one of them, and their net profit. */
  readonly pathDependentTrades?: number;
  readonly pathDependentProfit?: string;
  /** If there are any: bars in which the price passed a stop that worked only from the next bar on. */
  readonly unguardedBars?: number;
  /** Entries that filled at or beyond their stop loss; absent if there are none. */
  readonly stopsBeyondFill?: number;
  /** Entries that filled at or beyond their take profit; absent if there were none. */
  readonly targetsBeyondFill?: number;
  /** With `--path both`: figures of both paths; all other fields belong to the worst path. */
  readonly paths?: BothPaths;
  /** The number of placements and cancels, and how long they waited for `backtest.limits`. */
  readonly requests?: RequestFigures;
  readonly deniedByCode: Readonly<Record<string, number>>;
  readonly eventLogSha256: string;
  readonly dataSha256: string;
  /** The kinds of prices that the run used. */
  readonly prices: readonly PriceEventKind[];
  /** The needs that were chosen, a line for each strategy whose class leaves a choice; and what each gets of its references. */
  readonly choices?: readonly string[];
  readonly elapsedMs: number;
  readonly eventsPerSecond: number;
  readonly out: string;
  readonly warnings: readonly string[];
  /** The findings, the most severe first; null if the run did not reach its end. */
  readonly findings: readonly Finding[] | null;
  /** True if the run was stopped before the end of its data; the figures cover the time until then. */
  readonly interrupted: boolean;
  /** Code and message of the error that stopped the run. */
  readonly error: { readonly code: string; readonly message: string } | null;
}
