import { setTimeout as slept } from 'node:timers/promises';
import { isLocked, lockOf } from '../../../journal/journal-lock.ts';
import { TidegateError } from '../../../model/errors.ts';
import { isoTime } from '../../../model/time.ts';
import { EXIT_CODES } from '../../base/exit-codes.ts';
import { isAlive } from '../../base/is-alive.ts';
import { machineTrouble } from '../../base/machine-trouble.ts';
import { loadConfig } from '../../config/load-config.ts';
import { type BotFolder, type BotMode, botFolder } from '../../planning/bot-folder.ts';
import { type BotStatus, statusText } from './bot-status.ts';
import { ANSWER_MS, askBot, type ControlCommand } from './control-socket.ts';
import { type FiledCommand, forgetStop, newCommandId, writeCommandFile } from './filed-command.ts';
import { readHeartbeat } from './heartbeat.ts';

export interface AskOptions {
  readonly set?: readonly string[];
  readonly paper?: boolean;
  readonly live?: boolean;
  readonly json?: boolean;
  readonly flatten?: boolean;
  readonly reason?: string;
  readonly strategy?: string;
  /** How long to wait for a kill that flattens, in seconds. */
  readonly wait?: number;
}

/** The commands that stop a bot, or let it trade again. */
export type Unsteering = Extract<ControlCommand, { readonly command: 'status' | 'stop' | 'kill' | 'reduce' | 'reset' }>;

/** The printed text of a command, and its exit code. */
export interface CommandResult {
  readonly text: string;
  readonly code: number;
}

/** A process that holds the lock of a bot's journal. */
export interface RunningBot {
  readonly name: string;
  readonly mode: BotMode;
  readonly folder: BotFolder;
}

/**
 * Sends a command to the running bot of a config. A bot runs while a process holds the lock of its journal, whether it answers or not.
 *
 * A stop, a kill and a reduce are first written to a file of the bot's folder. So they are not lost if the bot does not answer: it obeys
 * as soon as it runs, and the exit code is `EXIT_CODES.leftOver`. After a kill that flattens, the command waits; if an order or position
 * is still open then, the exit code is the same. For a reset, the text begins with the lifted latches and halts.
 * @returns the bot's status after the command, as text.
 * @throws TidegateError BOT_NOT_RUNNING, BOT_SILENT if it does not answer and nothing is written, or USAGE if both modes run and no option
 * selects one.
 */
export async function controlBot(path: string, name: Unsteering['command'], options: AskOptions): Promise<CommandResult> {
  const { bot, ids } = runningBot(path, options);
  if (options.strategy !== undefined && !ids.includes(options.strategy))
    throw new TidegateError('USAGE', `the bot has no strategy "${options.strategy}", only ${ids.join(', ')}`);
  const result = await commandBot(bot, commandOf(name, options), (options.wait ?? WAIT_S) * 1_000);
  if ('silentMs' in result) {
    const { silentMs, isWatched: watchdog, path: written, text } = result;
    const json = JSON.stringify({ name: bot.name, mode: bot.mode, written, answered: false, silentMs, watchdog });
    return { text: options.json === true ? json : text, code: EXIT_CODES.leftOver };
  }
  const { status, lifted, left } = result;
  const code = left === undefined ? EXIT_CODES.ok : EXIT_CODES.leftOver;
  if (options.json === true) return { text: JSON.stringify(lifted === undefined ? status : { ...status, lifted }), code };
  const first = (lifted ?? []).map((what) => `lifted       ${what}`);
  if (left !== undefined) first.push(left);
  return { text: [...first, statusText(status)].join('\n'), code };
}

/** A command that a bot has obeyed. */
interface Obeyed {
  readonly status: BotStatus;
  /** For a reset: the latches and halts that it has lifted, as text. */
  readonly lifted: readonly string[] | undefined;
  /** For a kill that flattens: what is still open when the wait is over, as text. */
  readonly left: string | undefined;
}

/** A bot whose process does not answer. Its command is in a file, and it obeys as soon as it runs. */
interface Silent {
  readonly silentMs: number;
  readonly isWatched: boolean;
  readonly path: string;
  /** All of it, for people. */
  readonly text: string;
}

/**
 * Sends a command to a bot whose process runs: first to a file, then to its socket.
 * @param waitMs how long a kill that flattens may take.
 * @throws TidegateError BOT_NOT_RUNNING if it has ended, BOT_SILENT if it does not answer and nothing is written, USAGE if it refuses.
 */
export async function commandBot(bot: RunningBot, command: Unsteering, waitMs = WAIT_S * 1_000): Promise<Obeyed | Silent> {
  const before = command.command === 'reset' ? await answered(bot, { command: 'status' }) : undefined;
  const filed = filedOf(command);
  const written = filed === undefined ? undefined : writtenFile(bot, filed);
  const answer = await answered(bot, command, written);
  if (answer === undefined) return silent(bot, written);
  if ('error' in answer) throw new TidegateError('USAGE', answer.error);
  const flattens = command.command === 'kill' && command.flatten;
  const { status, note } = flattens ? await flattened(bot, answer, waitMs) : { status: answer, note: undefined };
  const isLeft = flattens && (note !== undefined || !isFlat(status));
  return {
    status,
    lifted: command.command === 'reset' && before !== undefined && !('error' in before) ? liftedBy(before, command.strategy) : undefined,
    left: isLeft ? `not everything is closed, and ${note ?? 'the bot goes on closing'}: ${standingText(status)}` : undefined,
  };
}

/** The bot of a config that runs, and the ids of its strategies. @throws TidegateError BOT_NOT_RUNNING, USAGE, CONFIG_INVALID */
export function runningBot(
  path: string,
  options: Pick<AskOptions, 'set' | 'live' | 'paper'>,
): { readonly bot: RunningBot; readonly ids: readonly string[] } {
  // A command needs no keys, and keys are only required while `live.enabled` is true.
  const { config } = loadConfig(path, { withoutBacktest: true, set: [...(options.set ?? []), 'live.enabled=false'], env: process.env });
  const modes = (['live', 'paper'] as const).filter((mode) => options[mode] === true || (!options.live && !options.paper));
  const dirs = { live: config.live?.dir, paper: config.paper?.dir };
  const bots = modes.flatMap((mode): RunningBot[] => {
    const dir = dirs[mode];
    return dir === undefined ? [] : [{ name: config.name, mode, folder: botFolder(dir, config.name, mode) }];
  });
  return { bot: running(bots, config.name), ids: config.strategies.map(({ id }) => id) };
}

/** The default wait for a kill that flattens, in s, and the period of polling the bot meanwhile, in ms. */
const WAIT_S = 30;
const LOOK_MS = 200;

/** Sends a command until the bot answers or `ANSWER_MS` is over: one that still reads its journal has no socket yet. @throws TidegateError BOT_NOT_RUNNING if it has ended. */
export async function answered(bot: RunningBot, command: ControlCommand, written?: Written): Promise<Answer | undefined> {
  const until = performance.now() + ANSWER_MS;
  for (let leftMs = ANSWER_MS; leftMs > 0; leftMs = until - performance.now()) {
    try {
      return (await askBot(bot.folder.control, command, leftMs)) as Answer;
    } catch {
      if (!isLocked(lockOf(bot.folder.journal))) throw ended(bot, command, written);
      await slept(LOOK_MS);
    }
  }
  return undefined;
}

export type Answer = BotStatus | { readonly error: string };

/** The bot ended before it answered. The next start must not obey a stop, which has its effect already. */
function ended({ name, folder }: RunningBot, { command }: ControlCommand, written: Written | undefined): TidegateError {
  if (command === 'stop') forgetStop(folder);
  const stays = written === undefined || command === 'stop' ? '' : `; ${written.text}, and its next start obeys`;
  return new TidegateError('BOT_NOT_RUNNING', `bot ${name} in ${folder.path} has ended, and did not answer before${stays}`);
}

/** A command in its file, or why it could not be written. */
interface Written {
  readonly text: string;
  readonly path?: string;
  readonly error?: unknown;
}

function filedOf(command: Unsteering): FiledCommand | undefined {
  if (command.command === 'status' || command.command === 'reset') return undefined;
  return { ...command, id: command.id ?? newCommandId() };
}

/** A full disk does not keep a bot that answers from a command. */
function writtenFile({ folder }: RunningBot, command: FiledCommand): Written {
  try {
    const path = writeCommandFile(folder, command);
    return { path, text: `written: ${path}` };
  } catch (error) {
    return { error, text: `NOT written: ${(error as Error).message}` };
  }
}

/** The result if the bot does not answer. @throws TidegateError BOT_SILENT if nothing could be written. */
function silent(bot: RunningBot, written: Written | undefined): Silent {
  const { silentMs, isWatched, watchdog, silence, text } = silenceOf(bot);
  if (written?.path !== undefined)
    return { silentMs, isWatched, path: written.path, text: `${written.text}; ${silence}; it obeys as soon as it runs; ${watchdog}` };
  const trouble = written?.error === undefined ? undefined : machineTrouble(written.error);
  const why = written === undefined ? '' : `; the command is ${written.text}`;
  throw new TidegateError(trouble?.code ?? 'BOT_SILENT', `${text}${why}`, { cause: written?.error });
}

/** Texts for a bot that does not answer, and how long it has been silent. */
export function silenceOf({ folder, name, mode }: RunningBot) {
  const silentMs = Math.max(ANSWER_MS, heartbeatAge(folder));
  const isWatched = isLocked(folder.watchdogLock);
  const watchdog = isWatched ? 'the watchdog acts meanwhile' : 'no watchdog runs, so its orders stay open meanwhile';
  const silence = `the bot does not answer (for ${Math.round(silentMs / 1_000)} s)`;
  const text = `${silence}: a process holds the journal of bot ${name} (${mode}), and hangs or is stopped; ${watchdog}`;
  return { silentMs, isWatched, watchdog, silence, text };
}

/** The age of the newest heartbeat of a process that still exists, in ms; 0 if there is none: a bot that starts writes none. */
function heartbeatAge({ heartbeat }: BotFolder): number {
  const beat = readHeartbeat(heartbeat);
  if (beat?.phase !== 'running') return 0;
  return isAlive(beat.pid) ? Date.now() - beat.time : 0;
}

/** @returns the status once everything is closed and canceled, or when the wait is over; with a note if the bot does not answer any more. */
async function flattened(
  { folder }: RunningBot,
  first: BotStatus,
  waitMs: number,
): Promise<{ readonly status: BotStatus; readonly note: string | undefined }> {
  const until = performance.now() + waitMs;
  let status = first;
  let note: string | undefined;
  // The first reply may be from before the bot's next turn.
  for (let looks = 0; (looks === 0 || !isFlat(status)) && performance.now() < until; looks++) {
    await slept(LOOK_MS);
    try {
      status = (await askBot(folder.control, { command: 'status' })) as BotStatus;
      note = undefined;
    } catch {
      if (!isLocked(lockOf(folder.journal))) return { status, note: 'the bot has ended; its next start goes on closing' };
      note = 'the bot does not answer any more; it goes on closing as soon as it runs';
    }
  }
  return { status, note };
}

function isFlat({ flatten, openOrders }: BotStatus): boolean {
  return flatten !== null && flatten.standing.length === 0 && Object.keys(openOrders).length === 0;
}

function standingText({ flatten, openOrders }: BotStatus): string {
  const positions = (flatten?.standing ?? []).map(({ quantity, symbol, strategy }) => `${quantity} ${symbol} (${strategy})`);
  const orders = Object.entries(openOrders).map(
    ([status, count]) => `${count} ${status === 'held' ? 'held' : `${status} at the exchange`}`,
  );
  return [...positions, ...(orders.length > 0 ? [`orders: ${orders.join(', ')}`] : [])].join('; ') || 'a reset has ended the kill';
}

/** The latches and halts that a reset lifts, each with its cause. */
function liftedBy({ latches, health }: BotStatus, strategyId: string | undefined): string[] {
  const halts = strategyId === undefined ? health.filter(({ condition }) => condition === 'halted') : [];
  return [
    ...latches
      .filter(({ rule, strategy }) => rule !== 'paused' && (strategyId === undefined || strategy === strategyId))
      .map(
        ({ rule, strategy, reason, time }) =>
          `latch ${rule}${strategy === undefined ? '' : ` of ${strategy}`} since ${isoTime(Math.floor(time))}${reason === '' ? '' : `: ${reason}`}`,
      ),
    ...halts.map(
      ({ symbol, reason, since }) => `halt of ${symbol}${since === undefined ? '' : ` since ${isoTime(Math.floor(since))}`}: ${reason}`,
    ),
  ];
}

function commandOf(command: Unsteering['command'], { flatten = false, reason = 'by command', strategy }: AskOptions): Unsteering {
  const id = newCommandId();
  if (command === 'kill') return { command, flatten, reason, id };
  if (command === 'reduce') return { command, reason, strategy, id };
  if (command === 'stop') return { command, id };
  return command === 'reset' ? { command, strategy } : { command };
}

/** The only bot that runs. @throws TidegateError BOT_NOT_RUNNING, USAGE */
function running(bots: readonly RunningBot[], name: string): RunningBot {
  const found = bots.filter(({ folder }) => isLocked(lockOf(folder.journal)));
  if (found.length > 1) throw new TidegateError('USAGE', `bot ${name} runs in both modes: use --live or --paper`);
  if (found[0] !== undefined) return found[0];
  const folders = bots.map(({ folder }) => folder.path).join(' or ');
  throw new TidegateError('BOT_NOT_RUNNING', `no bot ${name} runs in ${folders}`);
}
