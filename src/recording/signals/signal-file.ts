import { createHash } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { TidegateError } from '../../model/errors.ts';
import type { SignalValue } from '../../model/signal.ts';
import { isoTime } from '../../model/time.ts';
import { assertRecordingName, isRecordingName } from '../columns/series-meta.ts';
import { quoted, storageTrouble, withDuck, withDuckFor } from '../duckdb.ts';
import { cannotWrite, syncFolder } from '../files.ts';
import { isRemote, placeIn, requireLocal } from '../remote-storage.ts';
import { isSignalColumn, type SignalColumn, type SignalMeta, type SignalRows } from './signal-rows.ts';

/** The file of the signals in the folder of a recording: Parquet, as pandas, polars and DuckDB read it. */
const SIGNAL_FILE = 'signals.parquet';
/** Key of the metadata that marks a Parquet file as one of Tidegate's. */
const META_KEY = 'tidegate';

export function signalFile(dataDir: string, recording: string): string {
  return placeIn(dataDir, recording, SIGNAL_FILE);
}

/** The recordings of a local data directory that have signals, by name. */
export function recordingsWithSignals(dataDir: string): string[] {
  if (isRemote(dataDir) || !existsSync(dataDir)) return [];
  return readdirSync(dataDir)
    .filter((name) => isRecordingName(name) && existsSync(join(dataDir, name, SIGNAL_FILE)))
    .sort();
}

/** Size of the file in bytes. */
export function signalBytes(dataDir: string, recording: string): number {
  return statSync(signalFile(dataDir, recording)).size;
}

/**
 * Writes the signals of a recording as one durable file. A recording has one set of signals.
 * @throws TidegateError DATA_EXISTS without `replace`; USAGE for a bad name or a URL; DATA_INVALID where nothing can be written.
 */
export async function writeSignals(
  { dataDir, name, replace, source }: { dataDir: string; name: string; replace: boolean; source: readonly string[] },
  rows: SignalRows,
): Promise<{ readonly file: string; readonly meta: SignalMeta }> {
  requireLocal(dataDir, 'a recording');
  assertRecordingName(name);
  const file = signalFile(dataDir, name);
  const folder = join(dataDir, name);
  if (!replace && existsSync(file))
    throw new TidegateError(
      'DATA_EXISTS',
      `${file}: the recording has signals already; --append adds rows after the last one, --replace replaces them`,
    );
  const meta = metaOf(rows, source);
  const temporary = join(folder, `.${SIGNAL_FILE}.writing-${process.pid}`);
  try {
    mkdirSync(folder, { recursive: true });
    await writeTable(temporary, rows, meta);
    const written = openSync(temporary, 'r+');
    fsyncSync(written);
    closeSync(written);
    renameSync(temporary, file);
    syncFolder(folder);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error instanceof TidegateError ? error : cannotWrite(folder, error);
  }
  return { file, meta };
}

/**
 * The signals of a recording with the newer rows. Rows that are not after the last one must be rows of the recording.
 * @throws TidegateError DATA_INVALID for other columns, and for a row that the recording lacks or has with other values.
 */
export function grownSignals(recording: string, old: SignalRows, rows: SignalRows): { readonly all: SignalRows; readonly added: number } {
  const names = old.columns.map(({ name }) => name);
  const order = names.map((name) => rows.columns.findIndex((column) => column.name === name && column.type === typeIn(old, name)));
  if (order.includes(-1) || rows.columns.length !== names.length)
    throw new TidegateError(
      'DATA_INVALID',
      `the files have the columns ${columnsText(rows.columns)}; expected those of recording "${recording}": ${columnsText(old.columns)}; --columns chooses columns, --replace replaces the signals`,
    );
  const values = order.map((column) => rows.values[column]!);
  const last = old.times[old.times.length - 1]!;
  const keyOf = (time: number, symbol: string | undefined, row: readonly (SignalValue | undefined)[]) =>
    JSON.stringify([time, symbol ?? '', ...row]);
  const known = new Set(
    Array.from(old.symbols, (symbol, row) =>
      keyOf(
        old.times[row]!,
        symbol,
        old.values.map((column) => column[row]),
      ),
    ),
  );
  const fresh: number[] = [];
  for (let row = 0; row < rows.times.length; row++) {
    const [time, symbol] = [rows.times[row]!, rows.symbols[row]];
    const own = values.map((column) => column[row]);
    if (time > last) fresh.push(row);
    else if (!known.has(keyOf(time, symbol, own)))
      throw new TidegateError(
        'DATA_INVALID',
        `recording "${recording}" does not have the row ${[isoTime(time), symbol ?? 'of no symbol', ...own.map(String)].join(', ')}; expected rows after ${isoTime(last)}, or rows that it has; --replace replaces the signals`,
      );
  }
  const picked = <Value>(of: ArrayLike<Value>) => fresh.map((row) => of[row]!);
  const all: SignalRows = {
    columns: old.columns,
    times: Float64Array.from([...Array.from(old.times), ...picked(rows.times)]),
    symbols: [...old.symbols, ...fresh.map((row) => rows.symbols[row])],
    values: old.values.map((column, index) => [...column, ...picked(values[index]!)]),
  };
  return { all, added: fresh.length };
}

const typeIn = ({ columns }: SignalRows, name: string) => columns.find((column) => column.name === name)?.type;

/** The columns as text: `up (number), regime (text)`. */
export function columnsText(columns: readonly SignalColumn[]): string {
  return columns.map(({ name, type }) => `${name} (${type})`).join(', ');
}

function metaOf({ columns, times, symbols, values }: SignalRows, source: readonly string[]): SignalMeta {
  const named = [...new Set(symbols.filter((symbol) => symbol !== undefined))].sort();
  const rows = times.length;
  const sha256 = rowsSha256({ columns, times, symbols, values });
  return { version: 1, kind: 'signal', sha256, rows, firstTime: times[0]!, lastTime: times[rows - 1]!, columns, symbols: named, source };
}

function rowsSha256({ columns, times, symbols, values }: SignalRows): string {
  const hash = createHash('sha256').update(JSON.stringify(columns));
  for (let row = 0; row < times.length; row++)
    hash.update(`${JSON.stringify([times[row], symbols[row] ?? null, ...values.map((column) => column[row])])}\n`);
  return hash.digest('hex');
}

const US_OF_MS = 1_000;

async function writeTable(file: string, { columns, times, symbols, values }: SignalRows, meta: SignalMeta): Promise<void> {
  await withDuck(async (duck) => {
    const types = columns.map(({ name, type }) => `"${name}" ${type === 'number' ? 'DOUBLE' : 'VARCHAR'}`);
    await duck.run(`CREATE TABLE signals ("time" BIGINT, symbol VARCHAR, ${types.join(', ')})`);
    const appender = await duck.createAppender('signals');
    for (let row = 0; row < times.length; row++) {
      appender.appendBigInt(BigInt(Math.round(times[row]! * US_OF_MS)));
      const symbol = symbols[row];
      if (symbol === undefined) appender.appendNull();
      else appender.appendVarchar(symbol);
      for (const column of values) {
        const value = column[row]!;
        if (value === null) appender.appendNull();
        else if (typeof value === 'number') appender.appendDouble(value);
        else appender.appendVarchar(value);
      }
      appender.endRow();
    }
    appender.closeSync();
    const chosen = ['make_timestamp("time") AS "time"', 'symbol', ...columns.map(({ name }) => `"${name}"`)];
    const options = `FORMAT parquet, COMPRESSION zstd, KV_METADATA {${META_KEY}: ${quoted(JSON.stringify(meta))}}`;
    await duck.run(`COPY (SELECT ${chosen.join(', ')} FROM signals) TO ${quoted(file)} (${options})`);
  });
}

/**
 * The description of the signals of a recording.
 * @throws TidegateError DATA_NOT_FOUND, DATA_CORRUPT, DATA_UNREACHABLE.
 */
export function readSignalMeta(dataDir: string, recording: string): Promise<SignalMeta> {
  return open(dataDir, recording).then(({ meta }) => meta);
}

/**
 * The signals of a recording.
 * @throws TidegateError DATA_NOT_FOUND, DATA_CORRUPT naming the file and what is wrong, DATA_UNREACHABLE.
 */
export async function openSignals(dataDir: string, recording: string): Promise<SignalRows & { readonly meta: SignalMeta }> {
  return open(dataDir, recording, true);
}

async function open(dataDir: string, recording: string, whole = false): Promise<SignalRows & { readonly meta: SignalMeta }> {
  const file = signalFile(dataDir, recording);
  if (!isRemote(dataDir) && !existsSync(file)) throw missing(dataDir, recording);
  return withDuckFor(dataDir, async (duck) => {
    const read = (sql: string) =>
      duck.runAndReadAll(sql).catch((error: Error) => {
        if (isRemote(file)) throw storageTrouble(file, error) ?? error;
        throw corrupt(file, `it cannot be read as Parquet: ${error.message.split('\n')[0]}`);
      });
    const [row] = (
      await read(`SELECT decode(value) FROM parquet_kv_metadata(${quoted(file)}) WHERE decode(key) = ${quoted(META_KEY)}`)
    ).getRows();
    const meta = parsedMeta(file, row === undefined ? '' : String(row[0]));
    const { columns } = meta;
    if (!whole) return { meta, columns, times: [], symbols: [], values: [] };
    const chosen = ['epoch_us("time")::DOUBLE', 'symbol', ...columns.map(({ name }) => `"${name}"`)];
    const found = (await read(`SELECT ${chosen.join(', ')} FROM read_parquet(${quoted(file)})`)).getColumns();
    const [us = [], symbols = [], ...values] = found as [number[], (string | null)[], ...SignalValue[][]];
    const times = Float64Array.from(us, (time) => time / US_OF_MS);
    if (times.length !== meta.rows) throw corrupt(file, `it has ${times.length} rows; expected ${meta.rows}`);
    const rows = { columns, times, symbols: symbols.map((symbol) => symbol ?? undefined), values };
    if (rowsSha256(rows) !== meta.sha256) throw corrupt(file, 'its rows are not those that were written to it');
    return { meta, ...rows };
  });
}

function parsedMeta(file: string, text: string): SignalMeta {
  let meta: Partial<SignalMeta> | undefined;
  try {
    meta = JSON.parse(text) as Partial<SignalMeta>;
  } catch {
    throw corrupt(file, 'it has no description of Tidegate');
  }
  const isWhole =
    meta.version === 1 &&
    meta.kind === 'signal' &&
    typeof meta.sha256 === 'string' &&
    Number.isSafeInteger(meta.rows) &&
    Array.isArray(meta.columns) &&
    meta.columns.every(({ name, type }) => isSignalColumn(name) && (type === 'number' || type === 'text')) &&
    Array.isArray(meta.symbols);
  if (!isWhole) throw corrupt(file, 'its description is not one of signals of version 1');
  return meta as SignalMeta;
}

const corrupt = (file: string, why: string) => new TidegateError('DATA_CORRUPT', `${file}: ${why}; import the signals again`);

function missing(dataDir: string, recording: string): TidegateError {
  const names = recordingsWithSignals(dataDir);
  const known = names.length === 0 ? 'no recording there has signals' : `recordings with signals: ${names.join(', ')}`;
  return new TidegateError(
    'DATA_NOT_FOUND',
    `recording "${recording}" has no signals in ${dataDir}; ${known}; "tidegate data import --kind signal" makes them`,
  );
}

/** A problem in signals, for `tidegate data check`. */
export interface SignalFinding {
  readonly severity: 'error' | 'warning';
  readonly text: string;
}

/** Checks the order of the rows, the range in the description, rows of one time and symbol, and columns without values. */
export function checkSignals({ meta, times, symbols, values, columns }: SignalRows & { readonly meta: SignalMeta }): SignalFinding[] {
  const findings: SignalFinding[] = [];
  const disorder = firstRow(times.length, (row) => row > 0 && times[row]! < times[row - 1]!);
  if (disorder >= 0) findings.push({ severity: 'error', text: `row ${disorder + 1} is before the row above it: expected rising times` });
  if (times[0] !== meta.firstTime || times[times.length - 1] !== meta.lastTime)
    findings.push({ severity: 'error', text: 'the first or the last time is not that of the description' });
  const seen = new Set<string>();
  let double = 0;
  for (let row = 0; row < times.length; row++) {
    const key = `${times[row]} ${symbols[row] ?? ''}`;
    if (seen.has(key)) double++;
    seen.add(key);
  }
  if (double > 0)
    findings.push({
      severity: 'warning',
      text: `${double} rows have the time and the symbol of another row: strategies receive each of them`,
    });
  columns.forEach(({ name }, column) => {
    if (values[column]!.every((value) => value === null)) findings.push({ severity: 'warning', text: `column "${name}" has no value` });
    else if (times.length > 1 && values[column]!.every((value) => isDeepStrictEqual(value, values[column]![0])))
      findings.push({ severity: 'warning', text: `column "${name}" has the same value in every row` });
  });
  return findings;
}

function firstRow(rows: number, holds: (row: number) => boolean): number {
  for (let row = 0; row < rows; row++) if (holds(row)) return row;
  return -1;
}
