import { worthOf } from '../../search/objective.ts';
import type { Statistics } from '../../statistics/statistics.ts';
import { Search } from '../search/search.ts';
import { plainText } from '../search/search-progress.ts';
import { CONFIG_OPTIONS, type ConfigOptions } from './backtest.ts';
import type { ConfigObject } from './config-object.ts';
import { FLAG, libraryError, type OptionForm, type OptionForms, requireOptions, SIGNAL, TEXT, TEXTS } from './library-error.ts';

/** The options of {@link search}. */
export interface SearchOptions extends Omit<ConfigOptions, 'env'> {
  /** Parameters that vary over all values that the schema of their strategy allows, if section `search` of the config has no `parameters`. */
  readonly over?: readonly string[] | undefined;
  /** The folder of the study; default: the first free `studies/<name>-<n>` in the working directory. */
  readonly out?: string | undefined;
  /** With the method `tpe`: folder of an earlier study, from whose trials the search learns. */
  readonly from?: string | undefined;
  /** Threads that run trials; default: one for each core. */
  readonly workers?: number | undefined;
  /** Go on with the study in the folder: its trials come first. */
  readonly resume?: boolean | undefined;
  /** Compute `eventLogSha256` of every trial; default: false, as it takes time. */
  readonly hash?: boolean | undefined;
  /** When it aborts, the iteration ends. Trials that have not ended are run by a later search with `resume`. */
  readonly signal?: AbortSignal | undefined;
}

/** A trial of a search. Its figures are in sample. */
export interface SearchTrial {
  /** Folder of the study. */
  readonly study: string;
  /** From 1, in the order in which their points were chosen. */
  readonly trial: number;
  /** The value of each parameter, by name, as text. */
  readonly params: Readonly<Record<string, string>>;
  /** `done`, or why it has no figures. */
  readonly outcome: 'done' | 'pruned' | 'failed' | 'timeout' | 'memory';
  /** The reason in words, if it has no figures. */
  readonly reason: string | undefined;
  /** `null` if it has no value. */
  readonly objective: number | null;
  /** The constraints that it misses. */
  readonly missed: readonly string[];
  /** By key; empty without figures. */
  readonly statistics: Partial<Statistics>;
  /** Daily returns of equity. */
  readonly returns: Float64Array;
  /** Names of what its code read besides its config and its data, such as `Date.now`. */
  readonly reads: readonly string[];
  /** The hash of its event log, with `hash`; else `undefined`. */
  readonly eventLogSha256: string | undefined;
}

const COUNT: OptionForm = { expected: 'a whole number, 1 or more', allows: (value) => Number.isInteger(value) && Number(value) > 0 };

const SEARCH_OPTIONS: OptionForms<SearchOptions> = {
  ...{ baseDir: CONFIG_OPTIONS.baseDir, set: CONFIG_OPTIONS.set },
  ...{ over: TEXTS, out: TEXT, from: TEXT, workers: COUNT, resume: FLAG, hash: FLAG, signal: SIGNAL },
};

/**
 * Runs the search of a config in threads, and gives each trial as it ends; the study has it by then. It makes the table of `tidegate search`
 * with the same config. To leave the loop ends the search and keeps the study.
 * @param config path of a config file, or an object with the same keys. Strategies and models are files, as threads load them.
 * @throws TidegateError CONFIG_INVALID, OUT_NOT_EMPTY and others, at the first trial.
 */
export async function* search(config: string | ConfigObject, options: SearchOptions = {}): AsyncGenerator<SearchTrial, void, undefined> {
  requireOptions('search', options, SEARCH_OPTIONS);
  try {
    const open = await Search.open(config, { ...options, embedded: true });
    try {
      yield* trialsOf(open);
    } finally {
      await open.close();
    }
  } catch (error) {
    throw libraryError(error, { resume: 'resume: true' });
  }
}

async function* trialsOf(open: Search): AsyncGenerator<SearchTrial, void> {
  const study = open.study();
  const { objective, constraints } = open.plan;
  try {
    for await (const { trial } of open.trials(study)) {
      const { number, params, outcome, reason, statistics, returns, hash, reads = [] } = trial;
      const { value = null, missed } = worthOf(statistics, objective, constraints);
      const plain = Object.fromEntries(Object.entries(params).map(([name, text]) => [name, plainText(text)]));
      yield {
        ...{ study: study.folder, trial: number, params: plain, outcome, reason, objective: value, missed },
        ...{ statistics, returns, reads, eventLogSha256: hash },
      };
    }
  } finally {
    study.close();
  }
}
