import type { LatchReset, RiskLatched } from '../model/latch-events.ts';

/** Under what a latch stands in the state: its rule, and of a strategy's own the strategy's id. */
export function latchKey({ rule, strategyId }: Pick<RiskLatched | LatchReset, 'rule' | 'strategyId'>): string {
  return strategyId === undefined ? rule : `${rule}/${strategyId}`;
}
