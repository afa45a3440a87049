import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { TidegateError } from '../../model/errors.ts';
import type { RunSetup } from '../../statistics/comparison/run-setup.ts';
import type { StatisticValue } from '../../statistics/statistic.ts';
import { CODE_FILE } from '../backtest/results/code-file.ts';
import { isInProgress, RUN_MARK } from '../backtest/results/run-mark.ts';
import { readHeartbeat } from '../live/process/heartbeat.ts';
import { setupOfBacktest } from './read-setup.ts';

/**
 * `done`: reached its end. `interrupted`, `failed`: stopped by a signal, by an error. `running`: still in progress. `stopped`: a bot that
 * does not run. `incomplete`: its process ended before it wrote the results. `unreadable`: a file of it is damaged.
 */
export type RunState = 'done' | 'interrupted' | 'failed' | 'running' | 'stopped' | 'incomplete' | 'unreadable';

/** A run as a row of a table. */
export interface RunEntry {
  /** Its folder, as it was found. */
  readonly folder: string;
  /** The name in its config. */
  readonly name: string;
  readonly kind: 'backtest' | 'paper' | 'live';
  readonly state: RunState;
  /** When a backtest began, or when a bot was last active; epoch ms. */
  readonly date: number;
  /** The first and the last market event, ISO 8601; null before the end of a run. */
  readonly from: string | null;
  readonly to: string | null;
  readonly currency: string | null;
  readonly setup: RunSetup;
  /** By key; empty before the end of a run, and for a bot without a report. */
  readonly statistics: Readonly<Record<string, StatisticValue>>;
  /** The parsed summary.json. */
  readonly summary: Readonly<Record<string, unknown>> | undefined;
  /** The file of it that cannot be read, and why. */
  readonly trouble?: string | undefined;
}

const JOURNAL = 'journal.sqlite';
const BOT_FILES = [JOURNAL, 'heartbeat.json', 'control.json', 'watchdog.sqlite'] as const;
/** A heartbeat that is older comes from a bot that no longer runs. */
const FRESH_MS = 30_000;

const Summary = z.looseObject({
  name: z.string(),
  from: z.string().nullable().optional(),
  to: z.string().nullable().optional(),
  currency: z.string().optional(),
  interrupted: z.boolean().optional(),
  error: z.unknown().optional(),
  statistics: z.record(z.string(), z.union([z.number(), z.string(), z.null()])).optional(),
});

/** Whether a folder belongs to a paper or live bot. */
export function isBotFolder(folder: string): boolean {
  return BOT_FILES.some((name) => existsSync(join(folder, name)));
}

/** The run in a folder; `undefined` if the folder has none. */
export function readEntry(folder: string, now: number): RunEntry | undefined {
  if (isBotFolder(folder)) return botEntry(folder, now);
  const isBacktest = ['summary.json', CODE_FILE, RUN_MARK].some((name) => existsSync(join(folder, name)));
  return isBacktest ? backtestEntry(folder) : undefined;
}

/**
 * The runs in a folder, by the names of their folders.
 * @throws TidegateError DATA_NOT_FOUND if there is no such folder.
 */
export function readEntries(folder: string, now: number): RunEntry[] {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new TidegateError('DATA_NOT_FOUND', `${folder} is not a folder; expected a folder of runs, such as runs`);
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map(({ name }) => name)
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .flatMap((name) => readEntry(join(folder, name), now) ?? []);
}

function backtestEntry(folder: string): RunEntry {
  const base = {
    folder,
    kind: 'backtest',
    date: dateOf(folder, ['config.yaml', CODE_FILE, 'summary.json']),
    ...figuresOf(undefined),
  } as const;
  const early = basename(folder).replace(/-\d+$/, '');
  const path = join(folder, 'summary.json');
  try {
    const setup = setupOfBacktest(folder);
    const name = setup.config?.get('name') ?? early;
    if (!existsSync(path)) return { ...base, name, setup, state: isInProgress(folder) ? 'running' : 'incomplete' };
    const summary = Summary.parse(JSON.parse(readFileSync(path, 'utf8')));
    const { interrupted = false, error } = summary;
    const ended = (error ?? null) !== null ? 'failed' : interrupted ? 'interrupted' : 'done';
    const state = isInProgress(folder) ? 'running' : ended;
    return { ...base, name: summary.name, setup, state, ...figuresOf(summary) };
  } catch (error) {
    const text = error instanceof TidegateError ? error.message : `${path}: ${(error as Error).message.split('\n')[0]}`;
    return { ...base, name: early, setup: { mode: 'backtest' }, state: 'unreadable', trouble: text };
  }
}

function botEntry(folder: string, now: number): RunEntry {
  const beat = readHeartbeat(join(folder, 'heartbeat.json'));
  const [, name = basename(folder), suffix] = /^(.*)-(paper|live)$/.exec(basename(folder)) ?? [];
  const reported = lastReport(folder);
  const runs = beat?.phase === 'running' && now - beat.time < FRESH_MS;
  return {
    folder,
    name,
    kind: beat?.mode ?? (suffix === 'live' ? 'live' : 'paper'),
    state: runs ? 'running' : 'stopped',
    date: beat?.time ?? dateOf(folder, [JOURNAL]),
    setup: { mode: 'bot' },
    ...figuresOf(reported),
  };
}

/** The summary of a bot's last report. */
function lastReport(folder: string): z.output<typeof Summary> | undefined {
  try {
    return Summary.parse(JSON.parse(readFileSync(join(folder, 'summary.json'), 'utf8')));
  } catch {
    // There is none, or it is being written.
    return undefined;
  }
}

function figuresOf(summary: z.output<typeof Summary> | undefined): Pick<RunEntry, 'from' | 'to' | 'currency' | 'statistics' | 'summary'> {
  const { from = null, to = null, currency = null, statistics = {} } = summary ?? {};
  return { from, to, currency, statistics, summary };
}

/** The time of the first of these files that exists, or of the folder. */
function dateOf(folder: string, names: readonly string[]): number {
  for (const name of names) {
    const found = statSync(join(folder, name), { throwIfNoEntry: false });
    if (found !== undefined) return found.mtimeMs;
  }
  return statSync(folder).mtimeMs;
}
