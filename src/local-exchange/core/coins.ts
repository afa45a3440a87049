import { Decimal } from '../../model/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import { MONEY_PLACES } from '../../model/margin.ts';
import type { MarketView } from './market-view.ts';

/** One blockchain of a coin. Operation 1 shows it; nothing here uses it. */
export interface CoinChain {
  /** `undefined` for the single native chain. */
  readonly chain?: string | undefined;
  readonly needTag?: boolean | undefined;
  readonly withdraw?: boolean | undefined;
  readonly deposit?: boolean | undefined;
  /** Decimal text, in the coin. */
  readonly withdrawFee?: string | undefined;
  readonly minDeposit?: string | undefined;
  readonly minWithdraw?: string | undefined;
  /** Blocks. */
  readonly depositConfirmations?: number | undefined;
  readonly withdrawConfirmations?: number | undefined;
  readonly browserUrl?: string | undefined;
}

export interface Coin {
  readonly id: number;
  readonly name: string;
  /** Whether internal withdrawals of it are possible. */
  readonly transfer: boolean;
  readonly chains: readonly CoinChain[];
}

/** Ids of the real exchange that are known. */
const KNOWN_IDS: Readonly<Record<string, number>> = { BTC: 1, USDT: 2 };

/** The configured coins, then those of instruments and balances, each with an id of its own. */
export function coinsOf(named: readonly Coin[], instruments: readonly Instrument[], mentioned: readonly string[]): Coin[] {
  const coins = [...named];
  const taken = new Set([...coins.map(({ id }) => id), ...Object.values(KNOWN_IDS)]);
  let next = 3;
  for (const name of [...instruments.flatMap(({ base, quote }) => [base, quote]), ...mentioned]) {
    if (coins.some((coin) => coin.name === name)) continue;
    while (taken.has(next)) next++;
    const id = KNOWN_IDS[name] ?? next;
    taken.add(id);
    coins.push({ id, name, transfer: true, chains: [{}] });
  }
  return coins;
}

const USDT = 'USDT';

const ONE = new Decimal(1);

/** The coin in which trades of several coins are summed: USDT, or the first quote if nothing trades for USDT. */
export function sumCoin(instruments: readonly Instrument[]): string {
  const quotes = instruments.map(({ quote }) => quote);
  return quotes.includes(USDT) ? USDT : (quotes[0] ?? USDT);
}

/**
 * The value of one `coin` in another at the last price of an instrument between the two, whichever is its base;
 * `undefined` if there is none, or no price yet.
 */
export function worthOf(coin: string, other: string, views: readonly MarketView[]): Decimal | undefined {
  if (coin === other) return ONE;
  for (const { instrument, known, lastTicks } of views) {
    if (!known) continue;
    const { base, quote, tick } = instrument;
    if (base === coin && quote === other) return tick.toDecimal(lastTicks);
    if (base === other && quote === coin) return ONE.div(tick.toDecimal(lastTicks)).toDecimalPlaces(MONEY_PLACES);
  }
  return undefined;
}
