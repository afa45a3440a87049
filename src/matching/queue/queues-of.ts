import { Decimal } from '../../model/decimal.ts';
import { type FillSettings, isQueueRule } from '../settings.ts';
import { Queues } from './queues.ts';

/** The queues of own orders, where the limit rule is one. */
export function queuesOf({ limit, restingBy }: FillSettings): Queues | undefined {
  if (!isQueueRule(limit)) return undefined;
  const ahead = limit.ahead === undefined ? undefined : new Decimal(limit.ahead);
  return new Queues(limit, restingBy === 'both', ({ instrument }) =>
    ahead === undefined ? Number.POSITIVE_INFINITY : instrument.step.floorUnits(ahead),
  );
}
