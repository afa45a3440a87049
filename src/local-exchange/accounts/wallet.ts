import type { Decimal } from '../../model/decimal.ts';

/** Where an account keeps money: what spot orders use, what nothing trades with, and futures collateral. */
export type WalletName = 'spot' | 'funding' | 'futures';
export const WALLET_NAMES = ['spot', 'funding', 'futures'] as const satisfies readonly WalletName[];
export type Wallets<T> = Readonly<Record<WalletName, T>>;

/** One wallet of an account. Amounts are in the coin. */
export interface Wallet {
  /** What may leave it now. */
  available(coin: string): Decimal;
  /** From outside, or (below zero) to outside. */
  deposit(time: number, coin: string, amount: Decimal): void;
  /** From, or (below zero) to, another wallet of this exchange. */
  transfer(time: number, coin: string, amount: Decimal): void;
  /** Sets aside what is on its way out; below zero, gives it back. Futures collateral has no such thing. */
  freeze(time: number, coin: string, amount: Decimal): void;
}
