import { TidegateError } from '../../../model/errors.ts';
import type { BotMode } from '../../planning/bot-folder.ts';
import { type BotStatus, statusText } from './bot-status.ts';
import { answered, type CommandResult, type RunningBot, runningBot, silenceOf } from './control-bot.ts';
import { ANSWER_MS, type SteerRequest } from './control-socket.ts';
import { newCommandId } from './filed-command.ts';

/** The outcome of an act on a running bot, by the status of the bot before and after it. */
export interface Steered {
  readonly act: SteerRequest['command'];
  readonly bot: string;
  readonly mode: BotMode;
  /**
   * - `done`: it is in force.
   * - `already`: it was in force before, and nothing has changed.
   * - `stored`: the bot is starting. Its journal has the command, which takes effect when the bot trades.
   */
  readonly outcome: 'done' | 'already' | 'stored';
  /** One sentence for people. */
  readonly text: string;
  readonly status: BotStatus;
}

/**
 * Pauses one strategy: it opens nothing until it is resumed, also after restarts. Its hooks still run, and its exits pass.
 * @throws TidegateError BOT_NOT_RUNNING, BOT_SILENT if the bot does not answer (then nothing has changed), USAGE if it refuses.
 */
export async function pauseStrategy(bot: RunningBot, { strategy, reason = 'by command' }: PauseOptions): Promise<Steered> {
  const { before, after } = await asked(bot, { command: 'pause', strategy, reason });
  if (isPaused(before, strategy)) return resultOf(bot, 'pause', 'already', `${strategy} was paused before`, after);
  if (isPaused(after, strategy))
    return resultOf(bot, 'pause', 'done', `${strategy} is paused: it opens nothing until it is resumed`, after);
  return storedOf(bot, 'pause', `${strategy} is paused`, after);
}

export interface PauseOptions {
  readonly strategy: string;
  readonly reason?: string | undefined;
}

/** Ends the pause of a strategy. Other latches stay. @throws TidegateError like `pauseStrategy`. */
export async function resumeStrategy(bot: RunningBot, { strategy }: Pick<PauseOptions, 'strategy'>): Promise<Steered> {
  const { before, after } = await asked(bot, { command: 'resume', strategy });
  if (after.phase === 'starting') return storedOf(bot, 'resume', `${strategy} is resumed`, after);
  const left = after.latches.filter((one) => one.strategy === undefined || one.strategy === strategy).map(({ rule }) => rule);
  const others = left.length === 0 ? '' : `; still latched by ${left.join(', ')}, which \`tidegate reset\` lifts`;
  const wasPaused = isPaused(before, strategy);
  const text = wasPaused ? `${strategy} is resumed` : `${strategy} was not paused`;
  return resultOf(bot, 'resume', wasPaused ? 'done' : 'already', `${text}${others}`, after);
}

/** The options of the commands that steer a bot. */
export interface SteerOptions {
  readonly set?: readonly string[];
  readonly paper?: boolean;
  readonly live?: boolean;
  readonly json?: boolean;
  readonly strategy?: string;
  readonly reason?: string;
}

/** `tidegate pause` and `resume`. Without a strategy, the only one of the config is meant. @throws TidegateError */
export async function steerStrategy(path: string, act: 'pause' | 'resume', options: SteerOptions): Promise<CommandResult> {
  const { bot, ids } = runningBot(path, options);
  const strategy = options.strategy ?? (ids.length === 1 ? ids[0]! : undefined);
  if (strategy === undefined) throw new TidegateError('USAGE', `--strategy <id>: expected one of ${ids.join(', ')}`);
  const { reason } = options;
  const steered = act === 'pause' ? await pauseStrategy(bot, { strategy, reason }) : await resumeStrategy(bot, { strategy });
  return printed(steered, options);
}

function printed(steered: Steered, { json = false }: SteerOptions): CommandResult {
  return { text: json ? JSON.stringify(steered) : `${steered.text}\n${statusText(steered.status)}`, code: 0 };
}

/** A bot obeys a command for this long only, in ms: so it has obeyed before its reply is given up, or never does. */
const OBEYED_MS = ANSWER_MS - 500;

/** Sends a command. @returns the status of the bot before and after it. @throws TidegateError */
async function asked(bot: RunningBot, request: SteerRequest): Promise<{ readonly before: BotStatus; readonly after: BotStatus }> {
  const before = await reply(bot, { command: 'status' });
  const after = await reply(bot, { ...request, id: newCommandId(), until: Date.now() + OBEYED_MS });
  return { before, after };
}

async function reply(bot: RunningBot, command: Parameters<typeof answered>[1]): Promise<BotStatus> {
  const answer = await answered(bot, command);
  if (answer === undefined) throw new TidegateError('BOT_SILENT', `${silenceOf(bot).text}; nothing was changed, and nothing is done later`);
  if ('error' in answer) throw new TidegateError('USAGE', answer.error);
  return answer;
}

function isPaused({ latches }: BotStatus, id: string): boolean {
  return latches.some(({ rule, strategy }) => rule === 'paused' && strategy === id);
}

function storedOf(bot: RunningBot, act: Steered['act'], what: string, status: BotStatus): Steered {
  return resultOf(bot, act, 'stored', `the bot is ${status.phase}, and has stored the command: ${what} when it trades`, status);
}

function resultOf({ name, mode }: RunningBot, act: Steered['act'], outcome: Steered['outcome'], text: string, status: BotStatus): Steered {
  return { act, bot: name, mode, outcome, text, status };
}
