import { revive } from '../../journal/codec.ts';
import type { RecordedJournal } from '../../journal/journal-reader.ts';
import type { JournalRecord, RunStarted, StatePoint } from '../../journal/journal-record.ts';
import type { Instrument } from '../../model/instrument.ts';
import { readPast } from '../live/bot/journal-history.ts';
import { stateOf } from '../wiring/container.ts';
import type { Difference } from './compared-journal.ts';
import { RecordedSteps } from './recorded-steps.ts';
import { ReplayedRun, type ReplayPlan } from './replayed-run.ts';

/** The replay of one run of the bot: from a start of its process to its end. */
export interface RunResult {
  /** The number of the run in the journal, from 1. */
  readonly run: number;
  readonly firstId: number;
  readonly lastId: number;
  readonly started: RunStarted;
  /** `cut`: the process was killed or still runs; `differs`: the replay ended at a difference. */
  readonly end: 'stopped' | 'cut' | 'differs';
  readonly turns: number;
  readonly market: number;
  readonly events: number;
  readonly intents: number;
  readonly denials: number;
  readonly requests: number;
  readonly points: number;
  readonly point: StatePoint | undefined;
  readonly missing: readonly string[];
}

/** The result of a replay of a whole journal. */
export interface ReplayResult {
  readonly bot: string;
  /** The number of records, and `untold` ones of an earlier version without turns: these only rebuild the state and are not replayed. */
  readonly records: number;
  readonly untold: number;
  readonly runs: readonly RunResult[];
  readonly difference: Difference | undefined;
}

export interface ReplayOptions {
  /** Makes the plan from which a run's engine is built again. */
  readonly planOf: (started: RunStarted) => Promise<ReplayPlan>;
  /** @param done the id of the newest replayed record. */
  readonly progress?: ((done: number) => void) | undefined;
}

/** The number of steps after which signals and the screen are handled. */
const STEPS_AT_ONCE = 2_000;
/** The kinds of records from which the state before a run is rebuilt. */
const FOLDED: ReadonlySet<string> = new Set(['market', 'event', 'held', 'save']);

/**
 * Replays a bot's journal run by run in a fresh engine, and compares every decision with the recorded one, up to the first
 * difference.
 * @throws TidegateError JOURNAL_DAMAGED, and the errors of `planOf`.
 */
export async function replayJournal(journal: RecordedJournal, { planOf, progress }: ReplayOptions): Promise<ReplayResult> {
  const runs: RunResult[] = [];
  const starts = [...journal.rowsOf('run')];
  const untold = countUntold(journal, (starts[0]?.id ?? journal.lastId + 1) - 1);
  let difference: Difference | undefined;
  for (const [index, start] of starts.entries()) {
    const lastId = (starts[index + 1]?.id ?? journal.lastId + 1) - 1;
    const started = revive(start.body, new Map()) as RunStarted;
    const plan = { ...(await planOf(started)), rules: started.rules ?? 0 };
    const instruments = new Map(plan.instruments.map((instrument) => [instrument.symbol, instrument]));
    const state = stateOf(plan);
    const past = readPast({ records: () => recordsBefore(journal, start.id, instruments) }, state, plan);
    const run = new ReplayedRun({ plan, now: started.now, state, past, createdAt: journal.createdAt, era: started.era });
    let end: RunResult['end'] = 'cut';
    let done = 0;
    const steps = new RecordedSteps(journal.path, instruments).of(start, journal.rows(start.id + 1, lastId));
    for (const step of steps) {
      if (step.kind === 'between' && step.row.kind === 'stop') end = 'stopped';
      run.take(step);
      if (run.difference !== undefined) break;
      if (++done % STEPS_AT_ONCE !== 0) continue;
      progress?.(step.kind === 'between' ? step.row.id : step.id);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await run.end(end === 'stopped');
    progress?.(lastId);
    difference = run.difference;
    if (difference !== undefined) end = 'differs';
    runs.push(resultOf(run, { run: index + 1, firstId: start.id, lastId, started, end }));
    if (difference !== undefined) break;
  }
  return { bot: journal.bot, records: journal.lastId, untold, runs, difference };
}

/** Notes are of a bot that stored something before its first run. */
function countUntold(journal: RecordedJournal, lastId: number): number {
  let count = 0;
  if (lastId > 0) for (const { kind } of journal.rows(1, lastId)) if (kind !== 'note') count++;
  return count;
}

function* recordsBefore(journal: RecordedJournal, id: number, instruments: ReadonlyMap<string, Instrument>): Generator<JournalRecord> {
  if (id === 1) return;
  for (const { body, ...row } of journal.rows(1, id - 1)) {
    yield { ...row, value: FOLDED.has(row.kind) ? revive(body, instruments) : undefined } as JournalRecord;
  }
}

function resultOf(
  { journal: { same }, turns, requests, points, point, missing }: ReplayedRun,
  of: Pick<RunResult, 'run' | 'firstId' | 'lastId' | 'started' | 'end'>,
): RunResult {
  const { market = 0, event = 0, intent = 0, denial = 0 } = same;
  return { ...of, turns, market, events: event, intents: intent, denials: denial, requests, points, point, missing: [...missing] };
}
