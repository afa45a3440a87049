import type Database from 'libsql';
import { Instrument } from '../model/instrument.ts';
import { journalDamaged, journalFailed } from './journal-errors.ts';
import { openJournalToRead } from './journal-file.ts';
import { JournalReader, type JournalRow } from './journal-reader.ts';
import type { RecordKind } from './journal-record.ts';
import { bytesOf, textOf } from './stored-text.ts';

/** As `claimJournal` notes it. */
const UNITS = /^ticks of (.+?), steps of (.+?)(?:, contracts of (.+))?$/;
const NO_TERMS = { tiers: [{ maintenance: '0' }], liquidationFee: '0', triggerBy: 'last' } as const;

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
    private readonly database: Database.Database,
  ) {
    this.#reader = new JournalReader(database, path, new Map());
  }

  /** @throws TidegateError JOURNAL_FAILED, JOURNAL_DAMAGED */
  static open(path: string): RecordedJournal {
    const database = openJournalToRead(path);
    try {
      const select = database.prepare(`SELECT ${bytesOf('value')} FROM meta WHERE key = ?`).raw();
      const meta = (key: string) => {
        const found = select.get(key) as [Uint8Array] | undefined;
        if (found === undefined) throw journalDamaged(path, `it does not say its ${key}`);
        return textOf(found[0]);
      };
      const [last] = database.prepare('SELECT CAST(coalesce(max(id), 0) AS REAL) FROM records').raw().get() as [number];
      return new RecordedJournal(path, meta('bot'), Number(meta('createdAt')), last, database);
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

  /** All of one kind, oldest first. @throws TidegateError JOURNAL_DAMAGED */
  *rowsOf(kind: RecordKind): IterableIterator<JournalRow> {
    const ids = this.database.prepare('SELECT CAST(id AS REAL) FROM records WHERE kind = ? AND id <= ? ORDER BY id').raw();
    for (const [id] of ids.all(kind, this.lastId) as [number][]) yield* this.rows(id, id);
  }

  /** What the journal counts, in its units: contracts without their margin terms. @throws TidegateError JOURNAL_DAMAGED */
  instruments(): Instrument[] {
    const rows = this.database
      .prepare(`SELECT ${bytesOf('key')}, ${bytesOf('value')} FROM meta WHERE key LIKE 'units/%'`)
      .raw()
      .all();
    return (rows as [Uint8Array, Uint8Array][]).map(([key, value], index) => {
      const symbol = textOf(key).slice('units/'.length);
      const [, tickSize, stepSize, contract] = UNITS.exec(textOf(value)) ?? [];
      if (tickSize === undefined || stepSize === undefined) throw journalDamaged(this.path, `it does not say in what it counts ${symbol}`);
      const terms = contract === undefined ? undefined : { ...NO_TERMS, value: contract };
      return new Instrument(index, { symbol, tickSize, stepSize, contract: terms });
    });
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
