import { basename, join } from 'node:path';
import { journalAt } from '../../journal/journal-reader.ts';
import type { RunStarted } from '../../journal/journal-record.ts';
import { TidegateError } from '../../model/errors.ts';
import { isoTime } from '../../model/time.ts';
import type { Log } from '../../ports/log.ts';
import { hideSecrets } from '../access/hide-secrets.ts';
import { EXIT_CODES } from '../base/exit-codes.ts';
import { columns, eventWords } from '../base/text.ts';
import { type LoadedConfig, loadConfig } from '../config/load-config.ts';
import { botPlanOf } from '../live/plan-bot.ts';
import { plannedStrategies } from '../planning/planned-strategies.ts';
import { type Difference, plainValue } from './compared-journal.ts';
import { type ReplayResult, type RunResult, replayJournal } from './replay-journal.ts';
import type { ReplayPlan } from './replayed-run.ts';

/** With what a journal is replayed, where that is not what it was recorded with. */
interface OtherCode {
  /** Path of a config that takes the place of the journal's. */
  readonly config?: string | undefined;
  /** Folder that strategies are taken from, each by the name of its file. */
  readonly strategyDir?: string | undefined;
  readonly set?: readonly string[] | undefined;
}

export interface ReplayCommandOptions extends OtherCode {
  readonly json?: boolean | undefined;
  readonly quiet?: boolean | undefined;
}

/** Records from which progress is shown: less takes a second. */
const LONG = 20_000;
const PROGRESS_PARTS = 10;

/**
 * Replays the journal at a path.
 * @returns what to print, and the exit code.
 * @throws TidegateError JOURNAL_FAILED, JOURNAL_DAMAGED, and what loading config and strategies throws.
 */
export async function runReplay(path: string, options: ReplayCommandOptions): Promise<{ readonly text: string; readonly code: number }> {
  const { json = false, quiet = false, ...other } = options;
  const journal = journalAt(path);
  try {
    const plans = new PlannedReplay(other);
    const progress = quiet || journal.lastId < LONG ? undefined : progressLines(journal.lastId);
    const result = await replayJournal(journal, { planOf: (started) => plans.of(started), progress });
    if (result.runs.length === 0) {
      throw new TidegateError(
        'JOURNAL_FAILED',
        `journal ${journal.path} tells of no run that could be replayed: it is new, or all of an earlier Tidegate; \`tidegate explain\` reads it`,
      );
    }
    const report: ReplayReport = { ...result, journal: journal.path, changed: [...plans.changed] };
    const code = report.difference === undefined ? EXIT_CODES.ok : EXIT_CODES.differs;
    return { text: json ? jsonOf(report) : replayText(report), code };
  } finally {
    journal.close();
  }
}

/** A line for each tenth, on stderr. */
function progressLines(records: number): (done: number) => void {
  let told = 0;
  return (done) => {
    const part = Math.floor((done / records) * PROGRESS_PARTS);
    if (part <= told) return;
    told = part;
    process.stderr.write(`replayed ${(part * 100) / PROGRESS_PARTS} % of ${records.toLocaleString('en-US')} records\n`);
  };
}

const SILENT: Log = { debug() {}, info() {}, warn() {} };

/** Makes the plans of a journal's runs: neither data nor keys are needed, and no exchange is asked. */
class PlannedReplay {
  /** Strategies whose sources are not those of the record, by id. */
  readonly changed = new Set<string>();
  readonly #plans = new Map<string, Promise<ReplayPlan>>();

  constructor(private readonly other: OtherCode) {}

  /** @throws TidegateError as loading a config and its strategies does; USAGE where the run tells of no config. */
  async of(started: RunStarted): Promise<ReplayPlan> {
    const key = `${started.mode} ${started.config?.file} ${started.config?.text}`;
    const planned = this.#plans.get(key) ?? this.#plan(started);
    this.#plans.set(key, planned);
    const plan = await planned;
    for (const { id, source } of started.strategies) {
      const now = plan.strategies.find((one) => one.id === id);
      if (source !== undefined && now?.source !== source) this.changed.add(id);
    }
    return plan;
  }

  async #plan({ mode = 'paper', config }: RunStarted): Promise<ReplayPlan> {
    const loaded = this.#moved(this.#loaded(config));
    hideSecrets(process.env, loaded.config.live);
    const { strategies, needs, params } = await plannedStrategies(loaded);
    // What is written of strategies' logs is there already.
    return botPlanOf(loaded, mode, { strategies, needs, params, history: () => [], log: SILENT, speed: 1 });
  }

  #loaded(recorded: RunStarted['config']): LoadedConfig {
    const { config, set } = this.other;
    if (config !== undefined) return loadConfig(config, { set, env: process.env });
    if (recorded !== undefined) return loadConfig(recorded.file, { set, text: recorded.text });
    throw new TidegateError('USAGE', 'the journal tells of no config: say with --config which it was');
  }

  #moved(loaded: LoadedConfig): LoadedConfig {
    const { strategyDir } = this.other;
    if (strategyDir === undefined) return loaded;
    const strategies = loaded.config.strategies.map((one) => ({ ...one, file: join(strategyDir, basename(one.file)) }));
    return { ...loaded, config: { ...loaded.config, strategies } };
  }
}

interface ReplayReport extends ReplayResult {
  readonly journal: string;
  /** Strategies whose code is not what was recorded. */
  readonly changed: readonly string[];
}

function jsonOf({ journal, bot, records, untold, changed, runs, difference }: ReplayReport): string {
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
  return JSON.stringify({ journal, bot, identical: difference === undefined, records, untold, changed, runs: shown, difference: differs });
}

const count = (number: number, word: string) => `${number.toLocaleString('en-US')} ${word}${number === 1 ? '' : 's'}`;

/** What a replay found, for a person. */
function replayText({ journal, bot, records, untold, runs, difference, changed }: ReplayReport): string {
  const lines = [`${journal}, bot ${bot}: ${count(records, 'record')}`];
  if (untold > 0) lines.push(`${count(untold, 'record')} of an earlier Tidegate tell of no turns: folded into the state, not replayed`);
  for (const run of runs) lines.push(runLine(run));
  for (const id of changed) lines.push(`strategy "${id}" is other code than was recorded`);
  for (const asked of new Set(runs.flatMap(({ missing }) => missing)))
    lines.push(`bars of ${asked} were not recorded: the strategy got none`);
  if (difference !== undefined) return [...lines, '', ...differenceLines(difference, runs.length)].join('\n');
  const { point } = runs.at(-1)!;
  lines.push('', 'IDENTICAL: every intent, denial, event and request, and the state at every point');
  if (point !== undefined) lines.push(`state      ${point.state}`, `decisions  ${point.decisions}`);
  return lines.join('\n');
}

const ENDS: Readonly<Record<RunResult['end'], string>> = {
  stopped: 'stopped',
  cut: 'cut off (killed, failed, or still running)',
  differs: 'the same up to here',
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
  return `run ${run}, ${isoTime(started.now)}, ${ENDS[end]}: ${what.join(', ')}; state the same at ${count(points, 'point')}`;
}

function differenceLines({ what, id, time, sequence, recorded, replayed, cause }: Difference, run: number): string[] {
  return [
    `DIFFERENT: ${what}, at record ${id} of run ${run}, ${isoTime(time)}, market data ${sequence}`,
    cause === undefined ? 'before any event' : `after record ${cause.id}: ${eventWords(cause.event)}`,
    '',
    sideBySide(plainValue(recorded), plainValue(replayed)),
  ];
}

/** Field by field; what differs is marked. */
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
