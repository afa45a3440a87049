import type { SeriesKind } from '../../columns/series-meta.ts';
import { namesMarket } from '../market-words.ts';
import { ALIASES, normalised, sideMeaning, WEAK_SIDE_HEADERS } from './csv-aliases.ts';
import { lookOf } from './csv-line.ts';

/** Words of a side, in lower case: 1 is a buy or a bid, -1 a sell or an ask, 0 unknown. */
export const SIDES: ReadonlyMap<string, number> = new Map([
  ...['buy', 'b', 'bid', 'bids', '1', 'buyer'].map((text) => [text, 1] as const),
  ...['sell', 's', 'ask', 'asks', 'a', '-1', 'seller'].map((text) => [text, -1] as const),
  ...['', '0', 'unknown', 'n', 'none', 'null', 'nan', 'na'].map((text) => [text, 0] as const),
]);
/** Words that are a side under any header. */
const SURE_SIDES = new Set(['buy', 'sell', 'bid', 'ask', 'bids', 'asks', 'buyer', 'seller']);

/** The columns of a file's first rows. */
export interface Columns {
  readonly headers: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

function valuesOf({ rows }: Columns, index: number): readonly string[] {
  return rows.map((row) => row[index] ?? '').filter((value) => value !== '');
}

/**
 * The column of sides in a file whose headers name none for sure: one with a likely name and values of sides, or with nothing but `buy` and `sell`.
 */
export function sideByValues(columns: Columns, isFree: (index: number) => boolean): number {
  const fits = (index: number, isLikely: boolean) => {
    const header = columns.headers[index]!;
    const meaning = sideMeaning(header);
    const values = valuesOf(columns, index).map((value) => value.toLowerCase());
    if (!isFree(index) || values.length === 0) return false;
    if (meaning === 'isBuy' || meaning === 'isSell') return values.every((value) => /^(true|false|t|f|0|1)$/.test(value));
    return values.every((value) => (isLikely ? SIDES.has(value) : SURE_SIDES.has(value))) && values.some((value) => SIDES.get(value) !== 0);
  };
  const indices = columns.headers.map((_, index) => index);
  const likely = indices.find((index) => WEAK_SIDE_HEADERS.includes(normalised(columns.headers[index]!)) && fits(index, true));
  return likely ?? indices.find((index) => fits(index, false)) ?? -1;
}

/** Headers of texts about a row, which do not say whose row it is. */
const ABOUT_ROWS =
  /type|kind|flag|cond|status|state|action|event|direct|side|aggress|taker|maker|tick|time|date|day|zone|note|comment|liquid|hash|uuid|guid|url|period|interval|frame|resolution|unit|(?<!instr|produ)id$|misc|reason|class|sector|session/;

/** Headers of texts that are those of one source in the whole file. */
const SOURCES =
  /^(exchange|venue|source|feed|provider|broker|asset|name|code|sym|stock|security|underlying|baseasset|quoteasset)(name|code|id)?$/;

/** Text columns that may say whose rows these are. */
export interface Owners {
  /** Columns in which each value names a market. */
  readonly markets: readonly number[];
  /** Columns with a few different words. */
  readonly words: readonly number[];
  /** Columns of an exchange or a vendor, with one word so far. */
  readonly same: readonly number[];
}

/** Finds the text columns that may say whose rows these are. @param isFree whether a column has no other meaning. */
export function ownerColumns(columns: Columns, isFree: (index: number) => boolean): Owners {
  const markets: number[] = [];
  const words: number[] = [];
  const same: number[] = [];
  for (const [index, header] of columns.headers.entries()) {
    const values = isFree(index) ? valuesOf(columns, index) : [];
    if (values.length === 0 || !values.every(isWord)) continue;
    const distinct = new Set(values);
    const isFew =
      distinct.size > 1 && 2 * distinct.size <= values.length && [...distinct].every((value) => value.length > 1 && !isSide(value));
    if ([...distinct].every(namesMarket)) markets.push(index);
    else if (isFew && !ABOUT_ROWS.test(normalised(header))) words.push(index);
    else if (distinct.size === 1 && SOURCES.test(normalised(header))) same.push(index);
  }
  return { markets, words, same };
}

const isSide = (value: string) => SIDES.has(value.toLowerCase());

function isWord(value: string): boolean {
  return value.length <= 40 && /\p{L}/u.test(value) && lookOf(value) === 'h' && !/^[[{]|^(nan|null|none|inf)$/i.test(value);
}

/**
 * The column of a table with one column for each symbol that has this one's prices.
 * @returns undefined for another table; -1 where no header names the symbol.
 */
export function ownColumn(kind: SeriesKind, columns: Columns, symbol: string, isOwn: (header: string) => boolean): number | undefined {
  if (kind !== 'ticker' && kind !== 'mark' && kind !== 'funding') return undefined;
  const aliases = Object.values(ALIASES[kind]).flat();
  const rest = columns.headers.map((header, index) => ({ header, index })).slice(1);
  const isTicker = ({ header, index }: (typeof rest)[number]) =>
    /^[A-Z][A-Z0-9.=^/_-]{0,19}$/.test(header) &&
    (header.length === 1 || !aliases.includes(normalised(header))) &&
    valuesOf(columns, index).every((value) => lookOf(value) === 'n');
  if (rest.length < 2 || !rest.every(isTicker) || !rest.some(({ header }) => header.length > 1)) return undefined;
  const [base] = symbol.split('-');
  return rest.find(({ header }) => header === base || isOwn(header))?.index ?? -1;
}
