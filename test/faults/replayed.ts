import type { BotPlan } from '../../src/app/planning/run-plans.ts';
import { plainValue } from '../../src/app/replay/compared-journal.ts';
import { type ReplayResult, replayJournal } from '../../src/app/replay/replay-journal.ts';
import { RecordedJournal } from '../../src/journal/journal-reader.ts';

/** A journal replayed by the plan that made it, or by another. */
export async function replayed(path: string, plan: BotPlan): Promise<ReplayResult> {
  const journal = RecordedJournal.open(path);
  try {
    return await replayJournal(journal, { planOf: async () => plan });
  } finally {
    journal.close();
  }
}

/** What a replay found in words; nothing where all is the same and there was something to compare. */
export function wrongInReplay({ runs, difference }: ReplayResult): string[] {
  if (difference === undefined) return runs.some(({ points }) => points > 0) ? [] : ['the replay compared no state'];
  const { what, id, recorded, replayed } = difference;
  return [
    `the replay differs at record ${id}, ${what}: ${JSON.stringify(plainValue(recorded))} is ${JSON.stringify(plainValue(replayed))}`,
  ];
}
