import { TidegateError } from '../../model/errors.ts';
import { isoTime } from '../../model/time.ts';
import { findRecording, type RecordingPlace } from '../../recording/catalogue/find-recording.ts';
import { openRecording } from '../../recording/catalogue/open-recording.ts';
import type { SeriesMeta } from '../../recording/columns/series-meta.ts';
import { type DatedTerms, readTerms, type TermsFile } from './instrument-terms.ts';
import { aboutKey, type Complaint } from './reading/problems.ts';
import { instant } from './schema/fields.ts';

/** The time for which terms are searched if nothing is recorded. It selects the newest terms; the run is refused later without data. */
const LATEST = 253_402_300_799_999;

type Settings = Readonly<Record<string, unknown>>;

/** A config's plain value with the terms that were valid at the start of its backtest. */
interface Completed {
  readonly value: Record<string, unknown>;
  /** One for each instrument whose terms neither the config nor a recording has. */
  readonly complaints: readonly Complaint[];
  /** One for each change of terms during the run. */
  readonly warnings: readonly string[];
  /** Symbols whose tick comes from a recording. */
  readonly datedTicks: ReadonlySet<string>;
}

/**
 * Completes `instruments` with the terms in the folders of the recordings of `backtest.data` that are valid when the run begins: at
 * `backtest.from`, else at the first recorded time of the instrument. Settings in the config override them. Without `instruments`, the
 * symbols of the strategies are used. The schema reports values that are wrong in themselves.
 * @throws TidegateError CONFIG_INVALID for an invalid file of terms; DATA_UNREACHABLE.
 */
export async function completeInstruments(value: Record<string, unknown>): Promise<Completed> {
  const { dataDir, backtest, account } = value;
  const untouched = { value, complaints: [], warnings: [], datedTicks: new Set<string>() };
  const instruments = instrumentsOf(value);
  if (!isMap(backtest) || !isMap(instruments) || typeof dataDir !== 'string') return untouched;
  const recordings = await recordingsOf(dataDir, backtest.data);
  if (recordings.length === 0) return untouched;
  const files = await Promise.all(recordings.map(({ folder }) => readTerms(folder)));
  if (files.every(({ terms }) => terms.length === 0) && Object.values(instruments).every(hasGrids)) return untouched;
  const metas = await metasOf(dataDir, recordings, Object.keys(instruments));
  const period = { from: instant.safeParse(backtest.from).data, to: instant.safeParse(backtest.to).data };
  const complaints: Complaint[] = [];
  const warnings: string[] = [];
  const datedTicks = new Set<string>();
  const entries = Object.entries(instruments).map(([symbol, own]): [string, unknown] => {
    if (own !== null && own !== undefined && !isMap(own)) return [symbol, own];
    const { from, to } = rangeOf(metas, symbol, period);
    const found = files.map((file) => ({ file, terms: termsAt(file.terms, symbol, from) })).find(({ terms }) => terms !== undefined);
    const filled = merged(own ?? {}, found?.terms?.settings ?? {}, isMap(account) && account.kind === 'futures');
    if (found?.terms !== undefined) {
      const taken = Object.keys(filled).filter((key) => own?.[key] === undefined);
      if (taken.includes('tickSize')) datedTicks.add(symbol);
      warnings.push(...changes(found.file, found.terms, taken, to));
    }
    const missing = ['tickSize', 'stepSize'].filter((key) => filled[key] === undefined);
    if (missing.length > 0) complaints.push(aboutKey(['instruments', symbol], lacking(symbol, missing, from, files)));
    return [symbol, filled];
  });
  return { value: { ...value, instruments: Object.fromEntries(entries) }, complaints, warnings, datedTicks };
}

/** Merges the config's settings over the recording's. `maintenance` and `tiers` of a contract exclude each other. */
function merged(own: Settings, { contract: recorded, ...terms }: Settings, futures: boolean): Settings {
  const filled = { ...terms, ...own };
  if (!futures || !isMap(recorded)) return filled;
  const { contract = {} } = own;
  if (!isMap(contract)) return filled;
  const { maintenance, tiers, ...rest } = recorded;
  const margin = 'maintenance' in contract || 'tiers' in contract ? {} : { maintenance, tiers };
  const stated = Object.entries({ ...rest, ...margin, ...contract }).filter(([, setting]) => setting !== undefined);
  return { ...filled, contract: Object.fromEntries(stated) };
}

function termsAt(terms: readonly DatedTerms[], symbol: string, time: number): DatedTerms | undefined {
  return terms.findLast((one) => one.symbol === symbol && one.from <= time);
}

function changes({ path, terms }: TermsFile, start: DatedTerms, taken: readonly string[], to: number): string[] {
  const later = terms.filter(({ symbol, from }) => symbol === start.symbol && from > start.from && from < to);
  return later.flatMap(({ symbol, from, settings }) => {
    const changed = taken.filter((key) => JSON.stringify(settings[key]) !== JSON.stringify(start.settings[key]));
    if (changed.length === 0) return [];
    return [
      `${symbol}: ${changed.join(', ')} changed at ${isoTime(from)}, during the run (${path}): the whole run uses the terms of its start`,
    ];
  });
}

function lacking(symbol: string, missing: readonly string[], time: number, files: readonly TermsFile[]): string {
  const paths = files.map(({ path }) => path).join(' and ');
  return `${missing.join(' and ')} missing, and ${paths} has no terms of ${symbol} for ${isoTime(time)}: set them here, or add terms to that file ("tidegate data instruments")`;
}

/** Finds the recordings. The planner reports those that cannot be opened. */
async function recordingsOf(dataDir: string, data: unknown): Promise<RecordingPlace[]> {
  const names = [data].flat().filter((name) => typeof name === 'string');
  try {
    return await Promise.all(names.map((name) => findRecording(dataDir, name)));
  } catch (error) {
    // If the storage cannot be reached now, the planner need not try again to report it.
    if (error instanceof TidegateError && error.code !== 'DATA_UNREACHABLE') return [];
    throw error;
  }
}

/** The metadata of all recorded series of these symbols. */
async function metasOf(dataDir: string, recordings: readonly RecordingPlace[], symbols: readonly string[]): Promise<SeriesMeta[]> {
  const opened = await Promise.all(recordings.map(({ name }) => openRecording(dataDir, name, symbols)));
  return opened.flatMap(({ series }) => series.map(({ meta }) => meta));
}

/** The time range in which a run needs the terms of an instrument, epoch ms. Without a series of its own, the range of all others. */
function rangeOf(metas: readonly SeriesMeta[], symbol: string, period: { from?: number | undefined; to?: number | undefined }) {
  const own = metas.filter((meta) => meta.symbol === symbol);
  const series = own.length > 0 ? own : metas;
  return {
    from: period.from ?? Math.min(...series.map(({ firstTime }) => firstTime), LATEST),
    to: period.to ?? Math.max(...series.map(({ lastTime }) => lastTime)),
  };
}

function hasGrids(own: unknown): boolean {
  return isMap(own) && own.tickSize !== undefined && own.stepSize !== undefined;
}

/** The instruments of a config's plain value; without any, the symbols of its strategies without settings, references last. */
export function instrumentsOf({ instruments, strategies }: Settings): unknown {
  if (instruments !== undefined) return instruments;
  if (!Array.isArray(strategies)) return undefined;
  const listed = (key: 'symbols' | 'references') =>
    strategies.flatMap((strategy) => (isMap(strategy) && Array.isArray(strategy[key]) ? strategy[key] : []));
  const symbols = [...listed('symbols'), ...listed('references')];
  return Object.fromEntries(symbols.filter((symbol) => typeof symbol === 'string').map((symbol) => [symbol, {}]));
}

function isMap(value: unknown): value is Settings {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
