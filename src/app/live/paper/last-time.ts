import type { BotJournal } from '../../../journal/bot-journal.ts';
import type { RecordKind } from '../../../journal/journal-record.ts';

/** One of these is always near the end. */
const KINDS: readonly RecordKind[] = ['market', 'event', 'intent', 'request', 'start', 'stop', 'heartbeat'];

/** Epoch ms of the newest record of a journal; minus infinity of a new one. */
export function lastTimeIn(journal: BotJournal): number {
  return Math.max(...KINDS.map((kind) => journal.lastOf(kind)?.time ?? Number.NEGATIVE_INFINITY));
}
