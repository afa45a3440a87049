import type { Market } from 'ccxt';
import { TidegateError } from '../../../model/errors.ts';
import type { DatedTerms } from '../../instruments/terms-file.ts';
import { marketNames } from './market-names.ts';
import { loadCcxt, openExchange } from './open-exchange.ts';

/** ccxt's ways to say how finely prices and quantities are told: by places after the point, or by the step itself. */
const DECIMAL_PLACES = 2;
const TICK_SIZE = 4;

/**
 * What ccxt knows of these instruments on an exchange now, as terms from a moment on: steps, fees of the lowest tier, limits.
 * @param url in place of the exchange's addresses.
 * @throws TidegateError DATA_NOT_FOUND where it does not list one, or does not tell its steps; USAGE for an exchange that ccxt does not know.
 */
export async function marketTerms(
  exchange: string,
  url: string | undefined,
  symbols: readonly string[],
  from: number,
): Promise<DatedTerms[]> {
  const client = openExchange(await loadCcxt(), exchange, url);
  const markets = (await client.loadMarkets()) as Readonly<Record<string, Market>>;
  return symbols.map((symbol) => {
    const market = markets[marketNames(symbol).market];
    if (market === undefined) throw new TidegateError('DATA_NOT_FOUND', `${exchange} does not list ${symbol}: name others with --symbol`);
    return { symbol, from, settings: settingsOf(market, client.precisionMode, `${exchange}: ${symbol}`) };
  });
}

/** ccxt counts quantities of contracts in contracts; ours are in the base. */
function settingsOf(market: NonNullable<Market>, mode: number | undefined, place: string): Record<string, string> {
  if (market.contract === true && Number(market.contractSize ?? 1) !== 1) {
    throw new TidegateError('DATA_NOT_FOUND', `${place}: a contract of ${market.contractSize} ${market.base}: write its terms by hand`);
  }
  const { price, amount } = market.precision;
  const stated = {
    makerFee: market.maker,
    takerFee: market.taker,
    minQuantity: market.limits.amount?.min,
    maxQuantity: market.limits.amount?.max,
    minNotional: market.limits.cost?.min,
    maxNotional: market.limits.cost?.max,
  };
  const known = Object.entries(stated).filter(
    ([key, value]) => value !== undefined && value !== null && (key.endsWith('Fee') || Number(value) > 0),
  );
  return {
    tickSize: step(price, mode, `${place}: its tick`),
    stepSize: step(amount, mode, `${place}: its step`),
    ...Object.fromEntries(known.map(([key, value]) => [key, plain(value)])),
  };
}

function step(precision: unknown, mode: number | undefined, what: string): string {
  const told = precision !== undefined && precision !== null;
  if (told && mode === TICK_SIZE) return plain(precision);
  if (told && mode === DECIMAL_PLACES) return Number(precision) === 0 ? '1' : `0.${'1'.padStart(Number(precision), '0')}`;
  throw new TidegateError('DATA_NOT_FOUND', `${what} is not told: write its terms by hand`);
}

/** A number of ccxt's, which may be text, as decimal text without an exponent. */
function plain(value: unknown): string {
  const text = String(value);
  return /e/i.test(text)
    ? Number(text)
        .toFixed(18)
        .replace(/\.?0+$/, '')
    : text;
}
