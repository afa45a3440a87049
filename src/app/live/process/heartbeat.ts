import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { BotMode } from '../../planning/bot-folder.ts';

/** Between two heartbeats, in ms of the wall. */
export const HEARTBEAT_MS = 1_000;

/** The sign of life of a bot, for processes that must not depend on its control socket. */
export interface Heartbeat {
  readonly pid: number;
  readonly mode: BotMode;
  /** `stopped`: it was told to, and has left nothing undone. */
  readonly phase: 'running' | 'stopped';
  /** Epoch ms of the wall. */
  readonly time: number;
}

/** Replaces the whole file. If that fails, a watchdog takes the bot for silent. */
export function writeHeartbeat(path: string, beat: Heartbeat): void {
  try {
    writeFileSync(`${path}.new`, `${JSON.stringify(beat)}\n`, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  } catch {
    // A bot is not ended by that.
  }
}

/** @returns `undefined` where there is none, or none that can be read. */
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
