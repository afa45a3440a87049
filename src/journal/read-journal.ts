import type Database from 'libsql';
import { Instrument } from '../model/instrument.ts';
import { journalDamaged, journalFailed } from './journal-errors.ts';
import { openJournalToRead } from './journal-file.ts';
import { JournalReader } from './journal-reader.ts';
import type { JournalRecord } from './journal-record.ts';
import { bytesOf, textOf } from './stored-text.ts';

/** A journal as somebody reads it who has no config of its bot. */
export interface JournalCopy {
  readonly bot: string;
  /** What the bot traded, on its grids: fees, limits and tiers of margin are not in a journal. */
  readonly instruments: readonly Instrument[];
  /** All records, oldest first. @throws TidegateError JOURNAL_DAMAGED */
  records(): Generator<JournalRecord>;
  close(): void;
}

/**
 * Opens a journal to read what its bot did, also while that runs; nothing of it is changed.
 * @throws TidegateError JOURNAL_FAILED, JOURNAL_DAMAGED
 */
export function readJournal(path: string): JournalCopy {
  const database = openJournalToRead(path);
  try {
    const meta = metaOf(database);
    const units = [...meta].filter(([key]) => key.startsWith(UNITS));
    const instruments = units.map(([key, text], index) => instrumentOf(path, index, key.slice(UNITS.length), text));
    const reader = new JournalReader(database, path, new Map(instruments.map((instrument) => [instrument.symbol, instrument])));
    return { bot: meta.get('bot') ?? '', instruments, records: () => recordsOf(reader), close: () => database.close() };
  } catch (error) {
    database.close();
    throw journalFailed(path, 'read', error);
  }
}

/** Before the symbol, in the keys of the table `meta`. */
const UNITS = 'units/';

function* recordsOf(reader: JournalReader): Generator<JournalRecord> {
  for (let next = 1; ; ) {
    const page = reader.page(next);
    if (page.length === 0) return;
    yield* page;
    next += page.length;
  }
}

function metaOf(database: Database.Database): ReadonlyMap<string, string> {
  const rows = database
    .prepare(`SELECT ${bytesOf('key')}, ${bytesOf('value')} FROM meta`)
    .raw()
    .all() as [Uint8Array, Uint8Array][];
  return new Map(rows.map(([key, value]) => [textOf(key), textOf(value)]));
}

/** As `claimJournal` writes it. */
function instrumentOf(path: string, index: number, symbol: string, text: string): Instrument {
  const [, tickSize, stepSize, value] = /^ticks of ([\d.]+), steps of ([\d.]+)(?:, contracts of ([\d.]+))?$/.exec(text) ?? [];
  if (tickSize === undefined || stepSize === undefined) throw journalDamaged(path, `it counts ${symbol} in ${JSON.stringify(text)}`);
  const contract =
    value === undefined ? undefined : { value, tiers: [{ maintenance: '0' }], liquidationFee: '0', triggerBy: 'last' as const };
  return new Instrument(index, { symbol, tickSize, stepSize, contract });
}
