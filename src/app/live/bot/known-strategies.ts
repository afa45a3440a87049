import type { Strategy } from '../../../strategy/strategy.ts';
import type { CorePlan } from '../../planning/run-plans.ts';

/** The plan, whose strategies are put into the list as they are made. */
export function knownStrategies<P extends CorePlan>(plan: P, made: Strategy[]): P {
  const strategies = plan.strategies.map((one): typeof one => ({
    ...one,
    create: (context) => {
      const strategy = one.create(context);
      made.push(strategy);
      return strategy;
    },
  }));
  return { ...plan, strategies };
}
