import { readFileSync } from 'node:fs';
import { TidegateError } from '../../model/errors.ts';
import { isSymbol } from '../../model/instrument.ts';
import { MARKET_EVENT_KINDS } from '../../model/market-events.ts';
import { maxPriceDecimals } from '../import/decimals.ts';
import type { ClockOffset, SeriesKind, SeriesMeta } from './series-meta.ts';

type Candidate = { readonly [Field in keyof SeriesMeta]?: unknown };

const CLOCK_FIELDS: readonly (keyof ClockOffset)[] = ['rows', 'early', 'least', 'median', 'greatest', 'first', 'last'];

const RULES: readonly (readonly [keyof SeriesMeta, string, (meta: Candidate) => boolean])[] = [
  ['version', '1', (meta) => meta.version === 1],
  ['symbol', 'BASE-QUOTE or BASE-QUOTE-PERP', (meta) => typeof meta.symbol === 'string' && isSymbol(meta.symbol)],
  ['kind', `one of ${MARKET_EVENT_KINDS.join(', ')}`, (meta) => MARKET_EVENT_KINDS.some((kind) => kind === meta.kind)],
  ['intervalMs', 'a length on bars alone', (meta) => (meta.kind === 'bar' ? isCount(meta.intervalMs, 1) : meta.intervalMs === undefined)],
  ['rows', 'a whole number above 0', (meta) => isCount(meta.rows, 1)],
  ['firstTime', 'epoch ms', (meta) => Number.isFinite(meta.firstTime)],
  ['lastTime', 'epoch ms', (meta) => Number.isFinite(meta.lastTime)],
  [
    'priceDecimals',
    '0 to 15 (18 of marks and funding)',
    (meta) => isCount(meta.priceDecimals, 0) && Number(meta.priceDecimals) <= mostDecimals(meta),
  ],
  ['quantityDecimals', '0 to 15', (meta) => isCount(meta.quantityDecimals, 0) && Number(meta.quantityDecimals) <= 15],
  ['priceStep', 'decimal text', (meta) => typeof meta.priceStep === 'string'],
  ['sha256', '64 hex digits', (meta) => typeof meta.sha256 === 'string' && /^[0-9a-f]{64}$/.test(meta.sha256)],
  ['source', 'a list of file names', (meta) => Array.isArray(meta.source)],
  ['clock', 'offsets in ms', (meta) => meta.clock === undefined || isClock(meta.clock)],
];

/**
 * Reads the meta file of a series.
 * @throws TidegateError DATA_CORRUPT naming the file, the field and what was expected.
 */
export function readSeriesMeta(path: string): SeriesMeta {
  return parseSeriesMeta(readFileSync(path, 'utf8'), path);
}

/**
 * Checks the JSON of a series.
 * @param path what it was read from.
 * @throws TidegateError DATA_CORRUPT naming the file, the field and what was expected.
 */
export function parseSeriesMeta(text: string, path: string): SeriesMeta {
  let meta: Candidate;
  try {
    meta = JSON.parse(text) as Candidate;
  } catch (cause) {
    throw new TidegateError('DATA_CORRUPT', `${path}: not readable as the JSON of a series; import the series again`, { cause });
  }
  const broken = meta === null || typeof meta !== 'object' ? RULES[0] : RULES.find(([, , holds]) => !holds(meta));
  if (broken) throw new TidegateError('DATA_CORRUPT', `${path}: "${broken[0]}" should be ${broken[1]}; import the series again`);
  return meta as SeriesMeta;
}

function mostDecimals({ kind }: Candidate): number {
  return maxPriceDecimals(kind as SeriesKind);
}

function isClock(clock: unknown): boolean {
  const offset = (clock ?? {}) as Candidate & Record<string, unknown>;
  return CLOCK_FIELDS.every((field) => Number.isFinite(offset[field]));
}

function isCount(value: unknown, least: number): boolean {
  return Number.isSafeInteger(value) && Number(value) >= least;
}
