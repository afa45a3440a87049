import type { Decimal } from '../model/decimal.ts';
import type { Followed } from '../state/state.ts';
import type { RiskLimits, ScopeLimits } from './limits.ts';

/** What the state has to follow for these limits. */
export function followedFor(limits: RiskLimits): Followed {
  const strategies = [...(limits.strategies ?? [])];
  const equities = new Map<string, Decimal | undefined>();
  for (const [id, own] of strategies) if (needsEquity(own)) equities.set(id, own.capital);
  const results = [limits, ...strategies.map(([, own]) => own)].some(({ cooldown }) => cooldown !== undefined);
  return { day: limits.dailyLoss !== undefined, results, equities };
}

function needsEquity({ maxDrawdown, dailyLoss, concentration, maxLeverage, maxMarginUse, maxLossPerTrade }: ScopeLimits): boolean {
  const measured = [maxDrawdown, dailyLoss, concentration, maxLeverage, maxMarginUse, maxLossPerTrade?.share];
  return measured.some((limit) => limit !== undefined);
}
