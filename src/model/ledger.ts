import type { Decimal } from './decimal.ts';

/** The wallet of an asset: futures collateral is separate from everything else. */
export type Wallet = 'spot' | 'futures';

/**
 * Why an asset moved. `trade`: bought or sold (spot, netting). Futures collateral: `profit` realised by a close,
 * `funding`, `liquidationFee`, and `insurance`, with which the fund pays a balance below zero after a liquidation. `transfer`:
 * between wallets or accounts, `foreign`: by foreign orders, `unexplained`: the balance changed and nothing at the venue shows why.
 */
export type LedgerReason =
  | 'deposit'
  | 'trade'
  | 'fee'
  | 'profit'
  | 'funding'
  | 'liquidationFee'
  | 'insurance'
  | 'transfer'
  | 'foreign'
  | 'unexplained';

/** One movement of one asset. The entries of an asset sum exactly to its balance. */
export interface LedgerEntry {
  readonly asset: string;
  readonly amount: Decimal;
  readonly reason: LedgerReason;
  /** The fill that caused it; empty for deposits and funding. */
  readonly fillId: string;
}

/** The balance of one asset in one wallet; `available` is `total - frozen`. */
export interface Balance {
  readonly wallet: Wallet;
  readonly asset: string;
  /** Futures: shared collateral and isolated margins together, without unrealised profit. */
  readonly total: Decimal;
  /** Frozen by open orders; futures: also the margin of open positions. */
  readonly frozen: Decimal;
}
