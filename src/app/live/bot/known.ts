import type { JournalRecord } from '../../../journal/journal-record.ts';
import type { State } from '../../../state/state.ts';
import { stateOf } from '../../wiring/core-container.ts';
import type { BotPlan } from './bot-plan.ts';
import { type Past, readPast } from './past.ts';

/** What a bot goes on from: the state as its journal leaves it, and what stands beside it. */
export interface Known {
  readonly state: State;
  readonly past: Past;
}

/** @throws TidegateError JOURNAL_DAMAGED. */
export function readKnown(plan: BotPlan, journal: { records(): Iterable<JournalRecord> }): Known {
  const state = stateOf(plan);
  return { state, past: readPast(journal, state, plan.bars) };
}
