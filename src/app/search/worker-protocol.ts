import type { SentError } from '../backtest/worker-protocol.ts';
import type { WantedData } from '../data/find-by-hash.ts';
import type { SharedData } from '../planning/shared-data.ts';
import type { ParameterSchema } from './schema-space.ts';

/** Everything about a config that is the same for all trials of a search. */
export interface TrialTerms {
  readonly configPath: string;
  /** The text of the config, if there is no file of it. */
  readonly text?: string | undefined;
  /** Code of the user runs the search, in its own process: then flags of V8, which threads share, stay as they are. */
  readonly embedded: boolean;
  /** `--set` of the command line. */
  readonly set: readonly string[];
  /** Series that are in memory, by `shareKey`. */
  readonly shared: SharedData;
}

/** A job of a worker: a config with these settings is planned, or run. */
export interface TrialJob {
  readonly kind: 'plan' | 'run';
  readonly terms: TrialTerms;
  /** The settings of this trial, as in `--set`. */
  readonly set: readonly string[];
  /** The hash of its event log is wanted. */
  readonly hash?: boolean | undefined;
  /** End it as soon as one of these constraints cannot hold any more. */
  readonly prune?: readonly string[] | undefined;
  /** Write a whole run to this folder. */
  readonly out?: string | undefined;
}

/** A series that a run reads, or the signals of a recording. */
export interface UsedSeries {
  readonly key: string;
  /** `recording/series`, for people. */
  readonly name: string;
  readonly sha256: string;
  /** The parts of which it was joined. */
  readonly parts: readonly WantedData[];
}

/** A trial that was planned and not run. */
export interface PlanReply {
  /** Epoch ms of its start. */
  readonly from: number;
  readonly series: readonly UsedSeries[];
  /** A SHA-256 of the code that it runs: strategies, models, and Tidegate itself. */
  readonly code: string;
  /** The length of the shortest bars that strategies need; `undefined` if they need none. */
  readonly barMs: number | undefined;
  /** The schemas of the parameters of the strategies. */
  readonly schemas: readonly ParameterSchema[];
  /** A SHA-256 of the instruments with the terms of the recordings. */
  readonly instruments: string;
}

/** The terms of a trial that has run. */
interface RunTerms {
  readonly code: string;
  /** Epoch ms of its start. */
  readonly from: number;
  /** The keys of the series that it has read. */
  readonly series: readonly string[];
  /** Names of what its strategies and models read besides config and recordings. */
  readonly reads: readonly string[];
}

/** A trial that has run to its end. */
export interface RunReply extends RunTerms {
  readonly statistics: Readonly<Record<string, number | string | null>>;
  readonly returns: Float64Array;
  /** Empty if it was not wanted. */
  readonly hash: string;
}

/** A trial that was ended, as a constraint of it could not hold any more. */
export interface PrunedReply extends RunTerms {
  readonly constraint: string;
}

export type TrialReply =
  | ({ readonly kind: 'plan' } & PlanReply)
  | ({ readonly kind: 'run' } & RunReply)
  | ({ readonly kind: 'pruned' } & PrunedReply)
  | { readonly kind: 'failed'; readonly failure: SentError };
