import { Decimal } from '../../model/decimal.ts';
import { parseInterval } from '../../model/time.ts';
import type { EquityLimit, LossPerTrade, RiskLimits, ScopeLimits } from '../../risk/limits.ts';
import { minuteOf } from '../config/schema/fields.ts';
import type { Config } from '../config/schema/schema.ts';

type RiskConfig = Config['risk'];

/** The limits of a config in the form of the risk module. */
export function riskLimits({ account, orders, positions, strategies }: RiskConfig): RiskLimits {
  const own = Object.entries(strategies).map(
    ([id, limits]) => [id, { ...scopeLimits(limits, limits.orders, limits.positions), capital: decimal(limits.capital) }] as const,
  );
  const { exitsBelowMinimum } = account;
  return { ...scopeLimits(account, orders, positions), capital: decimal(account.capital), strategies: new Map(own), exitsBelowMinimum };
}

function scopeLimits(
  limits: Omit<RiskConfig['account'], 'capital' | 'exitsBelowMinimum'>,
  { priceCollar, maxQuantity, maxNotional }: RiskConfig['orders'],
  positions: RiskConfig['positions'],
): ScopeLimits {
  const { concentration, cooldown, symbolCooldown, stopLossGuard, errorBudget, tradingWindows } = limits;
  return {
    maxDrawdown: equityLimit(limits.maxDrawdown),
    dailyLoss: equityLimit(limits.dailyLoss),
    maxLossPerTrade: lossPerTrade(limits.maxLossPerTrade),
    cooldown: cooldown && { losses: cooldown.losses, forMs: parseInterval(cooldown.for)! },
    symbolCooldown: symbolCooldown && { after: symbolCooldown.after, forMs: parseInterval(symbolCooldown.for)! },
    stopLossGuard: stopLossGuard && {
      stops: stopLossGuard.stops,
      withinMs: parseInterval(stopLossGuard.within)!,
      forMs: parseInterval(stopLossGuard.for)!,
      scope: stopLossGuard.scope,
    },
    errorBudget: errorBudget && { errors: errorBudget.errors, perMs: errorBudget.perMs, forMs: span(errorBudget.for) },
    concentration: concentration && { symbol: fraction(concentration.symbol), asset: fraction(concentration.asset) },
    tradingWindows: tradingWindows?.map(({ days, from, to, zone }) => ({
      days,
      fromMinute: minuteOf(from),
      toMinute: minuteOf(to),
      zone,
    })),
    maxDataAgeMs: span(limits.maxDataAge),
    reducing: limits.reducing,
    selfTrade: limits.selfTrade === 'deny' ? 'deny' : undefined,
    maxExposure: decimal(limits.maxExposure),
    maxLeverage: decimal(limits.maxLeverage),
    maxMarginUse: fraction(limits.maxMarginUse),
    minLiquidationDistance: fraction(limits.minLiquidationDistance),
    maxOpenOrders: limits.maxOpenOrders,
    maxOpenPositions: limits.maxOpenPositions,
    orderRate: limits.orderRate,
    priceCollar: decimal(priceCollar),
    maxQuantity: decimal(maxQuantity),
    maxNotional: decimal(maxNotional),
    maxPosition: new Map(Object.entries(positions).map(([symbol, limit]) => [symbol, new Decimal(limit)])),
  };
}

function equityLimit(limit: RiskConfig['account']['dailyLoss']): EquityLimit | undefined {
  if (limit === undefined) return undefined;
  if (typeof limit === 'string') return { share: Number(limit), onBreach: 'cancel' };
  return { share: Number(limit.limit), onBreach: limit.onBreach, resetAt: limit.resetAt };
}

function lossPerTrade(limit: RiskConfig['account']['maxLossPerTrade']): LossPerTrade | undefined {
  if (limit === undefined) return undefined;
  if (typeof limit === 'string') return { amount: new Decimal(limit), close: false };
  return { amount: decimal(limit.amount), share: fraction(limit.share), close: limit.onBreach === 'close' };
}

function decimal(text: string | undefined): Decimal | undefined {
  return text === undefined ? undefined : new Decimal(text);
}

function fraction(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

function span(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseInterval(text);
}
