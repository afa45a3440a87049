import type { SpotAccount } from '../../matching/accounts/spot-account.ts';
import type { FuturesAccount } from '../../matching/futures/futures-account.ts';
import { Decimal, ZERO } from '../../model/decimal.ts';
import { invariant } from '../../model/errors.ts';

/** The wallets of an account: for spot orders, for no trading, and for futures collateral. */
export type WalletName = 'spot' | 'funding' | 'futures';
export const WALLET_NAMES = ['spot', 'funding', 'futures'] as const satisfies readonly WalletName[];
export type Wallets<T> = Readonly<Record<WalletName, T>>;

/** One wallet of an account. Amounts are in the coin. */
export interface Wallet {
  /** The amount that can be withdrawn now. */
  available(coin: string): Decimal;
  /** From outside, or (below zero) to outside. */
  deposit(time: number, coin: string, amount: Decimal): void;
  /** From, or (below zero) to, another wallet of this exchange. */
  transfer(time: number, coin: string, amount: Decimal): void;
  /** Freezes an outgoing amount; below zero, releases it. Futures collateral does not have this. */
  freeze(time: number, coin: string, amount: Decimal): void;
}

/** Money with which nothing trades. The simulator does not have it. */
export class FundingWallet implements Wallet {
  readonly #total = new Map<string, Decimal>();
  readonly #frozen = new Map<string, Decimal>();

  get coins(): string[] {
    return [...this.#total.keys()];
  }

  total(coin: string): Decimal {
    return this.#total.get(coin) ?? ZERO;
  }

  available(coin: string): Decimal {
    return this.total(coin).minus(this.#frozen.get(coin) ?? ZERO);
  }

  deposit(_time: number, coin: string, amount: Decimal): void {
    const total = this.total(coin).plus(amount);
    invariant(!total.isNegative(), 'a funding wallet is never overdrawn');
    this.#total.set(coin, total);
  }

  transfer(time: number, coin: string, amount: Decimal): void {
    this.deposit(time, coin, amount);
  }

  freeze(_time: number, coin: string, amount: Decimal): void {
    const frozen = (this.#frozen.get(coin) ?? ZERO).plus(amount);
    invariant(!frozen.isNegative(), 'no more is released than was frozen');
    this.#frozen.set(coin, frozen);
  }
}

/** The spot half of a matching account as a wallet. */
export function spotWallet(account: SpotAccount): Wallet {
  const post = (time: number, coin: string, amount: Decimal) => account.deposit(time, 'spot', coin, amount);
  return {
    available: (coin) => account.ledger.available(coin),
    deposit: post,
    transfer: post,
    freeze: (time, coin, amount) => account.ledger.freeze(time, coin, amount),
  };
}

/** The futures half: the free part of the shared collateral can be withdrawn, without unrealised profit. */
export function futuresWallet(account: FuturesAccount): Wallet {
  return {
    available: (coin) => {
      const { free, balance, initial, orders } = account.margin(coin);
      const shared = account.collateralRecords().find(({ currency, mode }) => currency === coin && mode === 'shared');
      const cash = (shared?.legacyAmount ?? balance).minus(initial).minus(orders);
      return Decimal.max(ZERO, Decimal.min(free, cash));
    },
    deposit: (time, coin, amount) => account.deposit(time, 'futures', coin, amount),
    transfer: (time, coin, amount) => account.transfer(time, coin, amount),
    freeze: () => invariant(false, 'futures collateral is set aside by positions and orders alone'),
  };
}
