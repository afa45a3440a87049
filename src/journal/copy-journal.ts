import { renameSync, rmSync } from 'node:fs';
import type Database from 'libsql';
import {
  bytesOf,
  closeFile,
  journalDamaged,
  journalFailed,
  openJournalFile,
  openJournalToRead,
  rowChecksum,
  textOf,
} from './journal-file.ts';
import { ERA, LOSS, MARKED } from './journal-meta.ts';

/** Prices are most of a journal. The newest are enough to close positions. */
const MARKET_KEPT = 1_000;

type Row = [time: number, kind: Uint8Array, body: Uint8Array, checksum: number];
type Pair = [key: Uint8Array, value: Uint8Array];

/**
 * Copies the data with which another process can act in a bot's place: all records except old prices, and the memory. The journal may
 * be in use meanwhile, and is not changed. The copy appears completely or not at all. Its creation time is `now`, so that its client
 * order ids are not those of the bot.
 * @param to replaced if it exists.
 * @throws TidegateError JOURNAL_FAILED, JOURNAL_DAMAGED
 */
export function copyJournal(from: string, to: string, now: number): void {
  const half = `${to}.new`;
  const source = openJournalToRead(from);
  try {
    for (const end of ['', '-wal', '-shm']) rmSync(`${half}${end}`, { force: true });
    const copy = openJournalFile(half, 'full');
    try {
      copy.exec('BEGIN IMMEDIATE');
      copyRecords(source, copy, from);
      copyMemory(source, copy);
      copyMeta(source, copy, now);
      copy.exec('COMMIT');
    } finally {
      closeFile(copy);
    }
    for (const end of ['-wal', '-shm']) rmSync(`${half}${end}`, { force: true });
    renameSync(half, to);
  } catch (error) {
    throw journalFailed(from, 'copied', error);
  } finally {
    source.close();
  }
}

/** Records get new ids: a journal has no gaps. */
function copyRecords(source: Database.Database, copy: Database.Database, path: string): void {
  const [last] = source.prepare('SELECT CAST(coalesce(max(id), 0) AS REAL) FROM records').raw().get() as [number];
  const rows = source
    .prepare(
      `SELECT CAST(time AS REAL), ${bytesOf('kind')}, ${bytesOf('body')}, CAST(checksum AS REAL) FROM records
       WHERE id <= ? AND (id > ? OR kind NOT IN ('market', 'request', 'reply', 'heartbeat')) ORDER BY id`,
    )
    .raw();
  const insert = copy.prepare('INSERT INTO records(time, kind, body, checksum) VALUES(?, ?, ?, ?)');
  for (const [time, kindBytes, bodyBytes, checksum] of rows.iterate(last, last - MARKET_KEPT) as Iterable<Row>) {
    const [kind, body] = [textOf(kindBytes), textOf(bodyBytes)];
    if (rowChecksum([time, kind, body]) !== checksum) throw journalDamaged(path, `a record of ${time} was changed`);
    insert.run(time, kind, body, checksum);
  }
}

function copyMemory(source: Database.Database, copy: Database.Database): void {
  const insert = copy.prepare('INSERT INTO memory(key, value, checksum) VALUES(?, ?, ?)');
  const rows = source.prepare(`SELECT ${bytesOf('key')}, ${bytesOf('value')}, CAST(checksum AS REAL) FROM memory`).raw();
  for (const [key, value, checksum] of rows.iterate() as Iterable<[...Pair, number]>) insert.run(textOf(key), textOf(value), checksum);
}

function copyMeta(source: Database.Database, copy: Database.Database, now: number): void {
  const insert = copy.prepare('INSERT INTO meta VALUES(?, ?)');
  const rows = source.prepare(`SELECT ${bytesOf('key')}, ${bytesOf('value')} FROM meta`).raw();
  for (const [keyBytes, value] of rows.iterate() as Iterable<Pair>) {
    const key = textOf(keyBytes);
    // The copy has an era of its own, and the mark belongs to the journal.
    if (key !== ERA && key !== MARKED && key !== LOSS) insert.run(key, key === 'createdAt' ? String(now) : textOf(value));
  }
}
