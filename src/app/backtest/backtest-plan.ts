import type { FillSettings } from '../../matching/settings.ts';
import type { Decimal } from '../../model/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { MarketEventKind } from '../../model/market-events.ts';
import type { Latency } from '../../venues/simulated/latency/latency.ts';
import type { PollSettings } from '../../venues/simulated/polled/exchange-records.ts';
import type { RequestLimits } from '../../venues/simulated/request-pacer.ts';
import type { SeriesSource } from '../../venues/simulated/row-source.ts';
import type { ReplayMonitor } from '../../venues/simulated/source-order.ts';
import type { ConstantFunding } from '../../venues/simulated/sources.ts';
import type { CorePlan } from '../wiring/core-plan.ts';

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
export interface BacktestPlan extends CorePlan {
  /** Of futures accounts: the collateral. */
  readonly balances: ReadonlyMap<string, Decimal>;
  /** The spot wallet beside a futures account. */
  readonly spotBalances?: ReadonlyMap<string, Decimal>;
  readonly fills: FillSettings;
  readonly latency: Latency;
  /** Requests wait for these; undefined: for nothing. */
  readonly requestLimits?: RequestLimits | undefined;
  /** The strategy sees what a poller of these settings would; left out: every event as it happens. */
  readonly polled?: PollSettings | undefined;
  readonly profile: 'exchange' | 'full';
  /** Of futures accounts; left out: the simulator's defaults. */
  readonly futures?: PlannedFutures | undefined;
  /** In the declared order of kinds, then of instruments. */
  readonly sources: readonly PlannedSource[];
  /** Epoch ms: [from, to). */
  readonly from: number;
  readonly to: number;
  readonly monitor?: ReplayMonitor | undefined;
}
