import type { RunStarted } from '../../../journal/journal-record.ts';
import type { BotPlan } from '../../planning/run-plans.ts';

/** What the journal tells of a run as it begins: all that its engine is made of and that no later record tells. */
export function runStarted({ origin, strategies }: BotPlan, now: number): RunStarted {
  return {
    now,
    ...(origin === undefined ? {} : { version: origin.version, mode: origin.mode, config: { text: origin.text, file: origin.file } }),
    strategies: strategies.map(({ id, source }) => ({ id, source })),
  };
}
