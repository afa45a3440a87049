import type { SeenBot } from '../../fleet/bot-state.ts';
import { ACTS, type ActName } from '../api/access-schemas.ts';
import type { BotDetail } from '../api/bot-schemas.ts';

/** The effect of an act, for people: shown before it is confirmed. */
const WORDS: Readonly<Record<ActName, string>> = {
  stop: 'Stops the bot, as Ctrl-C does. Its orders are canceled or stay open, as `onStop` of its config says; positions stay.',
  kill: 'Cancels all orders. No order of a strategy is sent until a reset. Positions stay open, without stops; the process goes on.',
  flatten: 'Cancels all orders and closes all positions of the strategies at market. Nothing is sent until a reset.',
  reduce: 'Sends no opening orders until a reset. Closes still pass.',
  pause: 'One strategy opens nothing until it is resumed, also after restarts. Its exits still pass.',
  resume: 'Ends the pause of one strategy. Other latches stay.',
  reset: 'Lifts latches and halts: the bot trades again.',
};

/** States in which no process of the bot can obey. */
const GONE: ReadonlySet<SeenBot['state']> = new Set(['unreadable', 'never started', 'stopped', 'crashed']);

/** Acts that wait in a file of a bot that does not answer. */
const FILED: ReadonlySet<ActName> = new Set(['stop', 'kill', 'flatten', 'reduce']);

/** The text to type for an act: a flatten closes positions at any price, so the name of the bot shows that this one is meant. */
export function confirmationOf(act: ActName, { name }: Pick<SeenBot, 'name'>): string {
  return act === 'flatten' ? name : act;
}

/** The acts that an operator can choose for a bot, with the words for each. */
export function actsOf(bot: SeenBot): BotDetail['acts'] {
  return ACTS.map((act) => ({ act, words: WORDS[act], confirm: confirmationOf(act, bot), cannot: whyNot(act, bot) }));
}

function whyNot(act: ActName, { state }: SeenBot): string | null {
  if (GONE.has(state)) return `no process of the bot runs (${state})`;
  if (state === 'unreachable' && !FILED.has(act)) return `the bot does not answer, and a ${act} is not written for it`;
  return null;
}
