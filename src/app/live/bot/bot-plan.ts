import type { VenueCapabilities } from '../../../ports/execution-venue.ts';
import type { RestSettings } from '../../../venues/rest/trading.ts';
import type { CorePlan } from '../../wiring/core-plan.ts';
import type { BotMode } from '../process/bot-folder.ts';

/** Fills and balances are read at each point of the account's grid, and no more often than this share of its period. */
export const DETECT_SHARE = 0.9;

/** Times in ms. */
export interface PollPlan {
  readonly tickerMs: number;
  readonly accountMs: number;
  readonly lookupMs: number;
  readonly staleMs: number;
}

/** The exchange's own names of what contracts are; what is left out is as it was seen there. */
export interface ContractIds {
  /** Ids of contracts, by symbol. */
  readonly contracts?: ReadonlyMap<string, string> | undefined;
  /** Ids of the coins that they are settled in. */
  readonly coins?: ReadonlyMap<string, string> | undefined;
}

/** The config of a bot as it took effect, without keys. */
export interface PlanOrigin {
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
