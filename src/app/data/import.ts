import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import { isoTime } from '../../model/time.ts';
import { listRecordings } from '../../recording/catalogue/find-recording.ts';
import { type KeptSeries, keepSeries } from '../../recording/catalogue/keep-series.ts';
import { openSeriesAt } from '../../recording/catalogue/open-recording.ts';
import { isOpenLog, type SeriesId, type SeriesPlace } from '../../recording/catalogue/series-places.ts';
import { watchSeries } from '../../recording/checks/check-series.ts';
import type { Finding } from '../../recording/checks/findings.ts';
import { type ExactDecimal, parseExactDecimal } from '../../recording/columns/decimals.ts';
import {
  calendarSlackMs,
  MAX_DECIMALS,
  SERIES_COLUMNS,
  type SeriesKind,
  type SeriesMeta,
  seriesFileName,
  seriesTitle,
} from '../../recording/columns/series-meta.ts';
import type { StoredSeries } from '../../recording/columns/series-reader.ts';
import { UNITS, type Unit, type Units } from '../../recording/import/csv/csv-aliases.ts';
import { type ImportOptions, importTables } from '../../recording/import/import-csv.ts';
import { ImportNotes } from '../../recording/import/import-notes.ts';
import type { InputFile } from '../../recording/import/input-files.ts';
import { nameWord } from '../../recording/import/market-words.ts';
import { withReadableFiles } from '../../recording/import/packed-files.ts';
import { Quarantine } from '../../recording/import/rows.ts';
import { symbolsIn } from '../../recording/import/symbols.ts';
import { requireLocal } from '../../recording/remote-storage.ts';
import { checkCommand } from '../base/text.ts';
import { filesAt, intervalOption, plural, seriesSummary, wrapped } from './cli-text.ts';
import { filesPreview, noteLines, rowsPreview } from './import-preview.ts';
import { symbolPairs } from './import-symbols.ts';

export interface DataImportOptions {
  readonly dataDir: string;
  /** The recording; not needed for a dry run. */
  readonly name?: string | undefined;
  /** Not needed with `split`. */
  readonly symbol?: string | undefined;
  readonly kind: SeriesKind;
  /** The length of the bars, such as `1m`, `4h`, `1d`; default: detected from the data. */
  readonly interval?: string | undefined;
  readonly time?: 'open' | 'close' | undefined;
  /** The format of the files; default: detected from the files. */
  readonly format?: string | undefined;
  /** `name=header` pairs; an entry can have several, separated by commas. */
  readonly columns?: readonly string[] | undefined;
  /** The symbol to import, spelled as in the files. */
  readonly only?: string | undefined;
  /** Words of the files that mean the symbol, separated by commas. */
  readonly symbolIs?: string | undefined;
  /** `name=unit` pairs of quantities, separated by commas. */
  readonly unit?: string | undefined;
  /** Makes a series of each symbol. Text has pairs separated by commas: the symbol in the files, `=`, Tidegate's symbol. */
  readonly split?: boolean | string | undefined;
  /** The file for rows that cannot be imported. */
  readonly quarantine?: string | undefined;
  /** The largest share of the rows that may be in the quarantine, such as `1%`. */
  readonly quarantineMax?: string | undefined;
  /** The number of decimal places to which all prices are rounded. */
  readonly decimals?: string | undefined;
  /** The format of all times. */
  readonly dateFormat?: string | undefined;
  /** The zone of times without an offset. */
  readonly zone?: string | undefined;
  readonly decimalMark?: 'comma' | 'point' | undefined;
  /** Multiplies prices, or quantities. */
  readonly priceFactor?: string | undefined;
  readonly quantityFactor?: string | undefined;
  /** The quantity of quotes without sizes. */
  readonly quoteQuantity?: string | undefined;
  /** Prints what would be read, and writes nothing. */
  readonly dryRun?: boolean | undefined;
  readonly replace?: boolean | undefined;
  /** Adds the rows after the last one of an existing series. */
  readonly append?: boolean | undefined;
}

type FileOptions = Omit<ImportOptions, 'dataDir' | 'name' | 'files' | 'symbol'>;

/** A series that an import has stored: the rows that it added. */
export interface ImportedSeries {
  readonly meta: SeriesMeta;
  /** The Parquet file. */
  readonly file: string;
  readonly findings: readonly Finding[];
}

/**
 * Imports files as one series, or one of each symbol, and prints a summary and the findings of a check.
 * @returns the stored series; none for a dry run, and none of a symbol whose rows are all there already.
 */
export async function dataImport(
  files: readonly string[],
  options: DataImportOptions,
  print: (line: string) => void,
): Promise<readonly ImportedSeries[]> {
  const { dataDir, kind, split, dryRun, replace } = options;
  if (options.append && replace) throw new TidegateError('USAGE', '--append and --replace exclude each other');
  requireLocal(dataDir, 'an import');
  const wanted = fileOptions(options);
  const paths = files.flatMap(filesAt);
  if (options.symbol === undefined && split === undefined)
    throw new TidegateError(
      'USAGE',
      '--symbol is needed: BASE-QUOTE for spot, BASE-QUOTE-PERP for futures; --split takes the symbols of the files',
    );
  if (split !== undefined && (options.symbol ?? options.only ?? options.quarantine) !== undefined)
    throw new TidegateError('USAGE', '--split makes a series of each symbol; expected no --symbol, --only or --quarantine with it');
  if (options.name === undefined && dryRun !== true)
    throw new TidegateError('USAGE', '--name is needed: the recording that receives the series; --dry-run works without it');
  return await withReadableFiles(paths, kind, async (places, tables) => {
    const all = { ...wanted, files: places, tables };
    const imports: Import[] =
      split === undefined ? [{ ...all, symbol: options.symbol!, only: options.only }] : await splitImports(all, split);
    if (dryRun !== true) return await keep(imports, { dataDir, name: options.name!, replace }, options, print);
    for (const one of imports) await preview(one, options, print);
    return [];
  });
}

/** An import of each symbol: by the names of the files if each names a market, else by a column of symbols. */
async function splitImports(files: Omit<Import, 'symbol'>, split: boolean | string): Promise<Import[]> {
  const given = typeof split === 'string' ? split : '';
  const wordOf = (place: (typeof files.files)[number]) => nameWord(typeof place === 'string' ? place : place.path)?.text;
  const words = [...new Set(files.files.map(wordOf))].filter((word) => word !== undefined).sort();
  if (files.files.some((place) => wordOf(place) === undefined))
    return symbolPairs(await symbolsIn({ ...files, symbol: 'BASE-QUOTE' }), given).map((pair) => ({ ...files, ...pair }));
  return symbolPairs(words, given).map(({ symbol, only }) => ({
    ...{ ...files, symbol, symbolIs: [...(files.symbolIs ?? []), only!] },
    files: files.files.filter((place) => wordOf(place) === only),
  }));
}

type Import = Omit<ImportOptions, 'dataDir' | 'name'>;

async function keep(
  imports: readonly Import[],
  target: { readonly dataDir: string; readonly name: string; readonly replace: boolean | undefined },
  options: DataImportOptions,
  print: (line: string) => void,
): Promise<readonly ImportedSeries[]> {
  const { dataDir, name } = target;
  const quarantineMax = shareOption('--quarantine-max', options.quarantineMax);
  const quarantine = options.quarantine === undefined ? undefined : new Quarantine(options.quarantine, target.replace ?? false);
  const parts: ImportedPart[] = [];
  for (const own of imports) {
    const grown = options.append ? await openGrown(dataDir, name, own) : [];
    parts.push({ own, grown, notes: notesOf(options), files: [], isNew: true });
  }
  const append = options.append ? parts.flatMap(({ grown }) => grown.map(({ place }) => place)) : undefined;
  const checks: ReturnType<typeof watchSeries>[] = [];
  const watch = (meta: SeriesMeta) => {
    const check = watchSeries(meta);
    checks.push(check);
    return check.update;
  };
  const kept = await whole(quarantine, () =>
    keepSeries({ ...target, append, watch }, async (staging) => {
      const metas: SeriesMeta[] = [];
      for (const part of parts) {
        const { own, notes } = part;
        const onFiles = (files: readonly InputFile[]) => {
          part.files = files;
        };
        const after = (length: number | undefined) => seriesOf(part, length);
        const meta = await importTables({ ...staging, ...own, quarantine, quarantineMax, notes, onFiles, after });
        part.isNew = meta !== undefined;
        if (meta !== undefined) metas.push(meta);
      }
      return metas;
    }),
  );
  const known = parts.filter(({ isNew }) => !isNew).length;
  if (known > 0) {
    const many = parts[0]!.own.files.length > 1;
    const what = parts.length > 1 ? `rows of ${plural(known, 'symbol')}` : `rows of the ${many ? 'files' : 'file'}`;
    print(`nothing to add: ${name} has all ${what} already`);
  }
  let errors = 0;
  const imported: ImportedSeries[] = [];
  for (const [index, part] of parts.filter(({ isNew }) => isNew).entries()) {
    const { series, file } = kept[index]!;
    const findings = checks[index]!.findings();
    printKept(part, kept[index]!, quarantine, print);
    errors += printFindings(findings, print);
    imported.push({ meta: series.meta, file, findings });
  }
  if (errors > 0) print(`${plural(errors, 'error')} in the data: "${checkCommand([name], dataDir)}" shows this again`);
  return imported;
}

/** The import of one series. */
interface ImportedPart {
  readonly own: Import;
  /** The existing series to which it may add rows. */
  readonly grown: readonly GrownSeries[];
  readonly notes: ImportNotes;
  files: readonly InputFile[];
  /** True if the files have rows that the series does not have. */
  isNew: boolean;
}

const seriesOf = ({ grown }: ImportedPart, length: number | undefined) => grown.find(({ place }) => place.intervalMs === length)?.series;

function printKept(
  part: ImportedPart,
  { series, file }: KeptSeries,
  quarantine: Quarantine | undefined,
  print: (line: string) => void,
): void {
  print(seriesSummary(series.meta));
  print(`written to ${file}`);
  const before = seriesOf(part, series.meta.intervalMs);
  if (before !== undefined) for (const line of grownLines(before.meta, series.meta)) print(line);
  for (const line of noteLines(part.files, part.notes)) print(line);
  if (quarantine !== undefined) print(`${plural(quarantine.count, 'row')} not imported, listed in ${quarantine.path}`);
}

/** A series to which rows may be added, and its place. */
interface GrownSeries {
  readonly place: SeriesPlace;
  readonly series: StoredSeries;
}

/**
 * Opens the series of a recording to which new rows may be added. If the length of bars is not given, these are all series of bars of
 * the symbol.
 * @throws TidegateError DATA_INVALID for a series that a recorder still writes; DATA_CORRUPT.
 */
async function openGrown(dataDir: string, name: string, { symbol, kind, intervalMs }: SeriesId): Promise<GrownSeries[]> {
  const recording = (await listRecordings(dataDir)).find((candidate) => candidate.name === name);
  const places = (recording?.series ?? []).filter(
    (place) => place.symbol === symbol && place.kind === kind && (intervalMs === undefined || place.intervalMs === intervalMs),
  );
  const grown: GrownSeries[] = [];
  for (const place of places) {
    if (place.files.some(isOpenLog))
      throw new TidegateError('DATA_INVALID', `${name} ${seriesTitle(place)}: a recorder writes this series; stop it before you append`);
    grown.push({ place, series: await openSeriesAt(dataDir, place) });
  }
  return grown;
}

/** Lines about a series after rows were added to it. */
function grownLines(before: SeriesMeta, added: SeriesMeta): string[] {
  const gapMs = added.firstTime - before.lastTime - (added.intervalMs ?? 0);
  const isGap = added.intervalMs !== undefined && gapMs > calendarSlackMs(added.intervalMs);
  const end = isoTime(before.lastTime);
  return [
    `added after ${end}: the series has ${plural(before.rows + added.rows, 'row')} now`,
    ...(isGap ? [`warning: no bars between ${end} and ${isoTime(added.firstTime)}`] : []),
  ];
}

/** @returns the number of errors in the data. */
function printFindings(findings: readonly Finding[], print: (line: string) => void): number {
  for (const { severity, text } of findings) for (const line of wrapped(`${severity}: ${text}`, 2)) print(line);
  return findings.filter((finding) => finding.severity === 'error').length;
}

/** Reads the files as an import does, and prints what it would keep. */
async function preview(own: Import, options: DataImportOptions, print: (line: string) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-dry-run-'));
  const quarantine = options.quarantine === undefined ? undefined : new Quarantine(join(folder, 'rows.csv'), true);
  const notes = notesOf(options);
  let files: readonly InputFile[] = [];
  const onFiles = (found: readonly InputFile[]) => {
    files = found;
    for (const line of filesPreview(found)) print(line);
  };
  try {
    const target = { dataDir: folder, name: 'preview', quarantine, quarantineMax: shareOption('--quarantine-max', options.quarantineMax) };
    const meta = await importTables({ ...own, ...target, notes, onFiles });
    if (meta === undefined) return;
    print(seriesSummary(meta));
    for (const line of rowsPreview(join(folder, 'preview', `${seriesFileName(meta)}.bin`), meta)) print(line);
    for (const line of noteLines(files, notes)) print(line);
    if (quarantine !== undefined) print(`${plural(quarantine.count, 'row')} would not be imported${firstOf(quarantine)}`);
    print(`dry run: ${seriesTitle(meta)} can be imported, and nothing was written`);
  } finally {
    quarantine?.abort();
    rmSync(folder, { recursive: true, force: true });
  }
}

const firstOf = ({ first }: Quarantine) => (first === undefined ? '' : `; the first: ${first.message}`);

const notesOf = ({ decimals }: DataImportOptions) => new ImportNotes(decimalsOption(decimals));

/** The options about the files. @throws TidegateError USAGE */
function fileOptions(options: DataImportOptions): FileOptions {
  const { kind, time, dateFormat, zone, format, decimalMark } = options;
  if (kind !== 'bar' && (options.interval !== undefined || time !== undefined)) {
    throw new TidegateError('USAGE', `--interval and --time are for bars, not for ${kind === 'funding' ? kind : `a ${kind}`}`);
  }
  if (kind !== 'quote' && options.quoteQuantity !== undefined)
    throw new TidegateError('USAGE', `--quote-quantity is for quotes, not for ${kind === 'funding' ? kind : `a ${kind}`}`);
  decimalsOption(options.decimals);
  return {
    ...{ kind, time, dateFormat, zone, format, mark: decimalMark, now: Date.now() },
    columns: columnNames(options.columns ?? [], kind),
    symbolIs: options.symbolIs?.split(',').map((text) => text.trim()),
    units: unitsOption(options.unit, kind),
    intervalMs: intervalOption('--interval', options.interval),
    factors: {
      ...definite('price', positiveOption('--price-factor', options.priceFactor)),
      ...definite('quantity', positiveOption('--quantity-factor', options.quantityFactor)),
    },
    quoteQuantity: positiveOption('--quote-quantity', options.quoteQuantity),
  };
}

const definite = <Value>(key: string, value: Value | undefined) => (value === undefined ? {} : { [key]: value });

/** @throws TidegateError USAGE */
function positiveOption(option: string, text: string | undefined): ExactDecimal | undefined {
  if (text === undefined) return undefined;
  const value = parseExactDecimal(text);
  if (value !== undefined && value.digits > 0n && value.decimals <= MAX_DECIMALS) return value;
  throw new TidegateError('USAGE', `${option} "${text}"; expected a decimal above 0, for example 0.01`);
}

/** @throws TidegateError USAGE */
function decimalsOption(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d\d?$/.test(text) && Number(text) <= MAX_DECIMALS) return Number(text);
  throw new TidegateError('USAGE', `--decimals "${text}"; expected a whole number from 0 to ${MAX_DECIMALS}`);
}

/** A share as `1%` or `0.01`. @throws TidegateError USAGE */
function shareOption(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const share = text.endsWith('%') ? Number(text.slice(0, -1)) / 100 : Number(text);
  if (/^\d+(\.\d+)?%?$/.test(text) && share <= 1) return share;
  throw new TidegateError('USAGE', `${option} "${text}"; expected a share from 0% to 100%, for example 5%`);
}

/** Runs the import; keeps the quarantine's file only if it succeeds. */
async function whole<T>(quarantine: Quarantine | undefined, work: () => Promise<T>): Promise<T> {
  try {
    const done = await work();
    quarantine?.finish();
    return done;
  } catch (error) {
    quarantine?.abort();
    throw error;
  }
}

/** Units of quantities. @throws TidegateError USAGE */
function unitsOption(text: string | undefined, kind: SeriesKind): Units {
  const known = SERIES_COLUMNS[kind].filter(({ unit }) => unit === 'quantity').map(({ name }) => name);
  const units: Record<string, Unit> = {};
  for (const pair of text?.split(',') ?? []) {
    const [name = '', unit = ''] = pair.split('=').map((part) => part.trim());
    if (!known.includes(name) || !UNITS.includes(unit as Unit))
      throw new TidegateError(
        'USAGE',
        `--unit "${pair}"; expected <name>=<unit>, where name is one of ${known.join(', ') || '(none of this kind)'} and unit one of ${UNITS.join(', ')}`,
      );
    units[name] = unit as Unit;
  }
  return units;
}

function columnNames(entries: readonly string[], kind: SeriesKind): Record<string, string> {
  const known = ['time', 'symbol', ...SERIES_COLUMNS[kind].map((column) => column.name)];
  const names: Record<string, string> = {};
  for (const entry of entries.flatMap((text) => text.split(','))) {
    const at = entry.indexOf('=');
    const name = entry.slice(0, Math.max(at, 0)).trim();
    const header = entry.slice(at + 1).trim();
    if (!known.includes(name) || header === '') {
      throw new TidegateError('USAGE', `--columns "${entry}"; expected <name>=<header>, where name is one of ${known.join(', ')}`);
    }
    names[name] = header;
  }
  return names;
}
