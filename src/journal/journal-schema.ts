/** Marks a SQLite file as a journal of ours: `TDGT` in ASCII. */
export const APPLICATION_ID = 0x54444754;

/**
 * Each leads from the version of its place to the next; `user_version` counts those that a file has had. `checksum` is
 * the CRC-32 of a row: SQLite itself notices damage to its own structure alone. No index beside the tables: the quick
 * check at opening does not compare it with them, and only start-up looks for the newest of a kind.
 */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE memory(key TEXT PRIMARY KEY, value TEXT NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID;
   CREATE TABLE records(id INTEGER PRIMARY KEY, time REAL NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL, checksum INTEGER NOT NULL);
   PRAGMA application_id = ${APPLICATION_ID};`,
  // From here runs and turns are told (`run`, `turn`, `history`): records that an earlier version would not write beside its own.
  '',
];

export const SCHEMA_VERSION = MIGRATIONS.length;

/** What brings a file of this version up to date, as one transaction; empty where nothing is to do. */
export function migrationsFrom(version: number): string {
  if (version === SCHEMA_VERSION) return '';
  return `BEGIN IMMEDIATE; ${MIGRATIONS.slice(version).join('\n')} PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT;`;
}
