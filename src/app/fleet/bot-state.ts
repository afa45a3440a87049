import { existsSync } from 'node:fs';
import { isLocked, lockOf } from '../../journal/journal-lock.ts';
import { formatDuration } from '../../report/format.ts';
import { isAlive } from '../base/is-alive.ts';
import type { BotStatus } from '../live/process/bot-status.ts';
import { askBot } from '../live/process/control-socket.ts';
import { readHeartbeat } from '../live/process/heartbeat.ts';
import type { BotFolder } from '../planning/bot-folder.ts';
import type { FoundBot } from './find-bots.ts';

/** The states of a bot, each with its proof: what must hold for a bot to be in it. They are tried in this order. */
export const BOT_STATES = {
  unreadable: 'its folder, or the lock of its journal, cannot be read',
  'never started': 'its folder has neither a journal nor a heartbeat',
  stopped: 'no process holds the lock of its journal, and its last heartbeat says that it was stopped',
  crashed: 'no process holds the lock of its journal, and its last heartbeat does not say that it was stopped',
  unreachable: 'a process holds the lock of its journal, and does not answer at its socket',
  starting: 'it answers, and its start is not complete',
  stopping: 'it answers, and is being stopped',
  latched: 'it answers, and a latch keeps all its strategies from opening',
  halted: 'it answers, and each of its instruments is halted',
  stale: 'it answers, and each of its instruments is halted or has no fresh price',
  'partly halted': 'it answers, and a latch, a halt or an old price keeps some strategies or instruments from opening',
  trading: 'it answers, may open, and has an order or a position',
  ready: 'it answers, may open, and has neither an order nor a position',
} as const;

export type BotState = keyof typeof BOT_STATES;

/** A bot at one moment. */
export interface SeenBot extends FoundBot {
  readonly state: BotState;
  /** The facts that led to the state, for people; empty where the state says it all. */
  readonly why: string;
  /** Absent unless it answers. */
  readonly status?: BotStatus;
  /** Epoch ms of its last sign of life; absent if there is none. */
  readonly seenAt?: number;
  /** A watchdog watches it. */
  readonly isWatched: boolean;
}

/** A reply may take so long, in ms. All bots are asked at once. */
const ANSWER_MS = 3_000;

/** Looks at one bot. It changes nothing, and waits for no more than the reply of the bot. */
export async function seenBot(bot: FoundBot, now: number): Promise<SeenBot> {
  const { folder, unreadable } = bot;
  if (unreadable !== undefined) return { ...bot, state: 'unreadable', why: unreadable, isWatched: false };
  let isHeld: boolean;
  let isWatched: boolean;
  try {
    isHeld = isLocked(lockOf(folder.journal));
    isWatched = isLocked(folder.watchdogLock);
  } catch (error) {
    return { ...bot, state: 'unreadable', why: (error as Error).message, isWatched: false };
  }
  const beat = readHeartbeat(folder.heartbeat);
  const common = { ...bot, isWatched, ...(beat !== undefined && { seenAt: beat.time }) };
  if (!isHeld) return { ...common, ...withoutProcess(folder, now) };
  try {
    const status = (await askBot(folder.control, { command: 'status' }, ANSWER_MS)) as BotStatus;
    return { ...common, ...ofStatus(status), status, seenAt: now };
  } catch (error) {
    const silent = beat === undefined ? 'no heartbeat' : `last heartbeat ${formatDuration(Math.max(0, now - beat.time))} ago`;
    return { ...common, state: 'unreachable', why: `${silent}; ${(error as Error).message}` };
  }
}

function withoutProcess({ heartbeat, journal }: BotFolder, now: number): Pick<SeenBot, 'state' | 'why'> {
  const beat = readHeartbeat(heartbeat);
  if (beat === undefined && !existsSync(journal)) return { state: 'never started', why: '' };
  if (beat === undefined) return { state: 'crashed', why: 'it left no heartbeat: it ended before its start was complete' };
  const ago = `${formatDuration(Math.max(0, now - beat.time))} ago`;
  if (beat.phase === 'stopped') return { state: 'stopped', why: ago };
  const copied = isAlive(beat.pid) ? `; process ${beat.pid} of it lives, without this lock: is the folder a copy?` : '';
  return { state: 'crashed', why: `last heartbeat ${ago}${copied}` };
}

type Trading = Pick<BotStatus, 'phase' | 'trading' | 'latches' | 'health' | 'positions' | 'openOrders'>;

/** The state of a bot that answers, and why. */
export function ofStatus({ phase, trading, latches, health, positions, openOrders }: Trading): Pick<SeenBot, 'state' | 'why'> {
  const of = (...conditions: readonly string[]) =>
    health
      .filter(({ condition }) => conditions.includes(condition))
      .map(({ symbol, subject, reason }) => `${symbol || subject}: ${reason}`);
  const why = (texts: readonly string[]) => [...new Set(texts)].join('; ');
  if (phase === 'starting') return { state: 'starting', why: why(of('waiting')) };
  if (phase === 'stopping') return { state: 'stopping', why: why(of('waiting')) };
  const latched = latches.map(({ rule, strategy, symbol, reason }) => {
    const whose = [strategy, symbol].filter((one) => one !== undefined).join(' ');
    return `${whose === '' ? '' : `${whose}: `}${rule}${reason === '' ? '' : ` (${reason})`}`;
  });
  const kept = of('halted', 'stale');
  if (trading === 'in part') return { state: 'partly halted', why: why([...latched, ...kept]) };
  if (trading === 'yes') {
    const isFlat = Object.keys(positions).length === 0 && Object.keys(openOrders).length === 0;
    return { state: isFlat ? 'ready' : 'trading', why: '' };
  }
  const isStale = health.some(({ condition }) => condition === 'stale');
  if (latches.some(({ strategy, symbol }) => strategy === undefined && symbol === undefined) || kept.length === 0)
    return { state: 'latched', why: why([...latched, ...kept]) };
  return { state: isStale ? 'stale' : 'halted', why: why([...latched, ...kept]) };
}
