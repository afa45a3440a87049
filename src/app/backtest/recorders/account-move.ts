import type { LedgerReason } from '../../../model/ledger.ts';
import type { BalanceChanged } from '../../../model/order-events.ts';
import type { AccountMove } from '../../../statistics/comparison/compared-run.ts';

/** What fills tell by themselves. */
const OF_FILLS: ReadonlySet<LedgerReason> = new Set(['trade', 'fee', 'profit']);

/** What moved a balance, where that was no fill of the account's own orders. */
export function accountMoveOf({ time, entry }: BalanceChanged): AccountMove | undefined {
  if (entry === undefined || OF_FILLS.has(entry.reason)) return undefined;
  const { asset, amount, reason } = entry;
  return { time, asset, amount, reason: reason as AccountMove['reason'] };
}
