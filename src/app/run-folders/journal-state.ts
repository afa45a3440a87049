import type { JournalRecord, RunStarted } from '../../journal/journal-record.ts';

/** The strategies of a journal that have decided anything, over all starts of the bot, and the newest start. */
export function runsIn(records: Iterable<JournalRecord>): { readonly ids: string[]; readonly started: RunStarted | undefined } {
  const ids = new Set<string>();
  let started: RunStarted | undefined;
  for (const { kind, value } of records) {
    if (kind === 'run') started = value;
    if (kind === 'intent') ids.add(value.strategyId);
    if (kind !== 'event') continue;
    const { event } = value;
    if (event.kind === 'orderSubmitted' || event.kind === 'orderAdopted') ids.add(event.request.strategyId);
  }
  return { ids: [...ids], started };
}
