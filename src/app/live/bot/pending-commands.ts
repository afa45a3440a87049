import type { BotJournal } from '../../../journal/bot-journal.ts';
import type { RiskLatched } from '../../../model/account-events.ts';
import type { Command } from '../../../ports/market-feed.ts';
import { applyAccount } from '../../../state/apply.ts';
import type { State } from '../../../state/state.ts';

const MEMORY = 'bot/commands';

/**
 * Takes in a command while no engine takes turns: it is durable at once, and carried out as soon as an engine runs, in this
 * process or in a later one. A kill latches at once, too.
 * @param now epoch ms. @throws TidegateError JOURNAL_FAILED
 */
export function keepCommand(journal: BotJournal, state: State, now: number, command: Command): void {
  const latched = command.command === 'kill' && !state.latches.has('kill') ? killed(now, command.reason) : undefined;
  journal.outside(() => {
    if (latched !== undefined) journal.event(state.sequence, latched);
    journal.remember(MEMORY, [...pendingCommands(journal), command]);
  });
  if (latched !== undefined) applyAccount(state, latched);
}

/** What an earlier process, or this one, was told and no engine has carried out: in its order. */
export function pendingCommands(journal: BotJournal): readonly Command[] {
  return (journal.recall(MEMORY) ?? []) as readonly Command[];
}

/** An engine carries it out in the turn that is written now; they come in their order. */
export function forgetCommand(journal: BotJournal): void {
  const [, ...left] = pendingCommands(journal);
  journal.remember(MEMORY, left.length > 0 ? left : undefined);
}

function killed(time: number, reason: string): RiskLatched {
  return { kind: 'riskLatched', time, rule: 'kill', drawdown: 0, limit: 0, reason };
}
