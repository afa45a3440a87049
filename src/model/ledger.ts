import type { Decimal } from './decimal.ts';

/** Where an asset is kept: futures collateral apart from everything else. */
export type Wallet = 'spot' | 'futures';

/**
 * Why an asset moved. `trade`: bought or sold (spot, netting). Futures collateral: `profit` realised by a close,
 * `funding`, `liquidationFee`, and `insurance`, by which the fund pays what a liquidation left below zero. `transfer`:
 * between wallets or accounts, `foreign`: by orders that are not ours, `unexplained`: found moved, and nothing the venue shows says why.
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

/** One movement of one asset. The entries of an asset sum to its balance, to the last digit. */
export interface LedgerEntry {
  readonly asset: string;
  readonly amount: Decimal;
  readonly reason: LedgerReason;
  /** The fill that caused it; empty for deposits and funding. */
  readonly fillId: string;
}

/** What an account holds of one asset in one wallet; `available` is `total - frozen`. */
export interface Balance {
  readonly wallet: Wallet;
  readonly asset: string;
  /** Futures: shared collateral and isolated margins together, unrealised profit apart. */
  readonly total: Decimal;
  /** Reserved by open orders; futures: also the margin of open positions. */
  readonly frozen: Decimal;
}
