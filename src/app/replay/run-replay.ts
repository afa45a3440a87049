import { basename, join } from 'node:path';
import { journalAt } from '../../journal/journal-reader.ts';
import type { RunStarted } from '../../journal/journal-record.ts';
import { TidegateError } from '../../model/errors.ts';
import { isoTime } from '../../model/time.ts';
import type { Log } from '../../ports/log.ts';
import { EXIT_CODES } from '../base/exit-codes.ts';
import { columns, eventWords } from '../base/text.ts';
import { type LoadedConfig, type LoadOptions, loadConfig } from '../config/load-config.ts';
import { isClassFile, type ObjectConfig } from '../config/reading/object-tree.ts';
import { withStandIns } from '../live/bot/stand-ins.ts';
import { botPlanOf } from '../live/plan-bot.ts';
import { plannedStrategies } from '../planning/planned-strategies.ts';
import { type Difference, plainValue } from './compared-journal.ts';
import { type ReplayResult, type RunResult, replayJournal } from './replay-journal.ts';
import type { ReplayPlan } from './replayed-run.ts';

/** The options to replay a journal with another config or other code. */
interface OtherCode {
  /** A config that replaces the journal's: its path, or an object. */
  readonly config?: string | ObjectConfig | undefined;
  /** Folder from which strategies are loaded, each by the name of its file. */
  readonly strategyDir?: string | undefined;
  readonly set?: readonly string[] | undefined;
}

/** The options of a replay from code. */
export interface ReplayOptions extends OtherCode, Pick<LoadOptions, 'env' | 'baseDir' | 'embedded'> {
  /** Called with the number of replayed records, of all that the journal has. */
  readonly progress?: ((done: number, all: number) => void) | undefined;
}

/** The options of `tidegate replay`. */
export interface ReplayCommandOptions extends OtherCode {
  readonly config?: string | undefined;
  readonly json?: boolean | undefined;
  readonly quiet?: boolean | undefined;
}

/** The number of records from which progress is shown: fewer take a second. */
const LONG = 20_000;
const PROGRESS_PARTS = 10;

/**
 * Replays the journal at a path.
 * @returns the text to print, and the exit code.
 * @throws TidegateError JOURNAL_FAILED, JOURNAL_DAMAGED, and errors of loading config and strategies.
 */
export async function runReplay(path: string, options: ReplayCommandOptions): Promise<{ readonly text: string; readonly code: number }> {
  const { json = false, quiet = false, ...other } = options;
  const report = await replayAt(path, { ...other, env: process.env, progress: quiet ? undefined : progressLines() });
  const code = report.difference === undefined ? EXIT_CODES.ok : EXIT_CODES.differs;
  return { text: json ? JSON.stringify(replayJson(report)) : replayText(report), code };
}

/**
 * Replays the journal at a path.
 * @throws TidegateError JOURNAL_FAILED, JOURNAL_DAMAGED, and errors of loading config and strategies.
 */
export async function replayAt(path: string, { progress: onProgress, ...options }: ReplayOptions): Promise<ReplayReport> {
  const journal = journalAt(path);
  try {
    const plans = new PlannedReplay(options);
    const progress = onProgress && ((done: number) => onProgress(done, journal.lastId));
    const result = await replayJournal(journal, { planOf: (started) => plans.of(started), progress });
    if (result.runs.length === 0) {
      throw new TidegateError(
        'JOURNAL_FAILED',
        `journal ${journal.path} has no run that can be replayed: it is new, or an earlier Tidegate wrote it; use \`tidegate explain\` to read it`,
      );
    }
    return { ...result, journal: journal.path, changed: [...plans.changed] };
  } finally {
    journal.close();
  }
}

/** Prints a line for each tenth of a long journal on stderr. */
function progressLines(): (done: number, records: number) => void {
  let printed = 0;
  return (done, records) => {
    if (records < LONG) return;
    const part = Math.floor((done / records) * PROGRESS_PARTS);
    if (part <= printed) return;
    printed = part;
    process.stderr.write(`replayed ${(part * 100) / PROGRESS_PARTS} % of ${records.toLocaleString('en-US')} records\n`);
  };
}

const SILENT: Log = { debug() {}, info() {}, warn() {} };

/** Makes the plans of a journal's runs. This needs no data, no keys and no exchange. */
class PlannedReplay {
  /** The ids of strategies whose sources differ from the recorded ones. */
  readonly changed = new Set<string>();
  readonly #plans = new Map<string, Promise<ReplayPlan>>();

  constructor(private readonly other: ReplayOptions) {}

  /** The plan of a run. @throws TidegateError of loading a config and its strategies; USAGE if the journal has no config for the run. */
  async of(started: RunStarted): Promise<ReplayPlan> {
    const key = `${started.mode} ${started.config?.file} ${started.config?.text}`;
    const planned = this.#plans.get(key) ?? this.#plan(started);
    this.#plans.set(key, planned);
    const plan = await planned;
    for (const { id, source } of started.strategies) {
      const now = plan.strategies.find((one) => one.id === id);
      if (source !== undefined && now?.source !== source) this.changed.add(id);
    }
    return started.closesOnly === true ? withStandIns(plan) : plan;
  }

  async #plan({ mode = 'paper', config }: RunStarted): Promise<ReplayPlan> {
    const loaded = this.#moved(this.#loaded(config));
    const { strategies, needs, params } = await plannedStrategies(loaded, mode);
    // The strategies' log lines were written by the recorded run.
    return botPlanOf(loaded, mode, { strategies, needs, params, history: () => [], log: SILENT, speed: 1 });
  }

  #loaded(recorded: RunStarted['config']): LoadedConfig {
    const { config, set, env, baseDir, embedded } = this.other;
    if (config !== undefined) return loadConfig(config, { withoutBacktest: true, set, env, baseDir, embedded });
    if (recorded !== undefined) return loadConfig(recorded.file, { withoutBacktest: true, set, text: recorded.text, embedded });
    throw new TidegateError('USAGE', 'the journal has no config for this run: name it with --config');
  }

  #moved(loaded: LoadedConfig): LoadedConfig {
    const { strategyDir } = this.other;
    if (strategyDir === undefined) return loaded;
    const moved = (file: string) => (isClassFile(file) ? file : join(strategyDir, basename(file)));
    const strategies = loaded.config.strategies.map((one) => ({ ...one, file: moved(one.file) }));
    return { ...loaded, config: { ...loaded.config, strategies } };
  }
}

/** The result of a replay, with the journal and the strategies that have changed. */
export interface ReplayReport extends ReplayResult {
  readonly journal: string;
  /** The ids of strategies whose code differs from the recorded one. */
  readonly changed: readonly string[];
}

/** A replay as plain JSON: times are epoch ms. */
export function replayJson({ journal, bot, records, untold, changed, runs, difference }: ReplayReport) {
  const shown = runs.map(({ started, point, ...run }) => ({
    ...run,
    started: { version: started.version, time: started.now, mode: started.mode, strategies: started.strategies },
    state: point?.state,
    decisions: point?.decisions,
  }));
  const differs = difference && {
    ...difference,
    recorded: plainValue(difference.recorded),
    replayed: plainValue(difference.replayed),
    cause: difference.cause && { id: difference.cause.id, event: plainValue(difference.cause.event) },
  };
  return { journal, bot, identical: difference === undefined, records, untold, changed, runs: shown, difference: differs };
}

const count = (number: number, word: string) => `${number.toLocaleString('en-US')} ${word}${number === 1 ? '' : 's'}`;

/** The result of a replay as readable text. */
function replayText({ journal, bot, records, untold, runs, difference, changed }: ReplayReport): string {
  const lines = [`${journal}, bot ${bot}: ${count(records, 'record')}`];
  if (untold > 0)
    lines.push(`${count(untold, 'record')} of an earlier Tidegate have no turns: they rebuild the state and are not replayed`);
  for (const run of runs) lines.push(runLine(run));
  for (const id of changed) lines.push(`strategy "${id}": the code differs from the recorded code`);
  for (const bars of new Set(runs.flatMap(({ missing }) => missing)))
    lines.push(`bars of ${bars} are not in the journal: the strategy received none`);
  if (difference !== undefined) return [...lines, '', ...differenceLines(difference, runs.length)].join('\n');
  const { point } = runs.at(-1)!;
  lines.push('', 'IDENTICAL: every intent, denial, event and request, and the state at every point');
  if (point !== undefined) lines.push(`state      ${point.state}`, `decisions  ${point.decisions}`);
  return lines.join('\n');
}

const ENDS: Readonly<Record<RunResult['end'], string>> = {
  stopped: 'stopped',
  cut: 'without an end (killed, failed, or still running)',
  differs: 'identical up to the difference',
};

function runLine({ run, started, end, turns, market, events, intents, denials, requests, points }: RunResult): string {
  const what = [
    count(turns, 'turn'),
    count(market, 'price'),
    count(events, 'event'),
    count(intents, 'intent'),
    count(denials, 'denial'),
    count(requests, 'request'),
  ];
  return `run ${run}, ${isoTime(started.now)}, ${ENDS[end]}: ${what.join(', ')}; state identical at ${count(points, 'point')}`;
}

function differenceLines({ what, id, time, sequence, recorded, replayed, cause }: Difference, run: number): string[] {
  return [
    `DIFFERENT: ${what}, at record ${id} of run ${run}, ${isoTime(time)}, market data ${sequence}`,
    cause === undefined ? 'before any event' : `after record ${cause.id}: ${eventWords(cause.event)}`,
    '',
    sideBySide(plainValue(recorded), plainValue(replayed)),
  ];
}

/** Both values field by field; differences are marked with `*`. */
function sideBySide(recorded: unknown, replayed: unknown): string {
  const [one, other] = [leaves(recorded), leaves(replayed)];
  const names = [...new Set([...one.keys(), ...other.keys()])];
  const rows = names.map((name) => {
    const [left = '-', right = '-'] = [one.get(name), other.get(name)];
    return [left === right ? ' ' : '*', name, left, right];
  });
  const nothing = (value: unknown) => (value === undefined ? ' (nothing)' : '');
  return columns([['', '', `recorded${nothing(recorded)}`, `replayed${nothing(replayed)}`], ...rows]);
}

function leaves(value: unknown, name = '', found = new Map<string, string>()): Map<string, string> {
  if (typeof value !== 'object' || value === null) {
    if (value !== undefined) found.set(name, String(value));
    return found;
  }
  for (const [key, field] of Object.entries(value)) leaves(field, name === '' ? key : `${name}.${key}`, found);
  return found;
}
