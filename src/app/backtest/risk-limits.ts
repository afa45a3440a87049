import { Decimal } from '../../model/decimal.ts';
import type { RiskLimits } from '../../risk/limits.ts';
import type { Config } from '../config/schema.ts';

/** The limits of a config as risk takes them. */
export function riskLimits({ account, orders, positions }: Config['risk']): RiskLimits {
  const decimal = (text: string | undefined) => (text === undefined ? undefined : new Decimal(text));
  return {
    maxDrawdown: account.maxDrawdown === undefined ? undefined : Number(account.maxDrawdown),
    maxExposure: decimal(account.maxExposure),
    maxOpenOrders: account.maxOpenOrders,
    orderRate: account.orderRate,
    priceCollar: decimal(orders.priceCollar),
    maxQuantity: decimal(orders.maxQuantity),
    maxNotional: decimal(orders.maxNotional),
    maxPosition: new Map(Object.entries(positions).map(([symbol, limit]) => [symbol, new Decimal(limit)])),
  };
}
