import type Database from 'libsql';
import { TidegateError } from '../model/errors.ts';
import type { Instrument } from '../model/instrument.ts';
import { journalError } from './journal-errors.ts';
import { bytesOf, textOf } from './stored-text.ts';

/** Whose journal a file is. */
export interface JournalOwner {
  readonly bot: string;
  readonly now: number;
  readonly instruments: readonly Instrument[];
}

/**
 * Checks that the file is this bot's, in the units of the config, and notes what is new: ticks and steps would mean
 * something else on another grid. Writes at every opening, so a file that cannot be written shows before anything is sent.
 * @returns when the journal was made, in epoch ms.
 * @throws TidegateError JOURNAL_DAMAGED for another bot's journal, CONFIG_INVALID for another grid
 */
export function claimJournal(database: Database.Database, path: string, { bot, now, instruments }: JournalOwner): number {
  const select = database.prepare(`SELECT ${bytesOf('value')} FROM meta WHERE key = ?`).raw();
  const insert = database.prepare('INSERT INTO meta VALUES(?, ?) ON CONFLICT DO UPDATE SET value = excluded.value');
  const noted = (key: string, value: string) => {
    const found = select.get(key) as [Uint8Array] | undefined;
    if (found !== undefined) return textOf(found[0]);
    insert.run(key, value);
    return value;
  };

  database.exec('BEGIN IMMEDIATE');
  const owner = noted('bot', bot);
  if (owner !== bot) {
    throw journalError('JOURNAL_DAMAGED', path, `belongs to bot ${owner}, expected ${bot}: give each bot a journal of its own`);
  }
  for (const instrument of instruments) {
    const units = unitsOf(instrument);
    const before = noted(`units/${instrument.symbol}`, units);
    if (before === units) continue;
    const text = `journal ${path} counts ${instrument.symbol} in ${before}, the config in ${units}: keep the former, or start with a new journal once the bot is flat`;
    throw new TidegateError('CONFIG_INVALID', text);
  }
  const createdAt = Number(noted('createdAt', String(now)));
  insert.run('openedAt', String(now));
  database.exec('COMMIT');
  return createdAt;
}

export function unitsOf({ tick, step, contract }: Instrument): string {
  return `ticks of ${tick.text}, steps of ${step.text}${contract === undefined ? '' : `, contracts of ${contract.value.toFixed()}`}`;
}
