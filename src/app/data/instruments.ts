import type { ExchangeClient } from '../../exchange/client/exchange-client.ts';
import type { PayloadOf } from '../../exchange/operations/operations.ts';
import { wireSymbol } from '../../exchange/symbols.ts';
import { Decimal } from '../../model/decimal.ts';
import { TidegateError } from '../../model/errors.ts';
import { isoTime } from '../../model/time.ts';
import { findRecording } from '../../recording/catalogue/find-recording.ts';
import { requireLocal } from '../../recording/remote-storage.ts';
import { accessOf, exchangeClient } from '../access/access-settings.ts';
import { instrumentsOf } from '../config/complete-instruments.ts';
import { type DatedTerms, readTerms, termsPath, writeTerms } from '../config/instrument-terms.ts';
import { type LoadedConfig, type ReadConfig, readConfig } from '../config/load-config.ts';
import { marketTerms } from './ccxt.ts';
import { alignedLines, plural, timeOption } from './cli-text.ts';

export interface DataInstrumentsOptions {
  readonly dataDir: string;
  /** A config with a live section, or the base URL of the spot host. */
  readonly fromExchange?: string | undefined;
  /** An exchange as ccxt names it, in place of the exchange's own API. */
  readonly fromCcxt?: string | undefined;
  /** In place of the addresses that ccxt knows. */
  readonly url?: string | undefined;
  readonly symbol?: readonly string[] | undefined;
  /** From when on the exchange's terms count, ISO 8601; now, if absent. */
  readonly from?: string | undefined;
}

/**
 * Lists the terms beside a recording, after asking the exchange for those of now where that is wanted: terms that are the same as the
 * latest ones known are not written again.
 * @throws TidegateError DATA_NOT_FOUND, USAGE, CONFIG_INVALID; ExchangeError where the exchange cannot be asked.
 */
export async function dataInstruments(
  name: string,
  options: DataInstrumentsOptions,
  now: () => number,
  print: (line: string) => void,
): Promise<void> {
  const { fromExchange, fromCcxt, url } = options;
  if (fromExchange !== undefined && fromCcxt !== undefined)
    throw new TidegateError('USAGE', '--from-exchange and --from-ccxt: expected one of them');
  if (fromExchange !== undefined || fromCcxt !== undefined) requireLocal(options.dataDir, 'terms');
  const { folder, series } = await findRecording(options.dataDir, name);
  const { path, terms } = await readTerms(folder);
  let known = terms;
  if (fromExchange !== undefined || fromCcxt !== undefined) {
    const from = options.from === undefined ? now() : timeOption('--from', options.from);
    const symbols = options.symbol ?? [...new Set(series.map(({ symbol }) => symbol))];
    const asked =
      fromExchange === undefined ? await marketTerms(fromCcxt!, url, symbols, from) : await askExchange(fromExchange, symbols, from);
    const fresh = asked.filter((one) => !isKnown(one, terms));
    known = [...terms.filter((one) => !fresh.some(({ symbol, from: time }) => one.symbol === symbol && one.from === time)), ...fresh];
    if (fresh.length > 0) {
      const target = termsPath(folder);
      if (!target.endsWith('.json'))
        throw new TidegateError(
          'DATA_EXISTS',
          `${path}: is written by hand; new terms are written to instruments.json alone: rename or complete it`,
        );
      writeTerms(target, known);
    }
    print(
      `the exchange told terms of ${plural(asked.length, 'instrument')}, ${fresh.length === 0 ? 'all' : asked.length - fresh.length} known already`,
    );
    const untold = symbols.filter((symbol) => !asked.some((one) => one.symbol === symbol));
    for (const symbol of untold) print(`${symbol}: the exchange's API tells no terms of contracts: write them to ${path} by hand`);
  }
  if (known.length === 0) print(`no terms: ${path} is not there, or empty`);
  else printTerms(known, print);
}

async function askExchange(place: string, symbols: readonly string[], from: number): Promise<DatedTerms[]> {
  const isUrl = /^https?:\/\//.test(place);
  const live = isUrl ? undefined : anyTerms(readConfig(place, { env: process.env })).config.live;
  const client = exchangeClient(accessOf({ spotUrl: isUrl ? place : undefined }, {}, live && { ...live, keys: {} }), live);
  try {
    return await exchangeTerms(client, symbols, from);
  } finally {
    await client.close();
  }
}

/** What a config lacks may be the very thing that is asked for: of it only the exchange's place is wanted here. */
function anyTerms({ value, check }: ReadConfig): LoadedConfig {
  const instruments = Object.entries(instrumentsOf(value) ?? {}).map(([symbol, own]) => [symbol, { tickSize: '1', stepSize: '1', ...own }]);
  return check({ value: { ...value, instruments: Object.fromEntries(instruments) }, complaints: [] });
}

/** Whether these terms hold already at their time. */
function isKnown({ symbol, from, settings }: DatedTerms, terms: readonly DatedTerms[]): boolean {
  const latest = terms.findLast((one) => one.symbol === symbol && one.from <= from);
  return latest !== undefined && Object.entries(settings).every(([key, value]) => latest.settings[key] === value);
}

type Listing = PayloadOf<'exchangeInfo'>[number];

/**
 * What the exchange lists of these spot instruments, as terms from a moment on.
 * @param symbols perpetuals among them are left out: the exchange's API tells no terms of contracts.
 * @throws TidegateError DATA_NOT_FOUND where it does not list one.
 */
async function exchangeTerms(client: ExchangeClient, symbols: readonly string[], from: number): Promise<DatedTerms[]> {
  const listed = new Map((await client.exchangeInfo()).map((one) => [one.symbol.toUpperCase(), one]));
  return symbols
    .filter((symbol) => !symbol.endsWith('-PERP'))
    .map((symbol) => {
      const listing = listed.get(wireSymbol(symbol).toUpperCase());
      if (listing !== undefined) return { symbol, from, settings: settingsOfListing(listing) };
      throw new TidegateError(
        'DATA_NOT_FOUND',
        `the exchange does not list ${symbol}: name others with --symbol, or write its terms by hand`,
      );
    });
}

/** The exchange says "no limit" by an empty text or zero. */
function settingsOfListing({
  tickSize,
  stepSize,
  makerFeeRate,
  takerFeeRate,
  minTradeAmount,
  maxTradeAmount,
}: Listing): Record<string, string> {
  const limits = { minQuantity: minTradeAmount, maxQuantity: maxTradeAmount };
  const stated = Object.entries(limits).filter(([, text]) => text !== '' && new Decimal(text).gt(0));
  return { tickSize, stepSize, makerFee: makerFeeRate, takerFee: takerFeeRate, ...Object.fromEntries(stated) };
}

const TERM_COLUMNS = ['tickSize', 'stepSize', 'makerFee', 'takerFee', 'minQuantity', 'maxQuantity'];

function printTerms(terms: readonly DatedTerms[], print: (line: string) => void): void {
  const rows = [...terms]
    .sort((a, b) => (a.symbol === b.symbol ? a.from - b.from : a.symbol < b.symbol ? -1 : 1))
    .map(({ symbol, from, settings }) => [symbol, isoTime(from), ...TERM_COLUMNS.map((key) => String(settings[key] ?? ''))]);
  for (const line of alignedLines([['symbol', 'from', ...TERM_COLUMNS], ...rows])) print(line);
}
