import { SERIES_COLUMNS, type SeriesKind } from '../../columns/series-meta.ts';
import { marketOf } from '../market-words.ts';
import { quoted, RowError } from '../rows.ts';
import { LIKE_AMOUNT, normalised, type Unit, type Units, volumeAsset } from './csv-aliases.ts';
import type { CsvField, LayoutSettings } from './csv-fields.ts';
import { type NumberForm, plainNumber } from './csv-numbers.ts';

/** The column of the price at which a quantity was traded, by kind and by the quantity's name. */
const PRICES: Partial<Record<SeriesKind, Readonly<Record<string, string>>>> = {
  bar: { volume: 'close' },
  trade: { quantity: 'price' },
  depth: { quantity: 'price' },
  quote: { bidQuantity: 'bid', askQuantity: 'ask' },
};

/** How the quantities of a file are read. */
export interface Amounts {
  /** Columns of the series that are divided by a price: that of a quantity, and that of its price. */
  readonly divided: readonly (readonly [quantity: number, price: number])[];
  /** The position of a column that has the base asset, where the one that was found has not. */
  readonly better?: number;
  /** The volume is left out. */
  readonly none?: boolean;
  /** The median of price x volume of bars whose unit is a guess. */
  readonly turnover?: number;
  /** Findings for the user. */
  readonly said: readonly string[];
}

/** A file's columns and first rows, where their meaning is known. */
export interface Measured {
  readonly path: string;
  readonly kind: SeriesKind;
  readonly fields: readonly CsvField[];
  readonly rows: readonly (readonly string[])[];
  readonly numbers: NumberForm;
  /** The market as the file names it. */
  readonly market: string | undefined;
  /** Units that the format has. */
  readonly known: Units;
}

/**
 * Decides the unit of each quantity of a file: by the user, the format, the header, and the values next to those of other columns.
 * @throws TidegateError DATA_INVALID where the unit stays open, or cannot be converted.
 */
export function amountsOf(file: Measured, settings: LayoutSettings): Amounts {
  const divided: [number, number][] = [];
  const said: string[] = [];
  const columns = SERIES_COLUMNS[file.kind];
  const at = (name: string) => columns.findIndex((column) => column.name === name);
  let found: Omit<Amounts, 'divided' | 'said'> = {};
  for (const [name, price] of Object.entries(PRICES[file.kind] ?? {})) {
    const field = file.fields.findIndex(({ column, unit }) => column === at(name) && unit === 'quantity');
    if (field < 0) continue;
    const values = valuesAt(file, field);
    if (values.every((value) => !(value > 0))) continue;
    const named = settings.names[name] !== undefined;
    const prices = pricesOf(file);
    const compared = named ? undefined : columnInBase(file, field, prices, settings);
    const byHeader = unitOfHeader(file.fields[field]!.header, settings.symbol);
    const unit = settings.units?.[name] ?? file.known[name] ?? compared?.unit ?? (named && byHeader === 'quote' ? undefined : byHeader);
    if (named && unit === undefined && byHeader === 'quote')
      said.push(
        `warning: "${file.fields[field]!.header}" is taken as ${settings.symbol.split('-')[0]}; --unit ${name}=quote divides it by the price`,
      );
    if (settings.units?.[name] === undefined && compared?.better !== undefined) {
      const header = file.fields[compared.better]!.header;
      found = { better: compared.better };
      said.push(`${name} from "${header}", which is in the base asset, not from "${file.fields[field]!.header}"`);
    } else if (unit === 'quote') {
      divided.push([at(name), at(price)]);
      said.push(`${name} is in the quote asset: divided by the ${price} of its row, to 8 decimals`);
    } else if (unit === 'ticks') {
      const isWanted = settings.units?.[name] === 'ticks';
      if (!isWanted) found = { none: true };
      said.push(
        isWanted
          ? `${name} counts changes of the price`
          : `${name} is left out: it counts changes of the price; --unit ${name}=ticks takes it`,
      );
    } else if (unit === 'contracts') {
      if (settings.factors?.quantity === undefined) throw openUnit(file, field, name, 'is in contracts', settings);
      said.push(`${name} is in contracts, multiplied by --quantity-factor`);
    } else if (unit === undefined) {
      if (isContract(file.market, settings.symbol) && settings.factors?.quantity === undefined)
        throw openUnit(file, field, name, 'of such contracts may be in contracts, in the quote asset or in the base asset', settings);
      const turnovers = values.map((value, row) => value * prices[row]![1]).filter((value) => value > 0);
      if (file.kind === 'bar') found = { turnover: turnovers.sort((a, b) => a - b)[turnovers.length >> 1] ?? 0 };
    }
  }
  return { divided, said, ...found };
}

/** @returns the error about a quantity whose unit the user has to give. */
function openUnit({ path, fields }: Measured, field: number, name: string, problem: string, { symbol }: LayoutSettings): RowError {
  const [base, quote] = symbol.split('-');
  const { header } = fields[field]!;
  const ways = [
    `--unit ${name}=base: in ${base}`,
    `--quantity-factor 0.01: one contract is 0.01 ${base}`,
    `--unit ${name}=quote: in ${quote}`,
    `with --quantity-factor 100: one contract is 100 ${quote}`,
  ];
  return new RowError(path, 1, header, `its unit is open: ${quoted(header)} ${problem}; ${ways.join('; ')}`);
}

/** Turnover of a day in money that no market has. */
const IMPLAUSIBLE_TURNOVER = 1e13;
const DAY_MS = 86_400_000;
/** Currencies of which a unit is worth little. */
const SMALL_MONEY = /-(JPY|KRW|IDR|INR|VND|CLP|COP|NGN|HUF|RUB|TRY|ARS)(-PERP)?$/;

/** @throws TidegateError DATA_INVALID where the volume of bars cannot be in the base asset. */
export function requirePlausible(path: string, turnover: number | undefined, intervalMs: number, symbol: string): void {
  const limit = Math.max(1, intervalMs / DAY_MS) * IMPLAUSIBLE_TURNOVER * (SMALL_MONEY.test(symbol) ? 10_000 : 1);
  if (turnover === undefined || turnover <= limit) return;
  const problem = `as an amount of ${symbol.split('-')[0]} the volume is worth ${turnover.toExponential(0)} ${symbol.split('-')[1]} a bar; --unit volume=quote: it is in ${symbol.split('-')[1]}; --unit volume=base takes it; --columns volume=none imports without a volume`;
  throw new RowError(path, 1, 'volume', problem);
}

/** True where a quantity may be in contracts: inverse ones, and the swaps of exchanges that count contracts. */
function isContract(market: string | undefined, symbol: string): boolean {
  const named = market === undefined ? undefined : marketOf(market);
  const isInverse = named?.contract === undefined ? /-USD-PERP$/.test(symbol) : named.quote === 'USD';
  return isInverse || (named?.contract !== undefined && /[-_]SWAP$|USD[TC]M$/i.test(market ?? ''));
}

function unitOfHeader(header: string, symbol: string): Unit | undefined {
  const [base, quote] = symbol.split('-');
  const asset = volumeAsset(header);
  if (asset === base) return 'base';
  if (asset === quote) return 'quote';
  const name = normalised(header);
  if (/^(num|n)?(tick|ticks|tickvol|tickvolume|ticksvolume|tickcount)$/.test(name)) return 'ticks';
  if (/contract|^lots?$|^volumelots?$/.test(name)) return 'contracts';
  if (/quote|turnover|notional|usd|(?<!base)cost$|funds/.test(name) && !/home|base/.test(name)) return 'quote';
  return /base|home/.test(name) ? 'base' : undefined;
}

/** Contracts of some amount of quote that exchanges have. */
const CONTRACTS = [1, 10, 100];
/** The largest difference of amounts that are rounded. */
const ROUNDED = 0.002;

/** Compares a quantity with the other amounts of its rows: one divided by the other is a price. */
function columnInBase(
  file: Measured,
  field: number,
  prices: readonly (readonly [least: number, likely: number, most: number])[],
  { symbol, names }: LayoutSettings,
): { readonly unit?: Unit; readonly better?: number } | undefined {
  const own = valuesAt(file, field);
  const isInverse = isContract(file.market, symbol);
  const taken = new Set(Object.values(names));
  const others = file.fields.flatMap(({ unit, header }, index) => {
    // A part of the volume in both assets has the same price.
    const isAmount = LIKE_AMOUNT.test(normalised(header)) && !/taker|buy|sell|bid|ask/.test(normalised(header)) && !taken.has(header);
    return unit === 'skip' && (isAmount || volumeAsset(header) !== undefined) ? [index] : [];
  });
  const all = [...others.map((index) => valuesAt(file, index))];
  /** Whether the first amounts are those of the second in quote. */
  const isQuoteOf = (quote: readonly number[], base: readonly number[], size = 1) => {
    const rows = prices.flatMap((price, row) =>
      quote[row]! > 0 && base[row]! > 0 ? [{ price, ratio: (quote[row]! * size) / base[row]! }] : [],
    );
    return (
      rows.length > 0 && rows.every(({ price: [least, , most], ratio }) => ratio >= least * (1 - ROUNDED) && ratio <= most * (1 + ROUNDED))
    );
  };
  // Where the price is near 1, amounts in both assets are alike.
  if (prices.every(([least, , most]) => least < 1.02 && most > 0.98)) return undefined;
  if (all.some((other) => isQuoteOf(other, own))) return { unit: 'base' };
  for (const [place, other] of all.entries()) {
    const sizes = isInverse ? CONTRACTS : [1];
    const isBase = sizes.some((size) => isQuoteOf(own, other, size)) || all.some((third) => third !== other && isQuoteOf(third, other));
    if (isBase) return { unit: 'quote', better: others[place]! };
  }
  return undefined;
}

/** The prices of each of the first rows: the lowest, that of the quantity, and the highest. */
function pricesOf({ kind, fields, rows, numbers }: Measured): (readonly [number, number, number])[] {
  const columns = SERIES_COLUMNS[kind];
  const at = (name: string) => fields.findIndex(({ column }) => column === columns.findIndex((own) => own.name === name));
  const [least, likely, most] = (
    kind === 'bar' ? ['low', 'close', 'high'] : kind === 'quote' ? ['bid', 'bid', 'ask'] : ['price', 'price', 'price']
  ).map(at);
  return rows.map((row) => [numberAt(row, least!, numbers), numberAt(row, likely!, numbers), numberAt(row, most!, numbers)]);
}

const valuesAt = ({ rows, numbers }: Measured, index: number) => rows.map((row) => numberAt(row, index, numbers));

function numberAt(row: readonly string[], index: number, form: NumberForm): number {
  const text = row[index] ?? '';
  return text === '' ? Number.NaN : Number(plainNumber(text, form) ?? Number.NaN);
}
