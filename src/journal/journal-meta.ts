import type Database from 'libsql';
import { TidegateError } from '../model/errors.ts';
import { Instrument } from '../model/instrument.ts';
import { bytesOf, journalDamaged, journalError, textOf } from './journal-file.ts';
import { doubtOf, type JournalDoubt } from './journal-mark.ts';

/** Before the symbol, in the keys that tell in what an instrument is counted. */
const UNITS_OF = 'units/';
/** As `unitsOf` writes them. */
const UNITS = /^ticks of (.+?), steps of (.+?)(?:, contracts of (.+))?$/;
const NO_TERMS = { tiers: [{ maintenance: '0' }], liquidationFee: '0', triggerBy: 'last' } as const;

/** Whose journal a file is. */
export interface JournalOwner {
  readonly bot: string;
  readonly now: number;
  readonly instruments: readonly Instrument[];
}

/** What a journal says of itself at its opening. */
export interface JournalClaim {
  /** Epoch ms of its first opening. */
  readonly createdAt: number;
  /** Epoch ms: sets client ids apart from those that a lost end of the journal may have given. */
  readonly era: number;
  readonly doubt: JournalDoubt | undefined;
}

/** Keys of the file's own words. */
export const ERA = 'era';
export const MARKED = 'marked';
export const DOUBT = 'doubt';

/**
 * Checks that the file is this bot's, in the units of the config, and notes what is new: ticks and steps would mean
 * something else on another grid. Where nothing is counted yet, the units are those of the config: a start may have been
 * refused for those that it noted. Writes at every opening, so a file that cannot be written shows before anything is sent.
 * A doubt about its end is noted in it, until somebody has dealt with it: the mark goes on with the next commit.
 * @throws TidegateError JOURNAL_DAMAGED for another bot's journal, CONFIG_INVALID for another grid
 */
export function claimJournal(database: Database.Database, path: string, { bot, now, instruments }: JournalOwner): JournalClaim {
  const select = database.prepare(`SELECT ${bytesOf('value')} FROM meta WHERE key = ?`).raw();
  const insert = database.prepare('INSERT INTO meta VALUES(?, ?) ON CONFLICT DO UPDATE SET value = excluded.value');
  const noted = (key: string, value: string) => {
    const found = select.get(key) as [Uint8Array] | undefined;
    if (found !== undefined) return textOf(found[0]);
    insert.run(key, value);
    return value;
  };

  database.exec('BEGIN IMMEDIATE');
  const owner = noted('bot', bot);
  if (owner !== bot) {
    throw journalError('JOURNAL_DAMAGED', path, `belongs to bot ${owner}, expected ${bot}: give each bot a journal of its own`);
  }
  if (isBlank(database)) database.exec(`DELETE FROM meta WHERE key GLOB '${UNITS_OF}*'`);
  for (const instrument of instruments) {
    const units = unitsOf(instrument);
    const before = noted(`${UNITS_OF}${instrument.symbol}`, units);
    if (before === units) continue;
    const text = `journal ${path} counts ${instrument.symbol} in ${before}, the config in ${units}: keep the former, or start with a new journal once the bot is flat`;
    throw new TidegateError('CONFIG_INVALID', text);
  }
  const createdAt = Number(noted('createdAt', String(now)));
  insert.run('openedAt', String(now));
  const isMarked = select.get(MARKED) !== undefined;
  // Where nothing is in it, the mark is that of one before it.
  const found = isMarked || !isBlank(database) ? doubtOf({ path, createdAt, isMarked }, () => lastIdOf(database)) : undefined;
  if (found !== undefined) insert.run(DOUBT, JSON.stringify(found));
  insert.run(MARKED, '1');
  const [era, doubt] = [ERA, DOUBT].map((key) => textOf((select.get(key) as [Uint8Array] | undefined)?.[0] ?? null));
  database.exec('COMMIT');
  return { createdAt, era: era ? Number(era) : createdAt, doubt: doubt ? (JSON.parse(doubt) as JournalDoubt) : undefined };
}

/** Of the newest record; 0 where there is none. */
export function lastIdOf(database: Database.Database): number {
  const [last] = database.prepare('SELECT CAST(coalesce(max(id), 0) AS REAL) FROM records').raw().get() as [number];
  return last;
}

/** Whether nothing is in it that is counted in units. */
export function isBlank(database: Database.Database): boolean {
  const [held] = database.prepare('SELECT EXISTS(SELECT 1 FROM records) OR EXISTS(SELECT 1 FROM memory)').raw().get() as [number];
  return held === 0;
}

/** What the file says of itself, by key. */
export function metaOf(database: Database.Database): ReadonlyMap<string, string> {
  const rows = database
    .prepare(`SELECT ${bytesOf('key')}, ${bytesOf('value')} FROM meta`)
    .raw()
    .all() as [Uint8Array, Uint8Array][];
  return new Map(rows.map(([key, value]) => [textOf(key), textOf(value)]));
}

export function unitsOf({ tick, step, contract }: Instrument): string {
  return `ticks of ${tick.text}, steps of ${step.text}${contract === undefined ? '' : `, contracts of ${contract.value.toFixed()}`}`;
}

/** The instruments that a journal counts, in its units: fees, limits and terms of margin are not in it. @throws TidegateError JOURNAL_DAMAGED */
export function countedInstruments(path: string, meta: ReadonlyMap<string, string>): Instrument[] {
  const units = [...meta].filter(([key]) => key.startsWith(UNITS_OF));
  return units.map(([key, text], index) => {
    const symbol = key.slice(UNITS_OF.length);
    const [, tickSize, stepSize, contract] = UNITS.exec(text) ?? [];
    if (tickSize === undefined || stepSize === undefined) throw journalDamaged(path, `it does not say in what it counts ${symbol}`);
    const terms = contract === undefined ? undefined : { ...NO_TERMS, value: contract };
    return new Instrument(index, { symbol, tickSize, stepSize, contract: terms });
  });
}
