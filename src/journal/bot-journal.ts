import { createHash } from 'node:crypto';
import type Database from 'libsql';
import type { AccountEvent } from '../model/account-events.ts';
import { invariant, type TidegateError } from '../model/errors.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Intent } from '../model/intents.ts';
import type { MarketEvent } from '../model/market-events.ts';
import type { Journal, Trip, VenueMemory } from '../ports/journal.ts';
import { encode } from './codec.ts';
import {
  closeFile,
  FilePlace,
  journalError,
  journalFailed,
  journalPath,
  LogTail,
  openJournalFile,
  rollBack,
  rowChecksum,
  type Synchronous,
  takeInLog,
} from './journal-file.ts';
import { JournalLock } from './journal-lock.ts';
import { type JournalLoss, JournalMark } from './journal-mark.ts';
import { claimJournal, ERA, type JournalClaim, LOSS, lastIdOf } from './journal-meta.ts';
import { JournalReader } from './journal-reader.ts';
import {
  type JournalRecord,
  type JournalValues,
  OUTSIDE,
  type ReceivedIn,
  type RecordKind,
  type StatePoint,
  type TurnCause,
} from './journal-record.ts';

export interface BotJournalOptions {
  readonly bot: string;
  /** Epoch ms: the time of records that have none of their own. */
  readonly now: () => number;
  /** The instruments of the records. Their grids must be those of the records. */
  readonly instruments: readonly Instrument[];
  /** `full` by default. */
  readonly synchronous?: Synchronous | undefined;
  /** Why a new journal takes the place of an earlier one: it counts as one that lacks its end. */
  readonly beganBecause?: string | undefined;
}

/** Keys of the memory: text that SQLite returns unchanged. */
const KEY = /^[\x20-\x7e]{1,200}$/;

/**
 * Everything that a bot must keep over a restart: one SQLite file, used by one process at a time. Records are collected in
 * one transaction; `commit` makes it durable, all or nothing. After a failed write every call is refused with the
 * same error, so that nothing is sent that is not recorded.
 */
export class BotJournal implements Journal, VenueMemory {
  /** Called inside each commit that has something to write. It may `append` more, which the same commit writes. */
  beforeCommit: (() => void) | undefined;
  #hasRecords = false;
  #committing = false;
  #refusal: TidegateError | undefined;
  /** Writes since the last commit. */
  #waiting: (() => unknown)[] = [];
  readonly #decisions = createHash('sha256');
  readonly #insert: Database.Statement;
  readonly #keep: Database.Statement;
  readonly #forget: Database.Statement;
  readonly #begin: Database.Statement;
  readonly #commit: Database.Statement;
  readonly #reader: JournalReader;
  readonly #places: readonly FilePlace[];
  readonly #tail: LogTail;
  /** Another program has changed the files: they are left as they are. */
  #isDisturbed = false;
  readonly #say: Database.Statement;
  readonly #unsay: Database.Statement;
  readonly #mark: JournalMark;
  /** Id of the newest record, and of the newest that is durable. */
  #lastId: number;
  #durableId: number;
  #era: number;

  private constructor(
    /** The path of the file, links resolved. */
    readonly path: string,
    /** The journal's own metadata. */
    private readonly claim: JournalClaim,
    private readonly database: Database.Database,
    private readonly lock: JournalLock,
    private readonly now: () => number,
    instruments: readonly Instrument[],
  ) {
    this.#begin = database.prepare('BEGIN IMMEDIATE');
    this.#commit = database.prepare('COMMIT');
    this.#insert = database.prepare('INSERT INTO records(time, kind, body, checksum) VALUES(?, ?, ?, ?)');
    this.#keep = database.prepare('INSERT OR REPLACE INTO memory(key, value, checksum) VALUES(?, ?, ?)');
    this.#forget = database.prepare('DELETE FROM memory WHERE key = ?');
    this.#reader = new JournalReader(database, path, new Map(instruments.map((instrument) => [instrument.symbol, instrument])));
    this.#reader.checkMemory();
    this.#places = [new FilePlace(path, true), new FilePlace(`${path}-wal`)];
    this.#say = database.prepare('INSERT INTO meta VALUES(?, ?) ON CONFLICT DO UPDATE SET value = excluded.value');
    this.#unsay = database.prepare('DELETE FROM meta WHERE key = ?');
    this.#era = claim.era;
    this.#mark = new JournalMark(path, claim.createdAt);
    this.#lastId = lastIdOf(database);
    this.#durableId = this.#lastId;
    this.#mark.write(this.#durableId);
    this.#tail = new LogTail(path);
  }

  /**
   * Opens the journal of a bot, creates it if there is none, and locks it for this process.
   * @throws TidegateError BOT_RUNNING, JOURNAL_FAILED, JOURNAL_DAMAGED (also for a file that is no journal, another bot's, or of
   * a newer Tidegate), CONFIG_INVALID if the grid of an instrument has changed
   */
  static open(path: string, { bot, now, instruments, synchronous = 'full', beganBecause }: BotJournalOptions): BotJournal {
    const real = journalPath(path);
    const lock = new JournalLock(real, bot);
    let database: Database.Database | undefined;
    try {
      database = openJournalFile(real, synchronous);
      const claim = claimJournal(database, real, { bot, now: now(), instruments, beganBecause });
      // The identity of the journal is in the file itself, whatever happens to the log.
      takeInLog(database);
      return new BotJournal(real, claim, database, lock, now, instruments);
    } catch (error) {
      if (database !== undefined) closeFile(database);
      lock.release();
      throw journalFailed(real, 'opened', error);
    }
  }

  /** Epoch ms of the journal's first opening. */
  get createdAt(): number {
    return this.claim.createdAt;
  }

  /** Epoch ms: the era of the bot's client order ids. That of the first opening, until it is renewed. */
  get era(): number {
    return this.#era;
  }

  /** The sign that its end may be lost, until `settleLoss`. */
  get possibleLoss(): JournalLoss | undefined {
    return this.claim.possibleLoss;
  }

  /** Starts a new era of client ids: none that a lost end of the journal may have used is used again. Durable with the next commit. */
  renewEra(): void {
    this.#era = Math.max(Math.floor(this.now()), this.#era + 1);
    const era = String(this.#era);
    this.#write(() => this.#say.run(ERA, era));
  }

  /** The possible loss of its end has been handled; durable with the next commit. */
  settleLoss(): void {
    if (this.possibleLoss !== undefined) this.#write(() => this.#unsay.run(LOSS));
  }

  /** @param time epoch ms by the bot's clock. */
  market(event: MarketEvent, time = event.time): void {
    this.#add('market', event, time);
  }

  /** A turn begins: recorded before its events. */
  turn(time: number, cause: TurnCause): void {
    this.#add('turn', cause, time);
  }

  intent(sequence: number, time: number, strategyId: string, intent: Intent): void {
    // A strategy may have made it with a class of its own: only its fields count.
    this.#decisions.update(this.#add('intent', { sequence, strategyId, intent: { ...intent } }, time));
  }

  /** @param receivedIn when the venue reported it; left out for events of the engine itself. */
  event(sequence: number, event: AccountEvent, receivedIn?: ReceivedIn): void {
    const body = this.#add('event', { sequence, event, heard: receivedIn }, event.time);
    if (event.kind === 'orderDenied') this.#decisions.update(body);
  }

  heartbeat(time: number, point: StatePoint | null = null): void {
    this.#add('heartbeat', point, time);
  }

  /** SHA-256, in hex, over the intents and denials recorded since the opening. */
  get decisions(): string {
    return this.#decisions.copy().digest('hex');
  }

  /** Records data of the application: JSON and the types of the codec. */
  append<K extends 'run' | 'history' | 'save' | 'held' | 'start' | 'stop' | 'note'>(kind: K, value: JournalValues[K]): void {
    this.#add(kind, value, this.now());
  }

  request(operation: string, clientOrderIds: readonly string[], body: unknown): void {
    this.#add('request', { operation, clientOrderIds, body }, this.now());
    this.commit();
  }

  reply(operation: string, clientOrderIds: readonly string[], outcome: string, body: unknown, trip?: Trip): void {
    this.#add('reply', { operation, clientOrderIds, outcome, body, ...trip }, this.now());
  }

  remember(key: string, value: unknown): void {
    invariant(KEY.test(key), `a key of the journal's memory is 1 to 200 printable ASCII characters, not ${JSON.stringify(key)}`);
    const text = value === undefined ? undefined : encode(value);
    this.#write(() => (text === undefined ? this.#forget.run(key) : this.#keep.run(key, text, rowChecksum([key, text]))));
  }

  recall(key: string): unknown {
    return this.#read(() => this.#reader.remembered(key));
  }

  /** If `beforeCommit` throws, its error is thrown and the records wait for the next commit. */
  commit(): void {
    invariant(!this.#committing, 'the journal is not committed from within a commit');
    this.#refuse();
    if (!this.#hasRecords) return;
    this.#committing = true;
    try {
      this.beforeCommit?.();
    } finally {
      this.#committing = false;
    }
    this.#attempt('written', () => {
      this.#checkPlaces();
      this.#commit.run();
      this.#hasRecords = false;
      this.#waiting = [];
      this.#checkPlaces();
      if (this.#lastId !== this.#durableId) this.#mark.write(this.#lastId);
      this.#durableId = this.#lastId;
    });
  }

  /** Makes the records of `write` durable, as made by no run: before all records that wait for the next commit, which still wait. */
  outside(write: () => void): void {
    const [{ beforeCommit }, waiting] = [this, this.#waiting.splice(0)];
    rollBack(this.database);
    this.#hasRecords = false;
    this.#lastId = this.#durableId;
    this.beforeCommit = undefined;
    try {
      this.append('note', OUTSIDE);
      write();
      this.commit();
    } finally {
      this.beforeCommit = beforeCommit;
    }
    for (const run of waiting) this.#write(run);
  }

  /** All records from this id on, oldest first, including those not yet durable. @throws TidegateError JOURNAL_DAMAGED, CONFIG_INVALID */
  *records(fromId = 1): IterableIterator<JournalRecord> {
    for (let next = fromId; ; ) {
      const page = this.#read(() => this.#reader.page(next));
      if (page.length === 0) return;
      yield* page;
      next += page.length;
    }
  }

  /** The newest record of a kind. @throws TidegateError JOURNAL_DAMAGED, CONFIG_INVALID */
  lastOf<K extends RecordKind>(kind: K): JournalRecord<K> | undefined {
    return this.#read(() => this.#reader.last(kind));
  }

  /** Releases the file and the lock. Records since the last commit are dropped, as if the process had been killed. */
  close(): void {
    if (this.database.open) {
      if (this.#tail.isCut) this.#tail.discard();
      closeFile(this.database, !this.#isDisturbed);
      this.#tail.close();
      this.lock.release();
    }
    this.#mark.close();
    this.#hasRecords = false;
    this.#refusal ??= journalError('JOURNAL_FAILED', this.path, 'is closed: nothing more can be written or read');
  }

  /** @returns its text. */
  #add<K extends RecordKind>(kind: K, value: JournalValues[K], time: number): string {
    this.#refuse();
    const body = encode(value);
    this.#write(() => {
      this.#insert.run(time, kind, body, rowChecksum([time, kind, body]));
      this.#lastId++;
    });
    return body;
  }

  #write(run: () => unknown): void {
    this.#refuse();
    this.#attempt('written', () => {
      if (!this.#hasRecords) this.#begin.run();
      this.#hasRecords = true;
      run();
      this.#waiting.push(run);
    });
  }

  #attempt(doing: string, run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#refusal = journalFailed(this.path, doing, this.#causeOf(error));
      this.#hasRecords = false;
      rollBack(this.database);
      throw this.#refusal;
    }
  }

  /** If another program moved or cut the files, or removed the lock, that is the cause of every later SQLite error. */
  #causeOf(error: unknown): unknown {
    try {
      this.#checkPlaces();
      return error;
    } catch (found) {
      this.#isDisturbed = true;
      return found;
    }
  }

  /** @throws TidegateError JOURNAL_FAILED */
  #checkPlaces(): void {
    this.lock.check();
    for (const place of this.#places) place.check();
    this.#tail.check();
  }

  #read<T>(run: () => T): T {
    this.#refuse();
    try {
      return run();
    } catch (error) {
      throw journalFailed(this.path, 'read', error);
    }
  }

  #refuse(): void {
    if (this.#refusal !== undefined) throw this.#refusal;
  }
}
