import { setTimeout as slept } from 'node:timers/promises';
import { Decimal, ZERO } from '../../../model/decimal.ts';
import { TidegateError } from '../../../model/errors.ts';
import { EXIT_CODES } from '../../base/exit-codes.ts';
import type { BotMode } from '../../planning/bot-folder.ts';
import { type BotStatus, type CloseShown, closeText, statusText } from './bot-status.ts';
import { answered, type CommandResult, type RunningBot, runningBot, silenceOf } from './control-bot.ts';
import { ANSWER_MS, type SteerRequest } from './control-socket.ts';
import { newCommandId } from './filed-command.ts';
import type { ClosedPart } from './kill-report.ts';

/** The outcome of an act on a running bot, by the status of the bot before and after it. */
export interface Steered {
  readonly act: SteerRequest['command'];
  readonly bot: string;
  readonly mode: BotMode;
  /**
   * - `done`: it is in force.
   * - `already`: it was in force before, and nothing has changed.
   * - `stored`: the bot is starting. Its journal has the command, which takes effect when the bot trades.
   * - `unfinished`: the wait for a close is over, and the bot goes on closing.
   * - `refused`: a position is still open, and the bot does not try to close it any more.
   */
  readonly outcome: 'done' | 'already' | 'stored' | 'unfinished' | 'refused';
  /** One sentence for people. */
  readonly text: string;
  readonly status: BotStatus;
  /** Only for a close: the fills of the closing orders, and the positions that are open after it. */
  readonly closed?: readonly ClosedPart[];
  readonly open?: readonly OpenPosition[];
}

/** A position of a strategy; its quantity is negative if it is short. */
interface OpenPosition {
  readonly strategy: string;
  readonly symbol: string;
  readonly quantity: string;
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

export interface CloseOptions extends CloseShown {
  readonly reason?: string | undefined;
  /** How long to wait until all is closed, in s; by default 30. */
  readonly wait?: number | undefined;
}

/**
 * Closes the position in one symbol at market, of one strategy or of all: the orders there are canceled, and the bot closes as after a
 * kill with flatten, with the same risk checks. Waits until nothing is left.
 * @throws TidegateError like `pauseStrategy`.
 */
export async function closePosition(bot: RunningBot, options: CloseOptions): Promise<Steered> {
  const { wait = WAIT_S, reason = 'by command', symbol, strategy, side } = options;
  const target = { symbol, ...(strategy !== undefined && { strategy }), ...(side !== undefined && { side }) };
  const { before, after } = await asked(bot, { command: 'close', ...target, reason });
  const what = closeText(target);
  if (after.phase === 'starting') return storedOf(bot, 'close', `${what} is closed`, after);
  const until = performance.now() + wait * 1_000;
  let status = after;
  while (isPending(status, target) && performance.now() < until) {
    await slept(LOOK_MS);
    status = await reply(bot, { command: 'status' });
  }
  const wasOpen = openIn(before, target);
  const open = openIn(status, target);
  const closed = closedSince(before, status, target);
  const result = (outcome: Steered['outcome'], text: string): Steered => ({
    ...resultOf(bot, 'close', outcome, text, status),
    closed,
    open,
  });
  const fills = closed.map((one) => `${one.side} ${one.quantity} ${one.symbol} (${one.strategy})`).join(', ');
  const left = open.map((one) => `${one.quantity} ${one.symbol} (${one.strategy})`).join(', ');
  if (isPending(status, target))
    return result('unfinished', `not everything is closed, and the bot goes on closing: ${left || 'its orders are still open'}`);
  if (wasOpen.length === 0 && closed.length === 0) return result('already', `there was no position: ${what}`);
  const isLeft = wasOpen.some((one) => sumOf(closed, one).lessThan(new Decimal(one.quantity).abs()));
  if (open.length > 0 && isLeft) return result('refused', `NOT CLOSED, and not tried again: ${left}; the health of the bot says why`);
  return result('done', `closed: ${fills || 'by orders that were open'}${open.length === 0 ? '' : `; opened again since: ${left}`}`);
}

/** `tidegate close`. @throws TidegateError */
export async function steerClose(path: string, options: SteerOptions & Partial<CloseOptions>): Promise<CommandResult> {
  const { bot } = runningBot(path, options);
  const { symbol, strategy, side, reason, wait } = options;
  if (symbol === undefined) throw new TidegateError('USAGE', '--symbol <symbol>: expected the symbol of the position');
  const whose = { ...(strategy !== undefined && { strategy }), ...(side !== undefined && { side }) };
  return printed(await closePosition(bot, { symbol, ...whose, reason, wait }), options);
}

/** The default wait for a close, in s, and the period of polling the bot meanwhile, in ms. */
const WAIT_S = 30;
const LOOK_MS = 200;

function isPending({ closes }: BotStatus, target: CloseShown): boolean {
  return closes.pending.some((one) => one.symbol === target.symbol && one.strategy === target.strategy && one.side === target.side);
}

/** The positions that a close concerns, by the status of each strategy. */
function openIn({ strategies }: BotStatus, { symbol, strategy, side }: CloseShown): OpenPosition[] {
  return strategies
    .filter(({ id }) => strategy === undefined || id === strategy)
    .flatMap(({ id, positions }) =>
      Object.entries(positions).flatMap(([key, quantity]) => {
        const [name, of = quantity.startsWith('-') ? 'short' : 'long'] = key.split(':');
        return name === symbol && (side === undefined || of === side) ? [{ strategy: id, symbol: key, quantity }] : [];
      }),
    );
}

/** The fills of closes between two statuses. */
function closedSince(before: BotStatus, after: BotStatus, { symbol, strategy, side }: CloseShown): ClosedPart[] {
  return after.closes.closed
    .filter((one) => one.symbol === symbol && (strategy === undefined || one.strategy === strategy))
    .filter((one) => side === undefined || one.side === (side === 'long' ? 'sell' : 'buy'))
    .flatMap((one) => {
      const old = before.closes.closed.find((it) => it.strategy === one.strategy && it.symbol === one.symbol && it.side === one.side);
      const quantity = new Decimal(one.quantity).minus(old?.quantity ?? 0);
      return quantity.isZero() ? [] : [{ ...one, quantity: quantity.toFixed() }];
    });
}

/** The quantity of an open position that fills have closed. */
function sumOf(closed: readonly ClosedPart[], { strategy, symbol, quantity }: OpenPosition): Decimal {
  const [, of = quantity.startsWith('-') ? 'short' : 'long'] = symbol.split(':');
  const closing = of === 'long' ? 'sell' : 'buy';
  return closed.reduce((sum, one) => (one.strategy === strategy && one.side === closing ? sum.plus(one.quantity) : sum), ZERO);
}

/**
 * Changes a limit of a running bot from its next turn on, also after restarts. @param assignment such as `risk.orders.maxNotional=500`.
 * @throws TidegateError like `pauseStrategy`; USAGE too if the schema of the config refuses the value.
 */
export async function changeLimit(bot: RunningBot, assignment: string): Promise<Steered> {
  const { before, after } = await asked(bot, { command: 'set', assignment });
  const setting = assignment.slice(0, assignment.indexOf('='));
  const of = ({ changes }: BotStatus) => changes.find((one) => one.setting === setting);
  const [old, now] = [of(before), of(after)];
  if (now === undefined) throw new TidegateError('BOT_SILENT', `the bot is ${after.phase}, and has not changed ${setting}`);
  const text = `${setting} is ${now.value}; it was ${old?.value ?? now.was}`;
  return resultOf(bot, 'set', old?.value === now.value ? 'already' : 'done', text, after);
}

/** `tidegate set`. @throws TidegateError */
export async function steerLimit(path: string, assignment: string, options: SteerOptions): Promise<CommandResult> {
  return printed(await changeLimit(runningBot(path, options).bot, assignment), options);
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
  const { outcome, text, status } = steered;
  const code = outcome === 'unfinished' || outcome === 'refused' ? EXIT_CODES.leftOver : EXIT_CODES.ok;
  return { text: json ? JSON.stringify(steered) : `${text}\n${statusText(status)}`, code };
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
