import { statSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'libsql';
import type { AccountEvent, HealthChanged, LatchReset, RiskLatched } from '../model/account-events.ts';
import { TidegateError } from '../model/errors.ts';
import type { Instrument } from '../model/instrument.ts';
import { revive } from './codec.ts';
import {
  bytesOf,
  checkStructure,
  journalDamaged,
  journalError,
  journalFailed,
  openJournalToRead,
  rowChecksum,
  textOf,
} from './journal-file.ts';
import { type JournalLoss, lossOf } from './journal-mark.ts';
import { countedInstruments, isBlank, LOSS, lastIdOf, MARKED, metaOf, unitsOf } from './journal-meta.ts';
import type { JournalRecord, RecordKind } from './journal-record.ts';

type Row = [id: number, time: number, kind: Uint8Array, body: Uint8Array, checksum: number];
const COLUMNS = `CAST(id AS REAL), CAST(time AS REAL), ${bytesOf('kind')}, ${bytesOf('body')}, CAST(checksum AS REAL)`;
/** One stored row: `body` is the codec's text. */
export interface JournalRow {
  readonly id: number;
  readonly time: number;
  readonly kind: RecordKind;
  readonly body: string;
}

/** Rows in one read: no statement stays open between two, so reading and writing may alternate. */
const PAGE = 1000;

/** Reads the rows of a journal as values. Checks the checksum of each, and that none is missing. */
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

  /** Checks that the memory is as it was written: a changed key would look like one that was never written. */
  checkMemory(): void {
    for (const [keyBytes, value, checksum] of this.#memories.all() as [Uint8Array, Uint8Array, number][]) {
      const key = textOf(keyBytes);
      if (rowChecksum([key, textOf(value)]) !== checksum) throw journalDamaged(this.path, `its memory under the key ${key} was changed`);
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

/**
 * A journal that is only read, whether or not its bot runs, as it was when opened. Rows are text, as the instruments
 * (those of the config) are in some of them.
 */
export class RecordedJournal {
  readonly #reader: JournalReader;

  private constructor(
    readonly path: string,
    readonly bot: string,
    /** Epoch ms of the first opening: the era of the bot's client order ids. */
    readonly createdAt: number,
    /** Id of its newest record. */
    readonly lastId: number,
    /** The metadata of the file, by key. */
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

  /**
   * All of them as values.
   * @param instruments those that the values name, in the units of the journal; default: the ones in the journal.
   * @throws TidegateError JOURNAL_DAMAGED
   */
  *records(instruments: readonly Instrument[] = this.instruments()): IterableIterator<JournalRecord> {
    const bySymbol = new Map(instruments.map((instrument) => [instrument.symbol, instrument]));
    for (const { id, time, kind, body } of this.rows()) yield { id, time, kind, value: revive(body, bySymbol) } as JournalRecord;
  }

  /** All of one kind, oldest first. @throws TidegateError JOURNAL_DAMAGED */
  *rowsOf(kind: RecordKind): IterableIterator<JournalRow> {
    const ids = this.database.prepare('SELECT CAST(id AS REAL) FROM records WHERE kind = ? AND id <= ? ORDER BY id').raw();
    for (const [id] of ids.all(kind, this.lastId) as [number][]) yield* this.rows(id, id);
  }

  /** The newest of a kind whose values name no instruments. @throws TidegateError JOURNAL_DAMAGED */
  last(kind: 'run'): JournalRecord<'run'> | undefined {
    return this.#reader.last(kind);
  }

  /** The instruments in the journal, in its units: futures without their margin terms. @throws TidegateError JOURNAL_DAMAGED */
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

/** Opens the journal at a path: the file itself, or the folder of its bot. @throws TidegateError JOURNAL_FAILED, JOURNAL_DAMAGED */
export function journalAt(path: string): RecordedJournal {
  const file = statSync(path, { throwIfNoEntry: false })?.isDirectory() ? join(path, 'journal.sqlite') : path;
  if (statSync(file, { throwIfNoEntry: false })?.isFile()) return RecordedJournal.open(file);
  throw new TidegateError(
    'JOURNAL_FAILED',
    `${path}: there is no journal: expected the folder of a bot, or its journal.sqlite (\`tidegate status\` says where it is)`,
  );
}

/** The expected owner of a journal. */
interface Expected {
  readonly bot: string;
  readonly instruments: readonly Instrument[];
}

/**
 * Reads a whole journal as a start of its bot would, also while it runs, and changes nothing.
 * @throws TidegateError JOURNAL_DAMAGED, JOURNAL_FAILED, CONFIG_INVALID if the grid of an instrument is different
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
    const createdAt = Number(meta.get('createdAt'));
    const possibleLoss = lossOf({ path, createdAt, isMarked: meta.has(MARKED) }, () => lastIdOf(database));
    if (possibleLoss?.kind === 'lost' || meta.has(LOSS)) {
      const why = possibleLoss?.text ?? (JSON.parse(meta.get(LOSS)!) as JournalLoss).text;
      throw journalError('JOURNAL_DAMAGED', path, `may lack its end: ${why}`);
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

/** A journal read in the way of its bot, and not changed. */
export interface JournalToRead {
  records(): Iterable<JournalRecord>;
  recall(key: string): unknown;
}

/**
 * Reads a journal in the units of a config, whether or not its bot runs.
 * @throws TidegateError JOURNAL_DAMAGED, JOURNAL_FAILED, CONFIG_INVALID
 */
export function withJournal<T>(path: string, instruments: readonly Instrument[], use: (journal: JournalToRead) => T): T {
  const database = openJournalToRead(path);
  try {
    const reader = new JournalReader(database, path, new Map(instruments.map((one) => [one.symbol, one])));
    function* records(): Generator<JournalRecord> {
      for (let next = 1; ; ) {
        const page = reader.page(next);
        if (page.length === 0) return;
        yield* page;
        next += page.length;
      }
    }
    return use({ records, recall: (key) => reader.remembered(key) });
  } catch (error) {
    throw journalFailed(path, 'read', error);
  } finally {
    database.close();
  }
}

/** Obstacles to trading that a journal contains. */
export interface StandingTrouble {
  readonly latches: readonly RiskLatched[];
  readonly halts: readonly HealthChanged[];
}

/** The latches and halts that are set in a journal. @throws TidegateError JOURNAL_DAMAGED, JOURNAL_FAILED */
export function standingTrouble(path: string, instruments: readonly Instrument[]): StandingTrouble {
  const database = openJournalToRead(path);
  try {
    const known = new Map(instruments.map((one) => [one.symbol, one]));
    const latches = new Map<string, RiskLatched>();
    const halts = new Map<string, HealthChanged>();
    const text = "(body LIKE '%atch%' OR body LIKE '%healthChanged%')";
    const bodies = database.prepare(`SELECT ${bytesOf('body')} FROM records WHERE kind = 'event' AND ${text} ORDER BY id`).raw();
    for (const [body] of bodies.iterate() as Iterable<[Uint8Array]>) {
      const { event } = revive(textOf(body), known) as { readonly event: AccountEvent };
      if (event.kind === 'riskLatched') latches.set(keyOf(event), event);
      if (event.kind === 'latchReset') latches.delete(keyOf(event));
      if (event.kind !== 'healthChanged') continue;
      if (event.condition === 'halted') halts.set(event.symbol, event);
      else if (event.subject === 'instrument') halts.delete(event.symbol);
    }
    return { latches: [...latches.values()], halts: [...halts.values()] };
  } catch (error) {
    throw journalFailed(path, 'read', error);
  } finally {
    database.close();
  }
}

function keyOf({ rule, strategyId, symbol }: Pick<RiskLatched | LatchReset, 'rule' | 'strategyId' | 'symbol'>): string {
  return `${rule}/${strategyId ?? ''}:${symbol ?? ''}`;
}
