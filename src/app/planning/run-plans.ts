import type { z } from 'zod';
import type { BarPlan } from '../../engine/bar-maker.ts';
import type { FillSettings } from '../../matching/settings.ts';
import type { Decimal } from '../../model/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import { type Bar, MARKET_EVENT_KINDS, type MarketEventKind } from '../../model/market-events.ts';
import type { VenueCapabilities } from '../../ports/execution-venue.ts';
import type { Log } from '../../ports/log.ts';
import type { RiskLimits } from '../../risk/limits.ts';
import type { PortfolioOptions } from '../../state/portfolio.ts';
import type { Strategy, StrategyContext } from '../../strategy/strategy.ts';
import type { ExpectedContract } from '../../venues/rest/futures/margin-binding.ts';
import type { RestSettings } from '../../venues/rest/trading.ts';
import type { Latency } from '../../venues/simulated/latency.ts';
import type { PollSettings } from '../../venues/simulated/polled/observed.ts';
import type { ReplayMonitor } from '../../venues/simulated/replay.ts';
import type { RequestLimits } from '../../venues/simulated/request-pacer.ts';
import type { SeriesSource } from '../../venues/simulated/row-source.ts';
import type { ConstantFunding } from '../../venues/simulated/sources.ts';
import type { BotMode } from './bot-folder.ts';

export interface PlannedStrategy {
  readonly id: string;
  readonly symbols: readonly string[];
  /** Checked parameters. */
  readonly params: unknown;
  /** What they were checked by; absent where the strategy takes none. */
  readonly schema?: z.ZodType | undefined;
  readonly create: (context: StrategyContext) => Strategy;
  /** SHA-256 of its sources, where it comes from a file. */
  readonly source?: string | undefined;
  /** Absolute paths of these sources. */
  readonly files?: readonly string[] | undefined;
}

/** What the core of a run is made from, whatever it runs against. */
export interface CorePlan {
  readonly name: string;
  readonly instruments: readonly Instrument[];
  readonly account: PortfolioOptions;
  readonly strategies: readonly PlannedStrategy[];
  readonly limits: RiskLimits;
  readonly marketBuyCollar: Decimal;
  /** How long a futures order that goes out as a trigger may wait; left out: the engine's default. */
  readonly triggerTimeoutMs?: number | undefined;
  readonly bars: BarPlan;
  readonly exitsWaitForNextBar: boolean;
  readonly closeAtEnd: boolean;
  readonly history: (strategyId: string, symbol: string, intervalMs: number | undefined) => readonly Bar[];
  readonly log: Log;
  /** See `RULES`; the newest if left out. A replay goes by those of its record. */
  readonly rules?: number | undefined;
}

/** The log of a plan that is run a second time: what its strategies log has been logged by the first run. */
export const SILENT: Log = { debug: () => {}, info: () => {}, warn: () => {} };

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

/** Times in ms. */
interface PollPlan {
  readonly tickerMs: number;
  readonly accountMs: number;
  readonly lookupMs: number;
  readonly idleMs: number;
  readonly staleMs: number;
}

/** The exchange's own names of what contracts are; what is left out is as it was seen there. */
interface ContractIds {
  /** Ids of contracts, by symbol. */
  readonly contracts?: ReadonlyMap<string, string> | undefined;
  /** Ids of the coins that they are settled in. */
  readonly coins?: ReadonlyMap<string, string> | undefined;
}

/** The config of a bot as it took effect, without keys. */
interface PlanOrigin {
  /** Of Tidegate. */
  readonly version: string;
  readonly mode: BotMode;
  readonly text: string;
  readonly file: string;
}

/** Everything that a bot is wired from, but for clock, client and files. */
export interface BotPlan extends CorePlan {
  /** Where it was planned from, for the journal; absent of plans that no config made. */
  readonly origin?: PlanOrigin | undefined;
  readonly capabilities: VenueCapabilities;
  readonly poll: PollPlan;
  readonly rest: Partial<RestSettings>;
  readonly ids?: ContractIds | undefined;
  readonly onStop: 'cancel' | 'keep';
  /** How long a stop may take, in ms. */
  readonly graceMs: number;
}

/** Fills and balances are read at each point of the account's grid, and no more often than this share of its period. */
export const DETECT_SHARE = 0.9;

/** The exchange's batch limit for spot orders: the document gives none, public clients say 10. */
export const SPOT_BATCH_LIMIT = 10;

/**
 * What the simulated venue can do. `exchange` is the real one: tickers alone (recorded bars, marks and funding
 * fit every profile), spot market buys by quote amount, and futures orders as triggers. `full` is all that the
 * simulator has.
 */
export function capabilitiesOf(profile: 'exchange' | 'full'): VenueCapabilities {
  const exchange = profile === 'exchange';
  return {
    marketData: exchange ? ['bar', 'ticker', 'mark', 'funding'] : MARKET_EVENT_KINDS,
    marketBuyByQuantity: !exchange,
    plainFutures: !exchange,
    futuresTriggers: true,
    batchLimit: SPOT_BATCH_LIMIT,
  };
}

/** Ids of contracts begin here, in the order in which the exchange lists them; seen in public answers of it. */
const FIRST_CONTRACT_ID = 10_000_001;

/** What a futures account's settings at the exchange must be, by the config: contract by contract. */
export function expectedContracts({ instruments, account, ids }: Pick<BotPlan, 'instruments' | 'account' | 'ids'>): ExpectedContract[] {
  const contracts = instruments.filter(({ contract }) => contract !== undefined);
  return contracts.flatMap((instrument, index) => {
    const margin = account.margin?.get(instrument.symbol);
    if (margin === undefined) return [];
    const contractId = ids?.contracts?.get(instrument.symbol) ?? String(FIRST_CONTRACT_ID + index);
    return [{ instrument, contractId, margin }];
  });
}
