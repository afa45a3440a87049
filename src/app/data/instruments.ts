import { isDeepStrictEqual } from 'node:util';
import type { ExchangeClient } from '../../exchange/client/exchange-client.ts';
import { contractValues } from '../../exchange/listed-values.ts';
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
  /** An exchange by its name in ccxt, instead of the exchange's own API. */
  readonly fromCcxt?: string | undefined;
  /** Replaces the addresses of ccxt. */
  readonly url?: string | undefined;
  readonly symbol?: readonly string[] | undefined;
  /** The time from which the exchange's terms are valid, ISO 8601; default: now. */
  readonly from?: string | undefined;
}

/**
 * Lists the terms of a recording. With `--from-exchange` or `--from-ccxt` it first requests the present terms and adds those that differ
 * from the latest known ones.
 * @throws TidegateError DATA_NOT_FOUND, USAGE, CONFIG_INVALID; ExchangeError if the request fails.
 */
export async function dataInstruments(
  name: string,
  options: DataInstrumentsOptions,
  now: () => number,
  print: (line: string) => void,
): Promise<void> {
  const { fromExchange, fromCcxt, url } = options;
  if (fromExchange !== undefined && fromCcxt !== undefined)
    throw new TidegateError('USAGE', '--from-exchange and --from-ccxt: use only one of them');
  if (fromExchange !== undefined || fromCcxt !== undefined) requireLocal(options.dataDir, 'terms');
  const { folder, series } = await findRecording(options.dataDir, name);
  const { path, terms } = await readTerms(folder);
  let known = terms;
  if (fromExchange !== undefined || fromCcxt !== undefined) {
    const from = options.from === undefined ? now() : timeOption('--from', options.from);
    const symbols = options.symbol ?? [...new Set(series.map(({ symbol }) => symbol))];
    const requested =
      fromExchange === undefined ? await marketTerms(fromCcxt!, url, symbols, from) : await requestTerms(fromExchange, symbols, from);
    const received = requested.map((one) => withMargin(one, terms));
    const fresh = received.filter((one) => !isKnown(one, terms));
    known = [...terms.filter((one) => !fresh.some(({ symbol, from: time }) => one.symbol === symbol && one.from === time)), ...fresh];
    if (fresh.length > 0) {
      const target = termsPath(folder);
      if (!target.endsWith('.json'))
        throw new TidegateError(
          'DATA_EXISTS',
          `${path}: new terms can only be added to instruments.json: convert this file to JSON, or add the terms yourself`,
        );
      writeTerms(target, known);
    }
    print(
      `received the terms of ${plural(received.length, 'instrument')}, ${fresh.length === 0 ? 'all' : received.length - fresh.length} already known`,
    );
    const missing = symbols.filter((symbol) => !received.some((one) => one.symbol === symbol));
    for (const symbol of missing)
      print(
        `${symbol}: no address of the exchange's contracts: name a config with live.contractBaseUrl, or write its terms to ${path} yourself`,
      );
  }
  if (known.length === 0) print(`no terms: ${path} does not exist, or is empty`);
  else printTerms(known, print);
}

async function requestTerms(place: string, symbols: readonly string[], from: number): Promise<DatedTerms[]> {
  const isUrl = /^https?:\/\//.test(place);
  const live = isUrl ? undefined : anyTerms(readConfig(place, { withoutBacktest: true, env: process.env })).config.live;
  const access = accessOf({ spotUrl: isUrl ? place : undefined }, {}, live && { ...live, keys: {} });
  const client = exchangeClient(access, live);
  const hosts = { spot: access.spotBaseUrl !== undefined, futures: access.contractBaseUrl !== undefined };
  try {
    return await exchangeTerms(
      client,
      symbols.filter((symbol) => hosts[symbol.endsWith('-PERP') ? 'futures' : 'spot']),
      from,
    );
  } finally {
    await client.close();
  }
}

/** Checks a config with placeholders for missing terms: the command may request just these, and needs only the exchange's address. */
function anyTerms({ value, check }: ReadConfig): LoadedConfig {
  const instruments = Object.entries(instrumentsOf(value) ?? {}).map(([symbol, own]) => [symbol, { tickSize: '1', stepSize: '1', ...own }]);
  return check({ value: { ...value, instruments: Object.fromEntries(instruments) }, complaints: [] });
}

/** Whether the recording already has the same terms for their time. */
function isKnown({ symbol, from, settings }: DatedTerms, terms: readonly DatedTerms[]): boolean {
  const latest = terms.findLast((one) => one.symbol === symbol && one.from <= from);
  return latest !== undefined && Object.entries(settings).every(([key, value]) => isDeepStrictEqual(latest.settings[key], value));
}

/** No exchange lists maintenance margins here: new terms of a contract keep those of the latest ones. */
function withMargin(fresh: DatedTerms, terms: readonly DatedTerms[]): DatedTerms {
  const latest = terms.findLast(({ symbol, from }) => symbol === fresh.symbol && from <= fresh.from);
  const contract = { ...(latest?.settings.contract as object | undefined), ...(fresh.settings.contract as object | undefined) };
  return Object.keys(contract).length === 0 ? fresh : { ...fresh, settings: { ...fresh.settings, contract } };
}

type Listing = PayloadOf<'exchangeInfo'>[number];

/**
 * Requests the terms of instruments from the exchange, valid from `from`.
 * @throws TidegateError DATA_NOT_FOUND if it does not list a symbol.
 */
async function exchangeTerms(client: ExchangeClient, symbols: readonly string[], from: number): Promise<DatedTerms[]> {
  const isContract = (symbol: string) => symbol.endsWith('-PERP');
  const pairs = symbols.every(isContract) ? [] : await client.exchangeInfo();
  const contracts = symbols.some(isContract) ? await client.contracts() : [];
  const listed = new Map<string, Record<string, unknown>>([
    ...pairs.map((one) => [one.symbol.toUpperCase(), settingsOfListing(one)] as const),
    ...contracts.map((one) => [one.symbol.toUpperCase(), settingsOfContract(one)] as const),
  ]);
  return symbols.map((symbol) => {
    const settings = listed.get(wireSymbol(symbol).toUpperCase());
    if (settings !== undefined) return { symbol, from, settings };
    throw new TidegateError(
      'DATA_NOT_FOUND',
      `the exchange does not list ${symbol}: select listed symbols with --symbol, or write its terms yourself`,
    );
  });
}

function settingsOfContract(record: PayloadOf<'contracts'>[number]): Record<string, unknown> {
  const { tickSize, stepSize, minQuantity, limits } = contractValues(record);
  const { makerFeeRate: makerFee, takerFeeRate: takerFee, contract_val: value } = record;
  const most = limits.most === undefined ? {} : { maxQuantity: limits.most };
  return { tickSize, stepSize, makerFee, takerFee, minQuantity, ...most, contract: { value } };
}

/** The settings of a listing. An empty text or zero means "no limit". */
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
