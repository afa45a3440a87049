import { TidegateError } from '../../model/errors.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { journalAt } from './journal-at.ts';
import { plainValue } from './plain-value.ts';
import { type OtherCode, PlannedReplay } from './planned-replay.ts';
import { replayJournal } from './replay-journal.ts';
import { type ReplayReport, replayText } from './replay-text.ts';

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
