import type { EquityLimit } from '../../risk/limits.ts';
import type { DayLoss } from '../../state/day-loss.ts';
import type { Drawdown } from '../../state/drawdown.ts';
import type { LatchDesk } from './latch-desk.ts';

/** Whose equity, as the state follows it. */
export interface GuardedEquity {
  readonly drawdown: Drawdown;
  readonly day: DayLoss | undefined;
}

/**
 * Latches when an equity has fallen too far. The state calls when a fall grows, which is the only moment at which a limit
 * can be passed: the latch is set at the very event that passes it.
 */
export function guardEquity(
  { drawdown, day }: GuardedEquity,
  limits: { readonly maxDrawdown?: EquityLimit | undefined; readonly dailyLoss?: EquityLimit | undefined },
  desk: LatchDesk,
  strategyId: string | undefined,
): void {
  const { maxDrawdown, dailyLoss } = limits;
  if (maxDrawdown !== undefined) {
    const { share } = maxDrawdown;
    drawdown.onDeeper = () => {
      if (drawdown.depth > share) desk.latch({ rule: 'maxDrawdown', strategyId, drawdown: drawdown.current, limit: share });
    };
  }
  if (dailyLoss !== undefined && day !== undefined) {
    const { share, resetAt } = dailyLoss;
    day.onDeeper = () => {
      const { current, dayEnd } = day;
      if (!(current > share)) return;
      desk.latch({ rule: 'dailyLoss', strategyId, drawdown: current, limit: share, until: resetAt === undefined ? undefined : dayEnd });
    };
  }
}
