import type { Instrument } from '../../model/instrument.ts';

/** One blockchain over which a coin moves; operation 1 shows it, nothing here uses it. */
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

/** Ids of the real exchange, as far as they are known. */
const KNOWN_IDS: Readonly<Record<string, number>> = { BTC: 1, USDT: 2 };

/** The coins that are named, then those that instruments and balances mention, each with an id of its own. */
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
