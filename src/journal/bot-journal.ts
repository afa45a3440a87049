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
  openJournalFile,
  rollBack,
  rowChecksum,
  type Synchronous,
} from './journal-file.ts';
import { JournalLock } from './journal-lock.ts';
import { type JournalDoubt, JournalMark } from './journal-mark.ts';
import { claimJournal, DOUBT, ERA, type JournalClaim, lastIdOf } from './journal-meta.ts';
import { JournalReader } from './journal-reader.ts';
import {
  type Heard,
  type JournalRecord,
  type JournalValues,
  OUTSIDE,
  type RecordKind,
  type StatePoint,
  type TurnCause,
} from './journal-record.ts';

export interface BotJournalOptions {
  readonly bot: string;
  /** Epoch ms: stamps what has no time of its own. */
  readonly now: () => number;
  /** What the records are about; their grids must be those of the records. */
  readonly instruments: readonly Instrument[];
  /** `full` unless said otherwise. */
  readonly synchronous?: Synchronous | undefined;
}

/** Keys of the memory: text that SQLite gives back as it was. */
const KEY = /^[\x20-\x7e]{1,200}$/;

/**
 * What one bot did and must know again after a restart: one SQLite file, one process at a time. What is told goes into
 * one transaction; `commit` makes it durable, all or nothing. After a write has failed every call is refused with the
 * same error, so that nothing is sent that was not recorded.
 */
export class BotJournal implements Journal, VenueMemory {
  /** Called inside each commit that has something to write: may tell more (`append`), which the commit takes along. */
  beforeCommit: (() => void) | undefined;
  #told = false;
  #committing = false;
  #refusal: TidegateError | undefined;
  /** What was written since the last commit. */
  #waiting: (() => unknown)[] = [];
  readonly #decisions = createHash('sha256');
  readonly #insert: Database.Statement;
  readonly #keep: Database.Statement;
  readonly #forget: Database.Statement;
  readonly #begin: Database.Statement;
  readonly #commit: Database.Statement;
  readonly #reader: JournalReader;
  readonly #places: readonly FilePlace[];
  readonly #say: Database.Statement;
  readonly #unsay: Database.Statement;
  readonly #mark: JournalMark;
  /** Id of the newest record, and of the newest that is durable. */
  #lastId: number;
  #durableId: number;
  #era: number;

  private constructor(
    /** Of the file, links followed. */
    readonly path: string,
    /** What it says of itself. */
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
    this.#places = [new FilePlace(path), new FilePlace(`${path}-wal`)];
    this.#say = database.prepare('INSERT INTO meta VALUES(?, ?) ON CONFLICT DO UPDATE SET value = excluded.value');
    this.#unsay = database.prepare('DELETE FROM meta WHERE key = ?');
    this.#era = claim.era;
    this.#mark = new JournalMark(path, claim.createdAt);
    this.#lastId = lastIdOf(database);
    this.#durableId = this.#lastId;
    this.#mark.write(this.#durableId);
  }

  /**
   * Opens the journal of a bot, made where there is none, and locks it for this process.
   * @throws TidegateError BOT_RUNNING, JOURNAL_FAILED, JOURNAL_DAMAGED (also for what is no journal, another bot's, or of
   * a newer Tidegate), CONFIG_INVALID where the grid of an instrument has changed
   */
  static open(path: string, { bot, now, instruments, synchronous = 'full' }: BotJournalOptions): BotJournal {
    const real = journalPath(path);
    const lock = new JournalLock(real, bot);
    let database: Database.Database | undefined;
    try {
      database = openJournalFile(real, synchronous);
      const claim = claimJournal(database, real, { bot, now: now(), instruments });
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

  /** What speaks against its end, until `settleDoubt`. */
  get doubt(): JournalDoubt | undefined {
    return this.claim.doubt;
  }

  /** Client ids begin a new era: none that a lost end of the journal may have given is given again. Durable with the next commit. */
  renewEra(): void {
    this.#era = Math.max(Math.floor(this.now()), this.#era + 1);
    const era = String(this.#era);
    this.#write(() => this.#say.run(ERA, era));
  }

  /** What made its end doubtful has been dealt with; durable with the next commit. */
  settleDoubt(): void {
    if (this.doubt !== undefined) this.#write(() => this.#unsay.run(DOUBT));
  }

  /** @param time epoch ms by the bot's clock. */
  market(event: MarketEvent, time = event.time): void {
    this.#add('market', event, time);
  }

  /** What begins at this time: told before what comes of it. */
  turn(time: number, cause: TurnCause): void {
    this.#add('turn', cause, time);
  }

  intent(sequence: number, time: number, strategyId: string, intent: Intent): void {
    // A strategy may have made it by a class of its own: its fields are what counts.
    this.#decisions.update(this.#add('intent', { sequence, strategyId, intent: { ...intent } }, time));
  }

  /** @param heard when the venue told it; left out of what the engine makes itself. */
  event(sequence: number, event: AccountEvent, heard?: Heard): void {
    const body = this.#add('event', { sequence, event, heard }, event.time);
    if (event.kind === 'orderDenied') this.#decisions.update(body);
  }

  heartbeat(time: number, point: StatePoint | null = null): void {
    this.#add('heartbeat', point, time);
  }

  /** SHA-256, in hex, over the intents and denials that were told since the opening. */
  get decisions(): string {
    return this.#decisions.copy().digest('hex');
  }

  /** Tells what the application keeps: JSON and what the codec knows. */
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

  /** Where `beforeCommit` throws, its error passes and what was told waits for the next commit. */
  commit(): void {
    invariant(!this.#committing, 'the journal is not committed from within a commit');
    this.#refuse();
    if (!this.#told) return;
    this.#committing = true;
    try {
      this.beforeCommit?.();
    } finally {
      this.#committing = false;
    }
    this.#attempt('written', () => {
      this.#commit.run();
      this.#told = false;
      this.#waiting = [];
      for (const place of this.#places) place.check();
      if (this.#lastId !== this.#durableId) this.#mark.write(this.#lastId);
      this.#durableId = this.#lastId;
    });
  }

  /** Makes durable what is told here, as done by no run: ahead of all that waits for the next commit, which goes on waiting. */
  outside(tell: () => void): void {
    const [{ beforeCommit }, waiting] = [this, this.#waiting.splice(0)];
    rollBack(this.database);
    this.#told = false;
    this.#lastId = this.#durableId;
    this.beforeCommit = undefined;
    try {
      this.append('note', OUTSIDE);
      tell();
      this.commit();
    } finally {
      this.beforeCommit = beforeCommit;
    }
    for (const run of waiting) this.#write(run);
  }

  /** All records from this id on, oldest first, those that are not yet durable included. @throws TidegateError JOURNAL_DAMAGED, CONFIG_INVALID */
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

  /** Frees the file and the lock. What was told since the last commit is dropped, as if the process had been killed. */
  close(): void {
    if (this.database.open) {
      closeFile(this.database);
      this.lock.release();
    }
    this.#mark.close();
    this.#told = false;
    this.#refusal ??= journalError('JOURNAL_FAILED', this.path, 'is closed: nothing more can be written or read');
  }

  /** @returns the text of it. */
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
      if (!this.#told) this.#begin.run();
      this.#told = true;
      run();
      this.#waiting.push(run);
    });
  }

  #attempt(doing: string, run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#refusal = journalFailed(this.path, doing, error);
      this.#told = false;
      rollBack(this.database);
      throw this.#refusal;
    }
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
