import { isLocked, lockOf } from '../../../journal/journal-lock.ts';
import { TidegateError } from '../../../model/errors.ts';
import type { SeenBot } from '../../fleet/bot-state.ts';
import type { BotStatus } from '../../live/process/bot-status.ts';
import { commandBot, type Unsteering } from '../../live/process/control-bot.ts';
import { newCommandId } from '../../live/process/filed-command.ts';
import { reportRows } from '../../live/process/kill-report.ts';
import { pauseStrategy, resumeStrategy } from '../../live/process/steer-bot.ts';
import { type Caller, Refusal } from '../access/guard.ts';
import type { Act, ActName, Outcome } from '../api/access-schemas.ts';
import { confirmationOf } from './acts.ts';
import type { AuditLog } from './audit-log.ts';

/** The longest time that an answer waits for a flatten, in ms: a proxy ends silent requests after 60 s. */
const WAIT_MS = 20_000;

/** Has bots obey, by the very code of the command line, and keeps account of it. */
export class Steering {
  constructor(
    private readonly audit: AuditLog,
    private readonly now: () => number,
    /** Called after each act: pages are to show the bot as it is then. */
    private readonly acted: () => void,
    private readonly waitMs = WAIT_MS,
  ) {}

  /** Does what an operator has confirmed. @throws Refusal for a wrong confirmation: nothing is done then. */
  async act(bot: SeenBot, act: Act, caller: Caller): Promise<Outcome> {
    const expected = confirmationOf(act.act, bot);
    if (act.confirm !== expected) {
      const words = `expected the confirmation "${expected}"; nothing was done`;
      this.#note(bot, act, caller, { outcome: 'refused', words });
      throw new Refusal(400, 'NOT_CONFIRMED', words);
    }
    // This line stays even if the process ends before the act has.
    const trouble = this.#note(bot, act, caller, { outcome: 'begun', words: '' });
    const result = await this.#do(bot, act);
    this.#note(bot, act, caller, result);
    this.acted();
    const words = trouble === undefined ? result.words : `${result.words}. The audit log could not be written: ${trouble}`;
    return { time: this.now(), ...result, words };
  }

  async #do(bot: SeenBot, { act, strategy, reason }: Act): Promise<Omit<Outcome, 'time'>> {
    const { folder, mode, name } = bot;
    try {
      // The bot of a page may have ended since.
      if (mode === undefined || !isLocked(lockOf(folder.journal))) return { outcome: 'refused', ...goneText(bot, act) };
      const why = reason ?? 'by the page';
      const process = { name, mode, folder };
      if (act === 'pause' || act === 'resume') {
        if (strategy === undefined) return { outcome: 'refused', words: 'expected the id of a strategy', watchdog: null };
        const steered = await (act === 'pause' ? pauseStrategy(process, { strategy, reason: why }) : resumeStrategy(process, { strategy }));
        return { outcome: 'done', words: steered.text, watchdog: null };
      }
      const result = await commandBot(process, commandOf(act, why, strategy), this.waitMs);
      if ('silentMs' in result) return { outcome: 'filed', words: result.text, watchdog: result.isWatched ? 'runs' : 'none' };
      const { left, lifted, status } = result;
      if (left !== undefined) return { outcome: 'unfinished', words: left, watchdog: null };
      return { outcome: 'done', words: doneText(act, status, lifted), watchdog: null };
    } catch (error) {
      if (!(error instanceof TidegateError)) return { outcome: 'failed', words: (error as Error).message, watchdog: null };
      return { outcome: error.code === 'USAGE' ? 'refused' : 'failed', words: error.message, watchdog: null };
    }
  }

  #note(bot: SeenBot, { act, strategy, reason }: Act, caller: Caller, result: { readonly outcome: string; readonly words: string }) {
    const { role, session, address } = caller;
    return this.audit.add({
      time: this.now(),
      who: `${role ?? 'nobody'} by ${session === undefined ? 'token' : `session ${session.nonce.slice(0, NONCE_SHOWN)}`} from ${address}`,
      ...{ bot: bot.name, folder: bot.folder.path, act, strategy: strategy ?? null, reason: reason ?? null },
      outcome: result.outcome,
      words: result.words,
    });
  }
}

/** Enough of a session's nonce to see which acts are of one session, and too little to be it. */
const NONCE_SHOWN = 6;

/** The acts that `commandBot` sends. */
type Commanding = Exclude<ActName, 'pause' | 'resume'>;

function commandOf(act: Commanding, reason: string, strategy: string | undefined): Unsteering {
  const id = newCommandId();
  if (act === 'kill' || act === 'flatten') return { command: 'kill', flatten: act === 'flatten', reason, id };
  if (act === 'reduce') return { command: 'reduce', reason, strategy, id };
  return act === 'stop' ? { command: 'stop', id } : { command: 'reset', strategy };
}

function goneText({ folder, isWatched }: SeenBot, act: ActName): Pick<Outcome, 'words' | 'watchdog'> {
  const orders = act === 'reset' ? '' : '; look at the exchange for orders and positions that it left open';
  const watched = isWatched ? 'a watchdog runs for it, and cancels them' : 'no watchdog runs for it';
  return {
    words: `no process of the bot runs in ${folder.path}: nothing was done${orders}${act === 'reset' ? '' : `; ${watched}`}`,
    watchdog: isWatched ? 'runs' : 'none',
  };
}

function doneText(act: Commanding, status: BotStatus, lifted: readonly string[] | undefined): string {
  const { orders, positions, flatten, health } = status;
  const open = `${orders.length} open ${orders.length === 1 ? 'order' : 'orders'}, positions ${listOf(positions)}`;
  switch (act) {
    case 'stop':
      return `the bot is stopping: ${health.find(({ subject }) => subject === 'stop')?.reason ?? open}`;
    case 'kill':
      return `the bot is killed until a reset: ${open}`;
    case 'flatten':
      return ['everything is closed', ...(flatten === null ? [] : reportRows(flatten)).map((row) => row.join(' '))].join('; ');
    case 'reduce':
      return `only closes pass until a reset: ${open}`;
    case 'reset':
      return lifted === undefined || lifted.length === 0 ? 'there was nothing to lift' : `lifted: ${lifted.join('; ')}`;
    default:
      return act satisfies never;
  }
}

function listOf(positions: BotStatus['positions']): string {
  const all = Object.entries(positions).map(([symbol, quantity]) => `${quantity} ${symbol}`);
  return all.length === 0 ? 'none' : all.join(', ');
}
