import { Strategy } from '../../../strategy/strategy.ts';
import type { CorePlan } from '../../planning/run-plans.ts';

/** Does nothing, and keeps the saved state of the strategy whose place it takes. */
class StandIn extends Strategy {
  save?: () => unknown;

  override restore(saved: unknown): void {
    this.save = () => saved;
  }
}

/**
 * The plan of a run that only cancels and closes, because the bot was killed before its strategies had their history. They do not run:
 * without it they may throw, and the error would end the bot before it has closed.
 */
export function withStandIns<P extends CorePlan>(plan: P): P {
  const strategies = plan.strategies.map((one): typeof one => ({
    ...one,
    joins: undefined,
    needs: undefined,
    create: (context) => new StandIn(context),
  }));
  return { ...plan, strategies };
}
