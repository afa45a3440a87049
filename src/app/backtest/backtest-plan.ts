import type { BarPlan } from '../../engine/bar-maker.ts';
import type { FillSettings } from '../../matching/settings.ts';
import type { Decimal } from '../../model/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Bar, MarketEventKind } from '../../model/market-events.ts';
import type { Log } from '../../ports/log.ts';
import type { RiskLimits } from '../../risk/limits.ts';
import type { PortfolioOptions } from '../../state/portfolio.ts';
import type { StrategyContext } from '../../strategy/context.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import type { ConstantFunding } from '../../venues/simulated/constant-funding-source.ts';
import type { SeriesSource } from '../../venues/simulated/row-stream.ts';
import type { Latency } from '../../venues/simulated/simulated-venue.ts';
import type { ReplayMonitor } from '../../venues/simulated/timeline.ts';

export interface PlannedStrategy {
  readonly id: string;
  readonly symbols: readonly string[];
  /** Checked parameters. */
  readonly params: unknown;
  readonly create: (context: StrategyContext) => Strategy;
}

export interface PlannedSource {
  readonly instrument: Instrument;
  readonly kind: MarketEventKind;
  readonly open: () => SeriesSource;
}

/** How futures are simulated beyond their fills. */
export interface PlannedFutures {
  /** Age at which a mark gives way to the last price. */
  readonly markMaxAgeMs: number;
  readonly liquidation: boolean;
  /** What the insurance fund opens with, by asset. */
  readonly insuranceFund: ReadonlyMap<string, Decimal>;
  /** By symbol, for contracts whose funding is not recorded. */
  readonly constantFunding: ReadonlyMap<string, ConstantFunding>;
}

/** Everything that one backtest is wired from: no file is read and no default is chosen after this. */
export interface BacktestPlan {
  readonly name: string;
  readonly instruments: readonly Instrument[];
  readonly account: PortfolioOptions;
  /** Of futures accounts: the collateral. */
  readonly balances: ReadonlyMap<string, Decimal>;
  /** The spot wallet beside a futures account. */
  readonly spotBalances?: ReadonlyMap<string, Decimal>;
  readonly strategies: readonly PlannedStrategy[];
  readonly limits: RiskLimits;
  readonly fills: FillSettings;
  readonly exits: 'nextBar' | 'entryBar';
  readonly latency: Latency;
  readonly profile: 'exchange' | 'full';
  readonly marketBuyCollar: Decimal;
  /** How long a futures order that goes out as a trigger may wait; left out: the engine's default. */
  readonly triggerTimeoutMs?: number;
  /** Of futures accounts; left out: the simulator's defaults. */
  readonly futures?: PlannedFutures | undefined;
  readonly closeAtEnd: boolean;
  /** In the declared order of kinds, then of instruments. */
  readonly sources: readonly PlannedSource[];
  /** Epoch ms: [from, to). */
  readonly from: number;
  readonly to: number;
  readonly bars: BarPlan;
  readonly history: (strategyId: string, symbol: string, intervalMs: number | undefined) => readonly Bar[];
  readonly log: Log;
  readonly monitor?: ReplayMonitor | undefined;
}
