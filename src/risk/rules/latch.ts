import type { RiskLatched } from '../../model/account-events.ts';
import type { Denial } from '../../model/reasons.ts';
import { isoTime } from '../../model/time.ts';
import type { ReadonlyState } from '../../state/state.ts';
import { reduces } from '../measures.ts';
import type { RiskRule } from '../rule.ts';

const PLACES = 6;

/** While the account or the order's strategy is latched, only orders that reduce its position pass, until the latch is reset. */
export const latch: RiskRule = (order, context) => {
  const { state } = context;
  if (state.latches.size === 0) return undefined;
  const { strategyId } = order;
  const refusing = [...state.latches.values()].filter(
    ({ strategyId: of, symbol }) =>
      (of === undefined || of === strategyId) &&
      (symbol === undefined || symbol === order.instrument.symbol) &&
      !reduces(order, { ...context, of }),
  );
  const [first] = refusing;
  return first === undefined ? undefined : latchDenial(refusing.find(({ rule }) => rule === 'kill') ?? first, state);
};

/** The denial of a latch, with present figures. */
export function latchDenial(latched: RiskLatched, { measured, ownEquities }: ReadonlyState): Denial {
  const { rule, strategyId, symbol = 'all', limit, count, until, reason = '' } = latched;
  const of = strategyId === undefined ? measured : ownEquities.get(strategyId);
  const strategy = strategyId === undefined ? {} : { strategy: strategyId };
  switch (rule) {
    case 'kill':
      return { code: 'killed', reason, ...strategy };
    case 'reduce':
      return { code: 'reducing', reason, ...strategy };
    case 'paused':
      return { code: 'paused', reason, ...strategy };
    case 'maxDrawdown':
      return {
        code: 'drawdownLatched',
        drawdown: (of?.drawdown.depth ?? latched.drawdown).toFixed(PLACES),
        limit: String(limit),
        ...strategy,
      };
    case 'dailyLoss':
      return { code: 'dailyLossLatched', loss: (of?.day?.current ?? latched.drawdown).toFixed(PLACES), limit: String(limit), ...strategy };
    case 'venueErrors':
      return { code: 'venueErrorsLatched', errors: String(count), limit: String(limit), ...strategy };
    case 'cooldown':
      return { code: 'coolingDown', losses: String(count), until: isoTime(until!), ...strategy };
    case 'symbolCooldown':
    case 'stopLossGuard':
    case 'lock':
      return { code: 'symbolLocked', symbol, by: rule, until: isoTime(until!), ...strategy };
    default:
      return rule satisfies never;
  }
}
