import { Decimal } from '../model/decimal.ts';
import type { LossPerTrade } from './limits.ts';

/** What one trade may lose now, in the account's currency. @param equity asked for only where the limit is a share of it. */
export function lossLimit({ amount, share }: LossPerTrade, equity: () => Decimal): Decimal {
  const ofEquity = share === undefined ? undefined : Decimal.max(equity().times(share), 0);
  if (amount === undefined || ofEquity === undefined) return amount ?? ofEquity ?? new Decimal(Number.POSITIVE_INFINITY);
  return Decimal.min(amount, ofEquity);
}
