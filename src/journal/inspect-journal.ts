import type { AccountEvent, LatchReset, RiskLatched } from '../model/account-events.ts';
import type { Instrument } from '../model/instrument.ts';
import { revive } from './codec.ts';
import { journalError, journalFailed } from './journal-errors.ts';
import { bytesOf, checkStructure, openJournalToRead, textOf } from './journal-file.ts';
import { isBlank, metaOf, unitsOf } from './journal-meta.ts';
import { JournalReader } from './journal-reader.ts';

/** Whose journal it should be. */
export interface Expected {
  readonly bot: string;
  readonly instruments: readonly Instrument[];
}

/**
 * Reads all of a journal as a start of its bot would, also while that runs, and changes nothing.
 * @throws TidegateError JOURNAL_DAMAGED, JOURNAL_FAILED, CONFIG_INVALID where the grid of an instrument is another
 */
export function inspectJournal(path: string, { bot, instruments }: Expected): { readonly records: number } {
  const database = openJournalToRead(path);
  try {
    checkStructure(database, path);
    const meta = metaOf(database);
    if (meta.get('bot') !== bot)
      throw journalError('JOURNAL_DAMAGED', path, `belongs to bot ${meta.get('bot') ?? 'none'}, expected ${bot}`);
    for (const instrument of isBlank(database) ? [] : instruments) {
      const units = meta.get(`units/${instrument.symbol}`);
      if (units === undefined || units === unitsOf(instrument)) continue;
      throw journalError('CONFIG_INVALID', path, `counts ${instrument.symbol} in ${units}, the config in ${unitsOf(instrument)}`);
    }
    const reader = new JournalReader(database, path, new Map(instruments.map((one) => [one.symbol, one])));
    reader.checkMemory();
    let records = 0;
    for (let page = reader.page(1); page.length > 0; page = reader.page(records + 1)) records += page.length;
    return { records };
  } catch (error) {
    throw journalFailed(path, 'read', error);
  } finally {
    database.close();
  }
}

/** The latches that a journal leaves set. @throws TidegateError JOURNAL_DAMAGED, JOURNAL_FAILED */
export function setLatches(path: string, instruments: readonly Instrument[]): RiskLatched[] {
  const database = openJournalToRead(path);
  try {
    const known = new Map(instruments.map((one) => [one.symbol, one]));
    const set = new Map<string, RiskLatched>();
    const bodies = database.prepare(`SELECT ${bytesOf('body')} FROM records WHERE kind = 'event' AND body LIKE '%atch%' ORDER BY id`).raw();
    for (const [body] of bodies.iterate() as Iterable<[Uint8Array]>) {
      const { event } = revive(textOf(body), known) as { readonly event: AccountEvent };
      if (event.kind === 'riskLatched') set.set(keyOf(event), event);
      if (event.kind === 'latchReset') set.delete(keyOf(event));
    }
    return [...set.values()];
  } catch (error) {
    throw journalFailed(path, 'read', error);
  } finally {
    database.close();
  }
}

function keyOf({ rule, strategyId }: Pick<RiskLatched | LatchReset, 'rule' | 'strategyId'>): string {
  return `${rule}/${strategyId ?? ''}`;
}
