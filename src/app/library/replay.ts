import { compareRuns } from '../../statistics/comparison/compare-runs.ts';
import type { Comparison } from '../../statistics/comparison/comparison.ts';
import { readRuns, WINDOW_MS } from '../compare/run-compare.ts';
import { replayAt, replayJson } from '../replay/run-replay.ts';
import { CONFIG_OPTIONS, type ConfigOptions } from './backtest.ts';
import type { ConfigObject } from './config-object.ts';
import { FUNCTION, libraryError, NUMBER, requireOptions, TEXT } from './library-error.ts';

/** The options of {@link replay}. */
export interface ReplayOptions extends ConfigOptions {
  /** A config that replaces the one in the journal: its path, or an object. */
  readonly config?: string | ConfigObject | undefined;
  /** Folder from which the files of strategies are loaded, each by its name. */
  readonly strategyDir?: string | undefined;
  /** Called from time to time with the number of replayed records, of all that the journal has. */
  readonly onProgress?: ((done: number, all: number) => void) | undefined;
}

/** One run of a bot in its journal: from a start of its process to its end. */
export interface ReplayedBotRun {
  /** The number of the run, from 1. */
  readonly run: number;
  /** `cut`: the process was killed or still runs; `differs`: the replay ended at a difference. */
  readonly end: 'stopped' | 'cut' | 'differs';
  /** The numbers of what was replayed and equal: turns of the engine, prices, events, intents, denials, requests, and points with the whole state. */
  readonly turns: number;
  readonly market: number;
  readonly events: number;
  readonly intents: number;
  readonly denials: number;
  readonly requests: number;
  readonly points: number;
}

/** The result of a replay. */
export interface Replayed {
  /** Path of the journal. */
  readonly journal: string;
  readonly bot: string;
  /** Whether every decision is the same. */
  readonly identical: boolean;
  /** The number of records, and of those by an earlier version, which are not replayed. */
  readonly records: number;
  readonly untold: number;
  /** The ids of strategies whose code differs from the recorded one. */
  readonly changed: readonly string[];
  readonly runs: readonly ReplayedBotRun[];
  /** The first difference: its kind, its record, its time in epoch ms, and both values. */
  readonly difference:
    | { readonly what: string; readonly id: number; readonly time: number; readonly recorded: unknown; readonly replayed: unknown }
    | undefined;
}

/**
 * Replays the journal of a bot in a fresh engine, and compares every decision with the recorded one.
 * @param journal path of a bot's folder or of its `journal.sqlite`; it is only read.
 * @throws TidegateError JOURNAL_FAILED, JOURNAL_DAMAGED, and the errors of loading config and strategies.
 */
export async function replay(journal: string, options: ReplayOptions = {}): Promise<Replayed> {
  requireOptions('replay', options, { ...CONFIG_OPTIONS, config: true, strategyDir: TEXT, onProgress: FUNCTION });
  const { env = process.env, onProgress, ...rest } = options;
  try {
    return replayJson(await replayAt(journal, { ...rest, env, embedded: true, progress: onProgress })) as Replayed;
  } catch (error) {
    throw libraryError(error);
  }
}

/** The options of {@link compare}. */
export interface CompareOptions {
  /** The largest time between the decisions of two orders that are matched, in ms; default: 60,000. */
  readonly windowMs?: number | undefined;
  /** Fills at most this far apart count as simultaneous, in ms; default: 0. */
  readonly toleranceMs?: number | undefined;
  /** The currency of the amounts; default: that of a backtest, else of the second run. */
  readonly currency?: string | undefined;
}

/**
 * Compares two runs trade by trade, with the cause of each difference. Nothing is written.
 * @param a the folder of a backtest (made with `out`), or the folder or journal of a bot.
 * @param b another one.
 * @throws TidegateError DATA_NOT_FOUND, DATA_INVALID, JOURNAL_FAILED.
 */
export async function compare(a: string, b: string, options: CompareOptions = {}): Promise<Comparison> {
  requireOptions('compare', options, { windowMs: NUMBER, toleranceMs: NUMBER, currency: TEXT });
  const { windowMs = WINDOW_MS, toleranceMs = 0, currency } = options;
  try {
    return compareRuns(...readRuns(a, b, currency), { windowMs, toleranceMs });
  } catch (error) {
    throw libraryError(error);
  }
}
