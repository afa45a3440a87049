import { TidegateError } from '../../model/errors.ts';
import { isoTime } from '../../model/time.ts';
import { findRecording, type RecordingPlace } from '../../recording/catalogue/find-recording.ts';
import { openRecording } from '../../recording/catalogue/open-recording.ts';
import type { SeriesMeta } from '../../recording/columns/series-meta.ts';
import { type DatedTerms, readTerms, type TermsFile } from './instrument-terms.ts';
import { aboutKey, type Complaint } from './reading/problems.ts';
import { instant } from './schema/fields.ts';

/** Where nothing at all is recorded, the newest terms: the run is refused for its data. */
const LATEST = 253_402_300_799_999;

type Settings = Readonly<Record<string, unknown>>;

/** A config's plain value with the terms of the time of its backtest. */
interface Completed {
  readonly value: Record<string, unknown>;
  /** Instruments of which neither the config nor a recording has the terms. */
  readonly complaints: readonly Complaint[];
  /** Terms that change inside the run. */
  readonly warnings: readonly string[];
  /** Symbols whose tick is a recording's. */
  readonly datedTicks: ReadonlySet<string>;
}

/**
 * Fills in what `instruments` leaves out from the files beside the recordings of `backtest.data`, by the time at which the run
 * begins: `backtest.from`, or else the first time that is recorded of the instrument. What stands in the config wins. Without
 * `instruments`, those of the strategies are meant. Anything that is not sound in itself is left to the schema.
 * @throws TidegateError CONFIG_INVALID for a file of terms that is wrong; DATA_UNREACHABLE.
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

/** The config's own settings over the recording's; a contract's two ways to say its maintenance margin exclude each other. */
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
      `${symbol}: ${changed.join(', ')} changed at ${isoTime(from)}, inside the run, by ${path}: the terms of its start are used throughout`,
    ];
  });
}

function lacking(symbol: string, missing: readonly string[], time: number, files: readonly TermsFile[]): string {
  const paths = files.map(({ path }) => path).join(' and ');
  return `no ${missing.join(' and ')} here, and no terms of ${symbol} for ${isoTime(time)} in ${paths}: write them here, or there ("tidegate data instruments")`;
}

/** Recordings that cannot be opened are the planner's to complain about. */
async function recordingsOf(dataDir: string, data: unknown): Promise<RecordingPlace[]> {
  const names = [data].flat().filter((name) => typeof name === 'string');
  try {
    return await Promise.all(names.map((name) => findRecording(dataDir, name)));
  } catch (error) {
    // Storage that cannot be asked now is not asked again to say so.
    if (error instanceof TidegateError && error.code !== 'DATA_UNREACHABLE') return [];
    throw error;
  }
}

/** What is recorded of these symbols. */
async function metasOf(dataDir: string, recordings: readonly RecordingPlace[], symbols: readonly string[]): Promise<SeriesMeta[]> {
  const opened = await Promise.all(recordings.map(({ name }) => openRecording(dataDir, name, symbols)));
  return opened.flatMap(({ series }) => series.map(({ meta }) => meta));
}

/** From when to when a run needs the terms of an instrument, epoch ms; of one that is not recorded, as of the others. */
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

/** The instruments of a config's plain value; where it has none, those that its strategies trade, without settings. */
export function instrumentsOf({ instruments, strategies }: Settings): unknown {
  if (instruments !== undefined) return instruments;
  if (!Array.isArray(strategies)) return undefined;
  const symbols = strategies.flatMap((strategy) => (isMap(strategy) && Array.isArray(strategy.symbols) ? strategy.symbols : []));
  return Object.fromEntries(symbols.filter((symbol) => typeof symbol === 'string').map((symbol) => [symbol, {}]));
}

function isMap(value: unknown): value is Settings {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
