import type { BotJournal } from '../../../journal/bot-journal.ts';
import type { RiskLatched } from '../../../model/latch-events.ts';
import { applyAccount } from '../../../state/apply.ts';
import type { State } from '../../../state/state.ts';

/** A kill that no engine has carried out yet. */
export interface PendingKill {
  readonly flatten: boolean;
  readonly reason: string;
}

const MEMORY = 'bot/kill';

/**
 * Takes in a kill while no engine takes turns: it is latched, durably, at once; what is to be canceled and closed is so as soon as
 * an engine runs, in this process or in a later one.
 * @param now epoch ms. @throws TidegateError JOURNAL_FAILED
 */
export function keepKill(journal: BotJournal, state: State, now: number, { flatten, reason }: PendingKill): void {
  const isNew = !state.latches.has('kill');
  const latched: RiskLatched = { kind: 'riskLatched', time: now, rule: 'kill', drawdown: 0, limit: 0, reason };
  const before = pendingKill(journal);
  journal.outside(() => {
    if (isNew) journal.event(state.sequence, latched);
    journal.remember(MEMORY, { flatten: flatten || before?.flatten === true, reason } satisfies PendingKill);
  });
  if (isNew) applyAccount(state, latched);
}

/** What an earlier process, or this one, was told and no engine has carried out. */
export function pendingKill(journal: BotJournal): PendingKill | undefined {
  return journal.recall(MEMORY) as PendingKill | undefined;
}

/** An engine carries it out in the turn that is written now. */
export function forgetKill(journal: BotJournal): void {
  if (pendingKill(journal) !== undefined) journal.remember(MEMORY, undefined);
}
