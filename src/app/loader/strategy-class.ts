import type { z } from 'zod';
import type { StrategyContext } from '../../strategy/context.ts';
import type { StrategyNeeds } from '../../strategy/needs.ts';
import { Strategy } from '../../strategy/strategy.ts';

/** A class that a user's file exports. */
export type StrategyClass = (new (
  context: StrategyContext,
) => Strategy) & {
  readonly params?: z.ZodType;
  readonly needs?: StrategyNeeds;
  readonly prototype: Partial<Strategy>;
};

/** Whether this is a class that extends `Strategy`. */
export function isStrategy(candidate: unknown): candidate is StrategyClass {
  return typeof candidate === 'function' && candidate.prototype instanceof Strategy;
}
