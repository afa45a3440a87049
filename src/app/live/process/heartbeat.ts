import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { BotMode } from '../../planning/bot-folder.ts';

/** The time between two heartbeats, in ms of the wall clock. */
export const HEARTBEAT_MS = 1_000;

/** The heartbeat of a bot, for processes that must not depend on its control socket. */
export interface Heartbeat {
  readonly pid: number;
  readonly mode: BotMode;
  /** `stopped`: it was stopped, and has nothing left to do. */
  readonly phase: 'running' | 'stopped';
  /** Epoch ms of the wall clock. */
  readonly time: number;
}

/** Replaces the whole file. If this fails, a watchdog regards the bot as silent. */
export function writeHeartbeat(path: string, beat: Heartbeat): void {
  try {
    writeFileSync(`${path}.new`, `${JSON.stringify(beat)}\n`, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  } catch {
    // This error does not end the bot.
  }
}

/** Reads a heartbeat. @returns `undefined` if there is none, or if it cannot be read. */
export function readHeartbeat(path: string): Heartbeat | undefined {
  try {
    const value = JSON.parse(readFileSync(path, 'utf8')) as Partial<Heartbeat>;
    const { pid, mode, phase, time } = value;
    const isOne = typeof pid === 'number' && typeof time === 'number' && (phase === 'running' || phase === 'stopped');
    return isOne && (mode === 'live' || mode === 'paper') ? { pid, mode, phase, time } : undefined;
  } catch {
    return undefined;
  }
}
