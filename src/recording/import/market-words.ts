import { basename } from 'node:path';
import { isSymbol } from '../../model/instrument.ts';
import { quoted, RowError } from './rows.ts';

/** A market as the texts of exchanges and vendors name it. */
interface Market {
  readonly base: string;
  /** Undefined where the text names none: `BTC-PERP`. */
  readonly quote: string | undefined;
  readonly contract: 'perpetual' | 'dated' | undefined;
  /** Either asset may be the base: `BTC_ETH`. */
  readonly unclear?: boolean;
}

/** Assets in which prices are quoted, longest first. Next to another asset they are the quote, whatever the order: `KRW-BTC`. */
const MONEY = [
  ...['FDUSD', 'USDT', 'USDC', 'BUSD', 'TUSD', 'USDD', 'USD1', 'USD', 'DAI'],
  ...['EUR', 'GBP', 'JPY', 'KRW', 'TRY', 'BRL', 'AUD', 'CAD', 'CHF', 'IDR', 'INR', 'MXN', 'NZD', 'SGD', 'HKD', 'ZAR', 'UAH', 'PLN'],
];
const COINS_OF_PRICES = ['BTC', 'XBT', 'ETH', 'BNB'];
const QUOTES = [...MONEY, ...COINS_OF_PRICES];
/** Other names of one asset. */
const NAMES: Readonly<Record<string, string>> = {
  ...{ XBT: 'BTC', XDG: 'DOGE', BITCOIN: 'BTC', ETHEREUM: 'ETH', SOLANA: 'SOL', RIPPLE: 'XRP' },
  ...{ LITECOIN: 'LTC', DOGECOIN: 'DOGE', CARDANO: 'ADA' },
};
const named = (asset: string) => NAMES[asset] ?? asset;

const PERPETUAL = /(?:[-_.](?:PERP|PERPETUAL|SWAP|P|UMCBL|DMCBL|CMCBL)|(?<=USD|USDT|USDC)M|(?<=^[A-Z]{2,6})PERP)$/;
const DATED = /[-_](?:\d{6}|\d{8}|\d{1,2}[A-Z]{3}\d\d)$/;

/**
 * The market that a text names in any of the usual forms: `BTCUSDT`, `BTC/USDT:USDT`, `KRW-BTC`, `BTC-PERPETUAL`, `XXBTZUSD`, `tBTCUSD`,
 * `PF_XBTUSD`, `X:BTCUSD`, `BTCUSDT.BINANCE`. Undefined for other texts.
 */
export function marketOf(text: string): Market | undefined {
  const bitfinex = /^t([A-Z0-9]{3,}:[A-Z0-9]{3,}|[A-Z0-9]{6,8})$/.exec(text.trim())?.[1]?.replace(':', '-');
  let plain = (bitfinex ?? text.trim())
    .toUpperCase()
    .replace(/=X$/, '')
    .replace(/^(?:[A-Z]+:)(?=[A-Z0-9]{5,}(\.P)?$)/, '');
  plain = plain.replace(/(?<=[A-Z0-9])\.[A-Z_]{3,}$/, (venue) => (venue === '.PERP' ? venue : ''));
  const settled = /^([A-Z0-9]+)\/([A-Z0-9]+):([A-Z0-9]+)(-\d{6})?$/.exec(plain);
  if (settled !== null) return market(settled[1]!, settled[2]!, settled[4] === undefined ? 'perpetual' : 'dated');
  const kraken = /^(P|F)[FI]_([A-Z0-9]{5,}?)(_\d{6})?$/.exec(plain);
  if (kraken !== null) plain = kraken[2]!;
  const isDated = kraken?.[1] === 'F' || (kraken === null && DATED.test(plain));
  const isPerpetual = kraken?.[1] === 'P' || PERPETUAL.test(plain);
  const contract = isDated ? 'dated' : isPerpetual ? 'perpetual' : undefined;
  const isDeribit = /^[A-Z]+-(?:PERPETUAL|\d{1,2}[A-Z]{3}\d\d)$/.test(plain);
  const assets = plain.replace(DATED, '').replace(PERPETUAL, '');
  const [first = '', second, ...more] = assets.split(/[-_/ ]/);
  if (more.length > 0 || !/^[A-Z0-9]{1,20}$/.test(first)) return undefined;
  if (second !== undefined) return /^[A-Z0-9]{1,20}$/.test(second) && /[A-Z]/.test(second) ? ofPair(first, second, contract) : undefined;
  const old = /^X([A-Z]{3})[XZ]([A-Z]{3})$/.exec(first);
  if (old !== null) return market(old[1]!, old[2]!, contract);
  const ends = QUOTES.filter((end) => first.endsWith(end) && first.length > end.length);
  // `XBTUSD` is XBT in USD, not XB in TUSD.
  const quote = [3, 2].map((least) => ends.find((end) => first.length >= end.length + least)).find((end) => end !== undefined);
  if (quote !== undefined) return market(first.slice(0, -quote.length), quote, contract);
  return contract === undefined ? undefined : market(first, isDeribit ? 'USD' : undefined, contract);
}

const market = (base: string, quote: string | undefined, contract: Market['contract']): Market => ({
  ...{ base: named(base), quote: quote === undefined ? undefined : named(quote), contract },
});

function ofPair(first: string, second: string, contract: Market['contract']): Market | undefined {
  const [own, other] = [rankOf(first), rankOf(second)];
  if (own <= other) return market(first, second, contract);
  // Upbit and Poloniex write the quote first; of two coins, others do not.
  const isClear = own === MOST || (own === LIKE_BITCOIN && other === 0);
  return { ...market(second, first, contract), ...(!isClear && { unclear: true }) };
}

const MOST = 3;
const LIKE_BITCOIN = 2;

/** How surely an asset is the quote of a pair. */
function rankOf(asset: string): number {
  if (MONEY.includes(asset)) return MOST;
  return named(asset) === 'BTC' ? LIKE_BITCOIN : COINS_OF_PRICES.includes(asset) ? 1 : 0;
}

/** Tidegate's symbol for the name of a market; undefined for dated futures and for names that leave the quote or the order open. */
export function symbolOf(text: string): string | undefined {
  const found = marketOf(text);
  if (found?.quote === undefined || found.contract === 'dated' || found.unclear === true) return undefined;
  const symbol = `${found.base}-${found.quote}${found.contract === undefined ? '' : '-PERP'}`;
  return isSymbol(symbol) ? symbol : undefined;
}

/** True for a text that names a market with a known quote: `okex-swap` is none. */
export function namesMarket(text: string): boolean {
  return /^[A-Za-z0-9:/_. -]{5,40}$/.test(text) && QUOTES.includes(marketOf(text)?.quote ?? '');
}

/**
 * Whether a text names another market than `symbol`. A text that names none, such as a number, does not.
 * @param isName the text is known to be a name, so that one of capitals is an asset or a ticker: `AAPL`.
 */
function isOther(symbol: string, text: string, isName: boolean): boolean {
  const [base = '', quote = '', perpetual] = symbol.split('-').map(named);
  const found = marketOf(text);
  const plain = text.trim().toUpperCase();
  if (found === undefined) {
    // A ticker may end with its exchange: `AAPL.US`.
    const word = /^([A-Z]{1,6})(?:[.=^-][A-Z0-9]+)?$/.exec(text.trim())?.[1] ?? (plain in NAMES ? plain : undefined);
    return isName && word !== undefined && named(word) !== base;
  }
  // The name of the whole symbol may be that of its base: a share `ABCUSD`.
  if (named(plain) === base) return false;
  const isTurned = found.unclear === true && found.base === quote && found.quote === base;
  if (found.contract !== undefined && (perpetual === undefined || found.contract === 'dated')) return true;
  return !isTurned && (found.base !== base || (found.quote !== undefined && found.quote !== quote));
}

/** A word of a file about its market. */
export interface MarketWord {
  readonly text: string;
  /** Where it is: `the name of the file`, `its column "symbol"`. */
  readonly where: string;
  readonly isName: boolean;
}

/** The user's symbol, and the words of the files that mean it. */
export interface MeantSymbol {
  readonly symbol: string;
  readonly symbolIs?: readonly string[] | undefined;
}

/** @throws TidegateError DATA_INVALID naming both where a word names another market than the symbol. */
export function requireMarket(path: string, words: readonly MarketWord[], { symbol, symbolIs = [] }: MeantSymbol): void {
  const other = words.find(({ text, isName }) => !symbolIs.includes(text) && isOther(symbol, text, isName));
  if (other === undefined) return;
  const own = symbolOf(other.text);
  const advice = own === undefined || own === symbol ? '' : `; --symbol ${own} imports it as that`;
  const problem = `${other.where} says ${quoted(other.text)}, and --symbol says ${symbol}${advice}; --symbol-is "${other.text}" says that this is ${symbol}`;
  throw new RowError(path, 1, undefined, problem);
}

/** Words in names of files: only capitals are a market there, or a known coin. */
const IN_NAMES =
  /(?<![A-Za-z0-9])(?=\d*[A-Za-z])(?:[A-Z0-9]{2,12}[-_/](?:USDT|USDC|FDUSD|BUSD|USD|EUR|KRW|BTC|ETH)(?:[-_](?:PERP|SWAP|PERPETUAL))?|[A-Z0-9]{2,12}-PERPETUAL|[A-Z0-9]{5,20}(?:_PERP)?|(?:btc|eth|sol|xrp|ltc|doge|ada|bnb)[-_]?(?:usdt|usdc|usd|eur))(?![A-Za-z0-9])/g;

/** The market in the name of a file, or of a member of an archive; undefined where it names none, or several. */
export function nameWord(path: string): MarketWord | undefined {
  const name = basename(path).replace(/\.[a-z0-9]+(\.[a-z0-9]+)?$/, '');
  const found = new Set([...name.matchAll(IN_NAMES)].map(([text]) => text).filter(namesMarket));
  const [text] = found;
  return found.size === 1 ? { text: text!, where: 'the name of the file', isName: false } : undefined;
}
