import type { z } from 'zod';
import type { BarPlan } from '../../engine/bar-maker.ts';
import type { LostExit } from '../../engine/held/held-order.ts';
import type { JoinTerms } from '../../engine/strategies/joins.ts';
import type { FillSettings } from '../../matching/settings.ts';
import type { BarInterval } from '../../model/bar-interval.ts';
import type { Decimal } from '../../model/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import { type Bar, MARKET_EVENT_KINDS, type MarketEventKind } from '../../model/market-events.ts';
import type { VenueCapabilities } from '../../ports/execution-venue.ts';
import type { Log } from '../../ports/log.ts';
import type { SettingChange } from '../../ports/market-feed.ts';
import type { Plots } from '../../ports/plots.ts';
import type { RiskLimits } from '../../risk/limits.ts';
import type { PortfolioOptions } from '../../state/portfolio.ts';
import type { Strategy, StrategyContext, StrategyNeeds } from '../../strategy/strategy.ts';
import type { ReconcileSettings } from '../../venues/reconcile/settings.ts';
import type { ExpectedContract } from '../../venues/rest/futures/contract-settings.ts';
import type { Latency } from '../../venues/simulated/latency.ts';
import type { PollSettings } from '../../venues/simulated/polled/polled-half.ts';
import type { ReplayMonitor } from '../../venues/simulated/replay.ts';
import type { RequestLimits } from '../../venues/simulated/request-pacer.ts';
import type { SeriesSource } from '../../venues/simulated/row-source.ts';
import type { RecordedSignals } from '../../venues/simulated/signal-replay.ts';
import type { ConstantFunding } from '../../venues/simulated/sources.ts';
import type { BotMode } from './bot-folder.ts';

/** One strategy of a run: how to create it, and its code. */
export interface PlannedStrategy {
  readonly id: string;
  readonly symbols: readonly string[];
  /** The symbols whose prices it receives and which it does not trade. */
  readonly references?: readonly string[] | undefined;
  /** Checked parameters. */
  readonly params: unknown;
  /** The schema that checked them; absent if the strategy has no parameters. */
  readonly schema?: z.ZodType | undefined;
  readonly create: (context: StrategyContext) => Strategy;
  /** The needs that the run has chosen, if its class leaves a choice. */
  readonly needs?: StrategyNeeds | undefined;
  /** Set if its symbols begin one by one, each when so many bars have closed; else all begin with the run. */
  readonly joins?: JoinTerms | undefined;
  /** SHA-256 of its sources, if it comes from a file. */
  readonly source?: string | undefined;
  /** Absolute paths of these sources. */
  readonly files?: readonly string[] | undefined;
}

/** The parts of a plan that every kind of run has. */
export interface CorePlan {
  readonly name: string;
  readonly instruments: readonly Instrument[];
  readonly account: PortfolioOptions;
  readonly strategies: readonly PlannedStrategy[];
  readonly limits: RiskLimits;
  readonly marketBuyCollar: Decimal;
  /** A bot: what happens to exits that somebody cancels at the exchange. */
  readonly lostExit?: LostExit | undefined;
  readonly bars: BarPlan;
  readonly exitsWaitForNextBar: boolean;
  readonly closeAtEnd: boolean;
  readonly history: (strategyId: string, symbol: string, interval: BarInterval | undefined) => readonly Bar[];
  readonly log: Log;
  /** Receives what strategies plot; without it, plots are ignored. */
  readonly plots?: Plots | undefined;
  /** See `RULES_VERSION`; default: the newest. A replay uses those of its journal. */
  readonly rules?: number | undefined;
}

/** A log that drops everything, for a second run of a plan: the first run has logged the same lines. */
export const SILENT: Log = { debug: () => {}, info: () => {}, warn: () => {} };

/** One recorded series of a run. */
export interface PlannedSource {
  readonly instrument: Instrument;
  readonly kind: MarketEventKind;
  readonly open: () => SeriesSource;
  /** Only this part of it: [from, to) in epoch ms. */
  readonly within?: { readonly from: number; readonly to: number } | undefined;
}

/** The settings of simulated futures except their fills. */
export interface PlannedFutures {
  /** Age in ms at which the last price replaces a mark. */
  readonly markMaxAgeMs: number;
  readonly liquidation: boolean;
  /** The insurance fund at the start, by asset. */
  readonly insuranceFund: ReadonlyMap<string, Decimal>;
  /** By symbol, for contracts whose funding is not recorded. */
  readonly constantFunding: ReadonlyMap<string, ConstantFunding>;
}

/** Everything from which a backtest is built: no file is read and no default is chosen later. */
export interface BacktestPlan extends CorePlan {
  /** The balances; for futures accounts the collateral. */
  readonly balances: ReadonlyMap<string, Decimal>;
  /** The spot wallet of a futures account. */
  readonly spotBalances?: ReadonlyMap<string, Decimal>;
  readonly fills: FillSettings;
  readonly latency: Latency;
  /** The rate limits of requests; undefined: none. */
  readonly requestLimits?: RequestLimits | undefined;
  /** Strategies receive only the data that a poller with these settings would see; undefined: every event when it happens. */
  readonly polled?: PollSettings | undefined;
  readonly profile: 'exchange' | 'full';
  /** Only for futures accounts; undefined: the simulator's defaults. */
  readonly futures?: PlannedFutures | undefined;
  /** In the declared order of kinds, then of instruments. */
  readonly sources: readonly PlannedSource[];
  /** In the order of the config; none by default. */
  readonly signals?: readonly RecordedSignals[] | undefined;
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

/** The exchange's ids of contracts and coins; defaults: the ids that the exchange has shown. */
interface ContractIds {
  /** Ids of contracts, by symbol. */
  readonly contracts?: ReadonlyMap<string, string> | undefined;
  /** Ids of their settlement coins. */
  readonly coins?: ReadonlyMap<string, string> | undefined;
}

/** The effective config of a bot, without keys. */
interface PlanOrigin {
  /** The version of Tidegate. */
  readonly version: string;
  readonly mode: BotMode;
  readonly text: string;
  readonly file: string;
}

/** The signals of a bot: a file of JSON lines that grows. */
export interface SignalSource {
  readonly name: string;
  /** An absolute path. */
  readonly file: string;
  /** How long after its time a row is delivered at the earliest, in ms. */
  readonly delayMs: number;
  /** How far its time may be ahead of the clock of the bot, in ms: a row further ahead is no signal. */
  readonly maxAheadMs: number;
  /** The bot appends signals to the file that it receives over HTTP. */
  readonly post?: true | undefined;
}

/** Everything from which a bot is built, except clock, client and files. */
export interface BotPlan extends CorePlan {
  /** The config, for the journal; absent if the plan was not made from a config. */
  readonly origin?: PlanOrigin | undefined;
  /** The settings of the config that a person has changed while the bot ran, which this plan has. */
  readonly changes?: readonly SettingChange[] | undefined;
  readonly capabilities: VenueCapabilities;
  readonly poll: PollPlan;
  readonly rest: Partial<ReconcileSettings>;
  readonly ids?: ContractIds | undefined;
  /** The leverages of the config are set at the start, instead of compared. */
  readonly setsLeverage?: boolean | undefined;
  readonly onStop: 'cancel' | 'keep';
  /** In the order of the config; none by default. */
  readonly signalFiles?: readonly SignalSource[] | undefined;
  /** How long a stop may take, in ms. */
  readonly graceMs: number;
}

/** Fills and balances are polled at each point of the account's grid, and at least this share of its period apart. */
export const DETECT_SHARE = 0.9;

/** The exchange's batch limit for spot orders: its document has none, public clients use 10. */
export const SPOT_BATCH_LIMIT = 10;

/**
 * The capabilities of the simulated venue. `exchange` has those of the real exchange: tickers as its only prices (recorded bars, marks
 * and funding fit every profile), spot market buys by quote amount, and futures orders as trigger orders. `full` has all capabilities of
 * the simulator.
 */
export function capabilitiesOf(profile: 'exchange' | 'full'): VenueCapabilities {
  const exchange = profile === 'exchange';
  return {
    marketData: exchange ? ['bar', 'ticker', 'mark', 'funding'] : MARKET_EVENT_KINDS,
    marketBuyByQuantity: !exchange,
    futuresTriggers: true,
    triggerTerms: !exchange,
    batchLimit: SPOT_BATCH_LIMIT,
  };
}

/** The first id of a contract, in the order of the exchange's list; taken from its public replies. */
const FIRST_CONTRACT_ID = 10_000_001;

/** The settings that each contract of a futures account must have at the exchange, by the config. */
export function expectedContracts({ instruments, account, ids }: Pick<BotPlan, 'instruments' | 'account' | 'ids'>): ExpectedContract[] {
  const contracts = instruments.filter(({ contract }) => contract !== undefined);
  return contracts.flatMap((instrument, index) => {
    const margin = account.margin?.get(instrument.symbol);
    if (margin === undefined || instrument.isReference) return [];
    const contractId = ids?.contracts?.get(instrument.symbol) ?? String(FIRST_CONTRACT_ID + index);
    return [{ instrument, contractId, margin }];
  });
}
