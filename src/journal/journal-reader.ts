import type Database from 'libsql';
import type { Instrument } from '../model/instrument.ts';
import { revive } from './codec.ts';
import { journalDamaged } from './journal-errors.ts';
import type { JournalRecord, RecordKind } from './journal-record.ts';
import { rowChecksum } from './row-checksum.ts';
import { bytesOf, textOf } from './stored-text.ts';

type Row = [id: number, time: number, kind: Uint8Array, body: Uint8Array, checksum: number];
const COLUMNS = `CAST(id AS REAL), CAST(time AS REAL), ${bytesOf('kind')}, ${bytesOf('body')}, CAST(checksum AS REAL)`;
/** One row as it lies there: `body` is the codec's text. */
export interface JournalRow {
  readonly id: number;
  readonly time: number;
  readonly kind: RecordKind;
  readonly body: string;
}

/** Rows at a time: no statement stays open between two, so reading and writing may alternate. */
const PAGE = 1000;

/** Reads the rows of a journal back into values, each proved by its checksum and none missing. */
export class JournalReader {
  readonly #page: Database.Statement;
  readonly #last: Database.Statement;
  readonly #memory: Database.Statement;
  readonly #memories: Database.Statement;

  constructor(
    database: Database.Database,
    private readonly path: string,
    private readonly instruments: ReadonlyMap<string, Instrument>,
  ) {
    this.#page = database.prepare(`SELECT ${COLUMNS} FROM records WHERE id >= ? ORDER BY id LIMIT ${PAGE}`).raw();
    this.#last = database.prepare(`SELECT ${COLUMNS} FROM records WHERE kind = ? ORDER BY id DESC LIMIT 1`).raw();
    this.#memory = database.prepare(`SELECT ${bytesOf('value')} FROM memory WHERE key = ?`).raw();
    this.#memories = database.prepare(`SELECT ${bytesOf('key')}, ${bytesOf('value')}, CAST(checksum AS REAL) FROM memory`).raw();
  }

  /** A page of records from this id on; empty at the end. @throws TidegateError JOURNAL_DAMAGED, CONFIG_INVALID */
  page(fromId: number): JournalRecord[] {
    return this.rows(fromId).map((row) => this.#recordOf(row));
  }

  /** The same, as text. @throws TidegateError JOURNAL_DAMAGED */
  rows(fromId: number): JournalRow[] {
    const rows = this.#page.all(fromId) as Row[];
    return rows.map((row, index) => {
      if (row[0] !== fromId + index) throw journalDamaged(this.path, `record ${fromId + index} is missing`);
      return this.#rowOf(row);
    });
  }

  last<K extends RecordKind>(kind: K): JournalRecord<K> | undefined {
    const row = this.#last.get(kind) as Row | undefined;
    return row === undefined ? undefined : (this.#recordOf(this.#rowOf(row)) as JournalRecord<K>);
  }

  remembered(key: string): unknown {
    const row = this.#memory.get(key) as [Uint8Array] | undefined;
    if (row === undefined) return undefined;
    return revive(textOf(row[0]), this.instruments);
  }

  /** Everything remembered is as it was written: a changed key would go unnoticed as one that was never told. */
  checkMemory(): void {
    for (const [keyBytes, value, checksum] of this.#memories.all() as [Uint8Array, Uint8Array, number][]) {
      const key = textOf(keyBytes);
      if (rowChecksum([key, textOf(value)]) !== checksum) throw journalDamaged(this.path, `what it remembers as ${key} was changed`);
    }
  }

  #rowOf([id, time, kindBytes, bodyBytes, checksum]: Row): JournalRow {
    const [kind, body] = [textOf(kindBytes) as RecordKind, textOf(bodyBytes)];
    if (rowChecksum([time, kind, body]) !== checksum) throw journalDamaged(this.path, `record ${id} was changed`);
    return { id, time, kind, body };
  }

  #recordOf({ id, time, kind, body }: JournalRow): JournalRecord {
    return { id, time, kind, value: revive(body, this.instruments) } as JournalRecord;
  }
}
