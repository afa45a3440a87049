import { basename } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import { isSymbol } from '../../model/instrument.ts';
import { isoTime } from '../../model/time.ts';
import { withReadableFiles } from '../../recording/import/packed-files.ts';
import { Quarantine } from '../../recording/import/rows.ts';
import { type DeclaredColumn, readSignals } from '../../recording/signals/import-signals.ts';
import {
  checkSignals,
  columnsText,
  grownSignals,
  openSignals,
  readSignalMeta,
  recordingsWithSignals,
  signalBytes,
  writeSignals,
} from '../../recording/signals/signal-file.ts';
import { COLUMN_NAMES, isSignalColumn, type SignalMeta, type SignalRows } from '../../recording/signals/signal-rows.ts';
import { alignedLines, bytesText, counted, plural, shortTime, wrapped } from './cli-text.ts';
import type { DataImportOptions } from './import.ts';

/** Options of `tidegate data import` that signals do not have. */
const FOREIGN = [
  'interval',
  'time',
  'format',
  'only',
  'split',
  'decimals',
  'decimalMark',
  'priceFactor',
  'quantityFactor',
  'quoteQuantity',
] as const;

/** Imports files as the signals of a recording, and prints a summary and the findings of a check. */
export async function importSignals(
  files: readonly string[],
  options: Omit<DataImportOptions, 'kind'>,
  print: (line: string) => void,
): Promise<void> {
  const { dataDir, name, symbol, dateFormat, zone, dryRun = false, replace = false, append = false } = options;
  const foreign = FOREIGN.find((option) => options[option] !== undefined);
  if (foreign !== undefined) {
    const flag = `--${foreign.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    throw new TidegateError(
      'USAGE',
      `${flag} is not for signals; expected --name, --symbol, --columns, --date-format, --zone, --quarantine, --append, --replace or --dry-run`,
    );
  }
  if (append && replace) throw new TidegateError('USAGE', '--append and --replace exclude each other');
  if (name === undefined && (!dryRun || append))
    throw new TidegateError('USAGE', '--name is needed: the recording that receives the signals; --dry-run works without it');
  if (symbol !== undefined && !isSymbol(symbol))
    throw new TidegateError('USAGE', `--symbol "${symbol}"; expected a symbol such as BTC-USDT or BTC-USDT-PERP: that of all rows`);
  const declared = declaredColumns(options.columns ?? []);
  const old = append && recordingsWithSignals(dataDir).includes(name!) ? await openSignals(dataDir, name!) : undefined;
  const types = old && new Map(old.columns.map((column) => [column.name, column.type]));
  const quarantine = options.quarantine === undefined || dryRun ? undefined : new Quarantine(options.quarantine, replace);
  let refused = 0;
  try {
    const read = await withReadableFiles(files, 'ticker', (places, tables) =>
      readSignals({
        ...{ files: places, tables, only: symbol, dateFormat, zone, now: Date.now() },
        ...declared,
        types,
        refuse: (error, text) => {
          if (options.quarantine === undefined) throw error;
          refused++;
          quarantine?.refuse(error, text);
        },
      }),
    );
    requireShare(refused, read.times.length, options.quarantineMax);
    for (const line of rowsText(read, HEAD_ROWS)) print(line);
    const { all: rows, added } = old === undefined ? { all: read, added: read.times.length } : grownSignals(name!, old, read);
    if (dryRun) {
      print(
        `dry run: ${plural(added, 'signal')} can be ${old === undefined ? 'imported' : 'added'}, with ${columnsText(rows.columns)}; nothing was written`,
      );
      return;
    }
    if (added === 0) {
      print(`nothing to add: ${name} has all rows of the files already`);
      return;
    }
    const source = [...new Set([...(old?.meta.source ?? []), ...files.map((path) => basename(path))])];
    const { file, meta } = await writeSignals({ dataDir, name: name!, replace: replace || old !== undefined, source }, rows);
    quarantine?.finish();
    print(`${plural(meta.rows, 'signal')} ${metaText(meta)}`);
    print(`written to ${file}`);
    if (old !== undefined) print(`added ${plural(added, 'row')} after ${isoTime(old.meta.lastTime)}`);
    for (const { severity, text } of checkSignals({ ...rows, meta })) for (const line of wrapped(`${severity}: ${text}`, 2)) print(line);
    if (quarantine !== undefined) print(`${plural(quarantine.count, 'row')} not imported, listed in ${quarantine.path}`);
  } finally {
    quarantine?.abort();
  }
}

const HEAD_ROWS = 2;
const DEFAULT_SHARE = 0.01;

/** @throws TidegateError DATA_INVALID where more rows were refused than the share; USAGE for a wrong share. */
function requireShare(refused: number, imported: number, text: string | undefined): void {
  const share = text === undefined ? DEFAULT_SHARE : text.endsWith('%') ? Number(text.slice(0, -1)) / 100 : Number(text);
  if (!(share >= 0 && share <= 1))
    throw new TidegateError('USAGE', `--quarantine-max "${text}"; expected a share from 0% to 100%, for example 5%`);
  const all = refused + imported;
  if (refused <= share * all) return;
  throw new TidegateError(
    'DATA_INVALID',
    `${refused} of ${all} rows cannot be imported, more than ${share * 100} %; --quarantine-max 100% imports the others all the same`,
  );
}

/** The headers of time and symbol, and the columns to import: `time=<header>`, `<name>`, `<name>=<header>`, with `:number` or `:text`. */
function declaredColumns(entries: readonly string[]): {
  readonly time?: string;
  readonly symbol?: string;
  readonly columns: readonly DeclaredColumn[];
} {
  const found: { time?: string; symbol?: string; columns: DeclaredColumn[] } = { columns: [] };
  for (const entry of entries.flatMap((text) => text.split(','))) {
    const [, written = '', type] = /^(.*?)(?::(number|text))?$/.exec(entry.trim()) ?? [];
    const at = written.indexOf('=');
    const name = (at < 0 ? written : written.slice(0, at)).trim();
    const header = at < 0 ? name : written.slice(at + 1).trim();
    if (name === 'time' || name === 'symbol') found[name] = header;
    else if (isSignalColumn(name) && header !== '' && !found.columns.some((column) => column.name.toLowerCase() === name.toLowerCase()))
      found.columns.push({ name, header, type: type as DeclaredColumn['type'] });
    else {
      const form = '<name>, <name>=<header> or either with :number or :text, and each name once';
      throw new TidegateError('USAGE', `--columns "${entry}"; expected ${form}; a name has ${COLUMN_NAMES}`);
    }
  }
  return found;
}

function metaText({ firstTime, lastTime, symbols, columns }: SignalMeta): string {
  const of = symbols.length === 0 ? 'of no symbol' : `of ${symbols.join(', ')}`;
  return `${of} from ${isoTime(firstTime)} to ${isoTime(lastTime)}: ${columnsText(columns)}`;
}

/** The first and the last rows as lines of a table. */
function rowsText({ columns, times, symbols, values }: SignalRows, most: number): string[] {
  const cells = (row: number) => [isoTime(times[row]!), symbols[row] ?? '', ...values.map((column) => String(column[row] ?? ''))];
  const rows = Array.from({ length: times.length }, (_, row) => row);
  const left = Math.max(0, rows.length - 2 * most);
  const head = rows.slice(0, most).map(cells);
  const tail = rows.slice(Math.max(most, rows.length - most)).map(cells);
  const between = left === 0 ? [] : [['...', `${counted(left)} more`, ...columns.map(() => '')]];
  return alignedLines([['time', 'symbol', ...columns.map(({ name }) => name)], ...head, ...between, ...tail]);
}

/** One line about the signals of a recording, for `data list`. */
export async function signalsLine(dataDir: string, recording: string): Promise<string> {
  try {
    const { rows, firstTime, lastTime, columns } = await readSignalMeta(dataDir, recording);
    const size = bytesText(signalBytes(dataDir, recording));
    return `signals  ${counted(rows)} rows  ${shortTime(firstTime)}  ${shortTime(lastTime)}  ${size}  ${columnsText(columns)}`;
  } catch (error) {
    if (error instanceof TidegateError) return `signals  damaged: ${error.message}`;
    throw error;
  }
}

/** Prints the verdict about the signals of a recording. @returns the number of errors and of warnings. */
export async function checkSignalsOf(
  dataDir: string,
  recording: string,
  print: (line: string) => void,
): Promise<{ readonly errors: number; readonly warnings: number }> {
  let findings: ReturnType<typeof checkSignals>;
  let rows = 0;
  try {
    const signals = await openSignals(dataDir, recording);
    rows = signals.meta.rows;
    findings = checkSignals(signals);
  } catch (error) {
    if (!(error instanceof TidegateError)) throw error;
    findings = [{ severity: 'error', text: error.message }];
  }
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const warnings = findings.length - errors;
  print(`  signals  ${counted(rows)} rows  ${errors > 0 ? plural(errors, 'error') : warnings > 0 ? plural(warnings, 'warning') : 'good'}`);
  for (const { severity, text } of findings) for (const line of wrapped(`${severity}: ${text}`, 4)) print(line);
  return { errors, warnings };
}

/** Prints the rows and the figures of each column of the signals of a recording, in [from, to). */
export async function showSignals(
  dataDir: string,
  recording: string,
  { from, to, symbol, most }: { readonly from: number; readonly to: number; readonly symbol: string | undefined; readonly most: number },
  print: (line: string) => void,
): Promise<void> {
  const all = await openSignals(dataDir, recording);
  const kept = Array.from(all.times, (time, row) => ({ time, row }))
    .filter(({ time, row }) => time >= from && time < to && (symbol === undefined || all.symbols[row] === symbol))
    .map(({ row }) => row);
  const picked = <Value>(values: ArrayLike<Value>) => kept.map((row) => values[row]!);
  const rows: SignalRows = {
    columns: all.columns,
    times: picked(all.times),
    symbols: kept.map((row) => all.symbols[row]),
    values: all.values.map((column) => picked(column)),
  };
  if (kept.length === 0) throw new TidegateError('DATA_NOT_FOUND', `recording "${recording}" has no signal between --from and --to`);
  print(`signals: ${plural(kept.length, 'row')}`);
  for (const line of rowsText(rows, most)) print(`  ${line}`);
  const figures = all.columns.map(({ name, type }, index) => [name, type, ...figuresOf(rows.values[index]!)]);
  for (const line of alignedLines([['column', 'type', 'values', 'least', 'mean', 'greatest'], ...figures], [2, 3, 4, 5]))
    print(`  ${line}`);
}

const DIGITS = 6;

/** How many values a column has; for numbers also the least, the mean and the greatest. */
function figuresOf(values: SignalRows['values'][number]): string[] {
  const given = values.filter((value) => value !== null);
  const numbers = given.filter((value) => typeof value === 'number');
  if (numbers.length === 0) return [counted(given.length), '', '', ''];
  const mean = numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
  const least = numbers.reduce((one, other) => Math.min(one, other));
  const greatest = numbers.reduce((one, other) => Math.max(one, other));
  return [counted(given.length), ...[least, mean, greatest].map((value) => String(Number(value.toPrecision(DIGITS))))];
}
