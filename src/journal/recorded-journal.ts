import type Database from 'libsql';
import type { Instrument } from '../model/instrument.ts';
import { revive } from './codec.ts';
import { journalDamaged, journalFailed } from './journal-errors.ts';
import { openJournalToRead } from './journal-file.ts';
import { countedInstruments, metaOf } from './journal-meta.ts';
import { JournalReader, type JournalRow } from './journal-reader.ts';
import type { JournalRecord, RecordKind } from './journal-record.ts';

/**
 * A journal that is only read, its bot running or not: what it held when it was opened. Rows come as text, as what they
 * are about (the instruments of the config) stands in some of them.
 */
export class RecordedJournal {
  readonly #reader: JournalReader;

  private constructor(
    readonly path: string,
    readonly bot: string,
    /** Epoch ms of the first opening: the era of the bot's client order ids. */
    readonly createdAt: number,
    /** Of its newest record. */
    readonly lastId: number,
    /** What the file says of itself, by key. */
    private readonly meta: ReadonlyMap<string, string>,
    private readonly database: Database.Database,
  ) {
    this.#reader = new JournalReader(database, path, new Map());
  }

  /** @throws TidegateError JOURNAL_FAILED, JOURNAL_DAMAGED */
  static open(path: string): RecordedJournal {
    const database = openJournalToRead(path);
    try {
      const meta = metaOf(database);
      const said = (key: string) => {
        const text = meta.get(key);
        if (text === undefined) throw journalDamaged(path, `it does not say its ${key}`);
        return text;
      };
      const [last] = database.prepare('SELECT CAST(coalesce(max(id), 0) AS REAL) FROM records').raw().get() as [number];
      return new RecordedJournal(path, said('bot'), Number(said('createdAt')), last, meta, database);
    } catch (error) {
      database.close();
      throw journalFailed(path, 'read', error);
    }
  }

  /** From this id on, oldest first, up to that id (by default the last), both included. @throws TidegateError JOURNAL_DAMAGED */
  *rows(fromId = 1, toId = this.lastId): IterableIterator<JournalRow> {
    for (let next = fromId; next <= toId; ) {
      const page = this.#read(next);
      if (page.length === 0) throw journalDamaged(this.path, `record ${next} is missing`);
      for (const row of page) {
        if (row.id > toId) return;
        yield row;
      }
      next += page.length;
    }
  }

  /** All of them as values, of the instruments that the journal counts. @throws TidegateError JOURNAL_DAMAGED */
  *records(): IterableIterator<JournalRecord> {
    const instruments = new Map(this.instruments().map((instrument) => [instrument.symbol, instrument]));
    for (const { id, time, kind, body } of this.rows()) yield { id, time, kind, value: revive(body, instruments) } as JournalRecord;
  }

  /** All of one kind, oldest first. @throws TidegateError JOURNAL_DAMAGED */
  *rowsOf(kind: RecordKind): IterableIterator<JournalRow> {
    const ids = this.database.prepare('SELECT CAST(id AS REAL) FROM records WHERE kind = ? AND id <= ? ORDER BY id').raw();
    for (const [id] of ids.all(kind, this.lastId) as [number][]) yield* this.rows(id, id);
  }

  /** What the journal counts, in its units: contracts without their margin terms. @throws TidegateError JOURNAL_DAMAGED */
  instruments(): Instrument[] {
    return countedInstruments(this.path, this.meta);
  }

  close(): void {
    this.database.close();
  }

  #read(fromId: number): JournalRow[] {
    try {
      return this.#reader.rows(fromId);
    } catch (error) {
      throw journalFailed(this.path, 'read', error);
    }
  }
}
