import { join } from 'node:path';
import { BotJournal, type BotJournalOptions } from '../../src/journal/bot-journal.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { INSTRUMENTS } from './arbitrary.ts';

export const newPath = () => join(temporaryFolder(), 'b.journal');

/** The journal of bot `b`; its clock stands at 1000. */
export const open = (path: string, options: Partial<BotJournalOptions> = {}) =>
  BotJournal.open(path, { bot: 'b', now: () => 1000, instruments: INSTRUMENTS, ...options });

/** What it throws, as its code and its text. */
export function troubleOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    return `${code}: ${message}`;
  }
  return 'no trouble';
}
