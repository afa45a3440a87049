import type Database from 'libsql';
import { TidegateError } from '../model/errors.ts';
import { Instrument } from '../model/instrument.ts';
import { bytesOf, journalDamaged, journalError, textOf } from './journal-file.ts';
import { type JournalLoss, lossOf } from './journal-mark.ts';

/** Before the symbol, in the keys for the units of an instrument. */
const UNITS_OF = 'units/';
/** In the form of `unitsOf`. */
const UNITS = /^ticks of (.+?), steps of (.+?)(?:, contracts of (.+))?$/;
const NO_TERMS = { tiers: [{ maintenance: '0' }], liquidationFee: '0', triggerBy: 'last' } as const;

/** The owner of a journal. */
export interface JournalOwner {
  readonly bot: string;
  readonly now: number;
  readonly instruments: readonly Instrument[];
  /** Why a new journal takes the place of an earlier one. */
  readonly beganBecause?: string | undefined;
}

/** The metadata of a journal at its opening. */
export interface JournalClaim {
  /** Epoch ms of its first opening. */
  readonly createdAt: number;
  /** Epoch ms: distinguishes client ids from those that a lost end of the journal may have used. */
  readonly era: number;
  readonly possibleLoss: JournalLoss | undefined;
}

/** Keys of the metadata. */
export const ERA = 'era';
export const MARKED = 'marked';
export const LOSS = 'doubt';

/**
 * Checks that the file is this bot's, in the units of the config, and notes new instruments: ticks and steps would have another
 * meaning on another grid. If no record uses units yet, the units are those of the config: a start may have been
 * refused because of those that it noted. Writes at every opening, so that a file that cannot be written fails before anything is sent.
 * A possible loss of its end is noted in it until it has been handled: the mark is rewritten with the next commit.
 * @throws TidegateError JOURNAL_DAMAGED for another bot's journal, CONFIG_INVALID for another grid
 */
export function claimJournal(
  database: Database.Database,
  path: string,
  { bot, now, instruments, beganBecause }: JournalOwner,
): JournalClaim {
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
  // In an empty journal the mark belongs to an earlier one.
  const found = isMarked || !isBlank(database) ? lossOf({ path, createdAt, isMarked }, () => lastIdOf(database)) : undefined;
  const loss: JournalLoss | undefined = beganBecause === undefined ? found : { kind: 'lost', text: beganBecause };
  if (loss !== undefined) insert.run(LOSS, JSON.stringify(loss));
  insert.run(MARKED, '1');
  const [era, possibleLoss] = [ERA, LOSS].map((key) => textOf((select.get(key) as [Uint8Array] | undefined)?.[0] ?? null));
  database.exec('COMMIT');
  return {
    createdAt,
    era: era ? Number(era) : createdAt,
    possibleLoss: possibleLoss ? (JSON.parse(possibleLoss) as JournalLoss) : undefined,
  };
}

/** Id of the newest record; 0 if there is none. */
export function lastIdOf(database: Database.Database): number {
  const [last] = database.prepare('SELECT CAST(coalesce(max(id), 0) AS REAL) FROM records').raw().get() as [number];
  return last;
}

/** Whether no record of it uses units. */
export function isBlank(database: Database.Database): boolean {
  const [held] = database.prepare('SELECT EXISTS(SELECT 1 FROM records) OR EXISTS(SELECT 1 FROM memory)').raw().get() as [number];
  return held === 0;
}

/** The metadata of the file, by key. */
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

/** The instruments of a journal, in its units: without fees, limits and margin terms. @throws TidegateError JOURNAL_DAMAGED */
export function countedInstruments(path: string, meta: ReadonlyMap<string, string>): Instrument[] {
  const units = [...meta].filter(([key]) => key.startsWith(UNITS_OF));
  return units.map(([key, text], index) => {
    const symbol = key.slice(UNITS_OF.length);
    const [, tickSize, stepSize, contract] = UNITS.exec(text) ?? [];
    if (tickSize === undefined || stepSize === undefined) throw journalDamaged(path, `it has no units of ${symbol}`);
    const terms = contract === undefined ? undefined : { ...NO_TERMS, value: contract };
    return new Instrument(index, { symbol, tickSize, stepSize, contract: terms });
  });
}
