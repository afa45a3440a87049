import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'libsql';
import { connect } from '../journal/journal-file.ts';
import { TidegateError } from '../model/errors.ts';
import type { Point } from './space.ts';

/** The file of a study in its folder. */
export const STUDY_FILE = 'study.db';
/** Marks a SQLite file as a study: `TDGS` in ASCII. */
const APPLICATION_ID = 0x54444753;
/** Raise it with every change that an earlier build would misread. */
const VERSION = 2;
const BUSY_WAIT_MS = 10_000;

const SCHEMA = `BEGIN IMMEDIATE;
  CREATE TABLE study(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE trials(number INTEGER PRIMARY KEY, point TEXT NOT NULL, params TEXT NOT NULL, outcome TEXT NOT NULL, reason TEXT,
    statistics TEXT, returns BLOB, hash TEXT, duration REAL NOT NULL, reads TEXT NOT NULL);
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${VERSION};
  COMMIT;`;

/**
 * How a trial ended: with figures, or without for a reason. `pruned`: it was ended, as a constraint could not hold any more. `timeout` and
 * `memory` depend on the machine.
 */
export type TrialOutcome = 'done' | 'pruned' | 'failed' | 'timeout' | 'memory';

/** One trial of a study. */
export interface Trial {
  /** From 1, in the order in which their points were chosen. */
  readonly number: number;
  readonly point: Point;
  /** The value of each parameter as it is written in a config, by name. */
  readonly params: Readonly<Record<string, string>>;
  readonly outcome: TrialOutcome;
  /** Why it has no figures, for people. */
  readonly reason?: string | undefined;
  /** By key; empty without figures. Money is decimal text. */
  readonly statistics: Readonly<Record<string, number | string | null>>;
  /** Daily returns of equity. */
  readonly returns: Float64Array;
  /** The SHA-256 of its event log, if it was computed. */
  readonly hash?: string | undefined;
  /** Wall time in ms. */
  readonly durationMs: number;
  /** Names of what its code read besides its config and its data; another run of the trial may read something else. */
  readonly reads?: readonly string[] | undefined;
}

/** The terms that two parts of one search share, as plain JSON by key. */
export type StudyTerms = Readonly<Record<string, unknown>>;

/** The file of a search: its terms, and every trial as soon as it has ended. Several processes may read it while one writes. */
export class Study {
  private constructor(
    readonly folder: string,
    private readonly database: Database.Database,
  ) {}

  /** @throws TidegateError OUT_NOT_EMPTY if the folder holds a study. */
  static create(folder: string, terms: StudyTerms): Study {
    const file = join(folder, STUDY_FILE);
    if (existsSync(file))
      throw new TidegateError('OUT_NOT_EMPTY', `${folder}: holds a study: go on with it by --resume, or give another folder by --out`);
    mkdirSync(folder, { recursive: true });
    return guarded(file, () => {
      const database = opened(file);
      database.exec(SCHEMA);
      const insert = database.prepare('INSERT INTO study VALUES (?, ?)');
      for (const [key, value] of Object.entries(terms)) insert.run(key, JSON.stringify(value));
      return new Study(folder, database);
    });
  }

  /** @throws TidegateError DATA_NOT_FOUND if there is no study, DATA_CORRUPT if the file is none. */
  static open(folder: string): Study {
    const file = join(folder, STUDY_FILE);
    if (!existsSync(file)) throw new TidegateError('DATA_NOT_FOUND', `${folder}: holds no study (no ${STUDY_FILE})`);
    return guarded(file, () => {
      const database = opened(file);
      const number = (name: string) => Number((database.prepare(`PRAGMA ${name}`).raw().get() as unknown[])[0]);
      const [application, version] = [number('application_id'), number('user_version')];
      if (application !== APPLICATION_ID) throw new TidegateError('DATA_CORRUPT', `${file}: is no study of Tidegate`);
      if (version !== VERSION)
        throw new TidegateError('DATA_CORRUPT', `${file}: is of another Tidegate (version ${version} of its format, expected ${VERSION})`);
      return new Study(folder, database);
    });
  }

  get terms(): StudyTerms {
    const rows = this.database.prepare('SELECT key, value FROM study').raw().all() as [string, string][];
    return Object.fromEntries(rows.map(([key, value]) => [key, JSON.parse(value) as unknown]));
  }

  /** Stores a trial; one that is there already stays, as both are the same. */
  add({ number, point, params, outcome, reason, statistics, returns, hash, durationMs, reads = [] }: Trial): void {
    const bytes = Buffer.from(returns.buffer, returns.byteOffset, returns.byteLength);
    guarded(join(this.folder, STUDY_FILE), () =>
      this.database
        .prepare('INSERT OR IGNORE INTO trials VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
        .run(
          number,
          JSON.stringify(point),
          JSON.stringify(params),
          outcome,
          reason ?? null,
          JSON.stringify(statistics),
          bytes,
          hash ?? null,
          durationMs,
          JSON.stringify(reads),
        ),
    );
  }

  /** Adds the hash of the event log of a trial that was run again. */
  setHash(number: number, hash: string): void {
    guarded(join(this.folder, STUDY_FILE), () => this.database.prepare('UPDATE trials SET hash = ? WHERE number = ?').run(hash, number));
  }

  /** In the order of their numbers. */
  *trials(): IterableIterator<Trial> {
    for (const row of this.database.prepare('SELECT * FROM trials ORDER BY number').raw().iterate()) yield trialOf(row as Row);
  }

  /** @returns undefined if it has not ended yet. */
  trial(number: number): Trial | undefined {
    const row = this.database.prepare('SELECT * FROM trials WHERE number = ?').raw().get(number);
    return row === undefined ? undefined : trialOf(row as Row);
  }

  get size(): number {
    return Number((this.database.prepare('SELECT count(*) FROM trials').raw().get() as unknown[])[0]);
  }

  close(): void {
    try {
      this.database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // Another process reads it: the next one to close it merges the log.
    }
    this.database.close();
  }
}

type Row = [number, string, string, TrialOutcome, string | null, string, Uint8Array, string | null, number, string];

function trialOf([number, point, params, outcome, reason, statistics, returns, hash, durationMs, reads]: Row): Trial {
  // A copy: the bytes of a row need not begin at a multiple of eight.
  const bytes = Uint8Array.from(returns);
  return {
    number,
    point: JSON.parse(point) as Point,
    params: JSON.parse(params) as Trial['params'],
    outcome,
    reason: reason ?? undefined,
    statistics: JSON.parse(statistics) as Trial['statistics'],
    returns: new Float64Array(bytes.buffer),
    hash: hash ?? undefined,
    durationMs,
    reads: JSON.parse(reads) as readonly string[],
  };
}

function opened(file: string): Database.Database {
  const database = connect(file, BUSY_WAIT_MS);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = normal');
  return database;
}

/** @throws TidegateError DATA_CORRUPT, or DATA_INVALID if the file cannot be written. */
function guarded<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof TidegateError) throw error;
    const { code = '', message } = error as { readonly code?: string; readonly message: string };
    if (code === 'SQLITE_CORRUPT' || code === 'SQLITE_NOTADB') throw new TidegateError('DATA_CORRUPT', `${file}: ${message}`);
    throw new TidegateError('DATA_INVALID', `${file}: cannot be written: ${message}`, { cause: error });
  }
}
