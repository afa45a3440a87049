import { Decimal } from '../../../model/decimal.ts';
import type { RiskLimits } from '../../../risk/limits.ts';
import type { Config } from '../../config/schema.ts';

/** The limits of a config as risk takes them. */
export function riskLimits({ account, orders, positions }: Config['risk']): RiskLimits {
  const decimal = (text: string | undefined) => (text === undefined ? undefined : new Decimal(text));
  const fraction = (text: string | undefined) => (text === undefined ? undefined : Number(text));
  return {
    maxDrawdown: fraction(account.maxDrawdown),
    maxExposure: decimal(account.maxExposure),
    maxLeverage: decimal(account.maxLeverage),
    maxMarginUse: fraction(account.maxMarginUse),
    minLiquidationDistance: fraction(account.minLiquidationDistance),
    maxOpenOrders: account.maxOpenOrders,
    orderRate: account.orderRate,
    priceCollar: decimal(orders.priceCollar),
    maxQuantity: decimal(orders.maxQuantity),
    maxNotional: decimal(orders.maxNotional),
    maxPosition: new Map(Object.entries(positions).map(([symbol, limit]) => [symbol, new Decimal(limit)])),
  };
}
