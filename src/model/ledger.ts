import type { Decimal } from './decimal.ts';

export type LedgerReason = 'deposit' | 'trade' | 'fee';

/** One movement of one asset. The entries of an asset sum to its balance, to the last digit. */
export interface LedgerEntry {
  readonly asset: string;
  readonly amount: Decimal;
  readonly reason: LedgerReason;
  /** The fill that caused it; empty for deposits. */
  readonly fillId: string;
}

/** What an account holds of one asset; `available` is `total - frozen`. */
export interface Balance {
  readonly asset: string;
  readonly total: Decimal;
  /** Reserved by open orders. */
  readonly frozen: Decimal;
}
