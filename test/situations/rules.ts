import { EXIT_CODES } from '../../src/app/base/exit-codes.ts';
import type { Cell, CommandName, Situation } from './list.ts';

/** What is left at the exchange of the strategy's position and orders. */
export interface Left {
  readonly position: 'open' | 'closed';
  readonly orders: Situation['orders'];
}

export interface Expected {
  /** The exit code of the command. Undefined for a watchdog, which goes on. */
  readonly code: number | undefined;
  /** What is left as soon as it has had its effect. */
  readonly left: Left;
  /** Whether the bot's process is there then. */
  readonly isUp: boolean;
  /** What is left after the situation has ended, if something outside the bot ends it. */
  readonly later: Left | undefined;
}

const { ok, config, leftOver } = EXIT_CODES;

const AFTER_REDUCE = { all: 'exits', exits: 'exits', entries: 'none', none: 'none' } as const;

/** The effect of a command on a bot that can do it. */
function effectOf(command: CommandName, before: Left): Left {
  switch (command) {
    case 'status':
    case 'reset':
      return before;
    case 'stop':
    case 'kill':
    case 'watchdog':
      return { ...before, orders: 'none' };
    case 'kill --flatten':
    case 'watchdog, flatten':
      return { position: 'closed', orders: 'none' };
    case 'reduce':
      return { ...before, orders: AFTER_REDUCE[before.orders] };
    default:
      return command satisfies never;
  }
}

/** A command reaches a bot whose process holds the lock: at once, or by its file. Status and reset have no file. */
function codeOf({ process }: Situation, command: CommandName, isDone: boolean): number | undefined {
  if (command.startsWith('watchdog')) return undefined;
  if (process === 'none') return config;
  if (process === 'silent') return command === 'status' || command === 'reset' ? config : leftOver;
  return command === 'kill --flatten' && !isDone ? leftOver : ok;
}

/**
 * The expectation of a cell, by rules:
 * - A command to a bot that is not there changes nothing. One to a bot that cannot act yet has its effect as soon as it can.
 * - A watchdog acts where heartbeats are missing, and nowhere else.
 * - A kill is in force until a reset; with flatten, so is the closing.
 * - A close that cannot contain all of the position is not complete: the rest is closed as soon as a record shows it. A stop waits for it.
 * - A start that waits for the clock obeys a kill, which needs no price and no clock. It obeys a reduce when it is complete.
 * - A stop in progress cancels all orders as soon as it can. An exchange that refuses cancels takes a close.
 * - A stop before a start is complete cancels nothing.
 */
export function expected({ situation, command }: Cell): Expected {
  const { process, beats, bot, exchange, orders, hides = false, stops = false, killed, goesOn } = situation;
  const before: Left = { position: 'open', orders };
  const isWatchdog = command.startsWith('watchdog');
  const isStarting = process === 'answers' && !beats;
  const isIdle = isWatchdog ? beats : process === 'none' || (command === 'stop' && isStarting);
  const effect = isIdle ? before : effectOf(command, before);
  const acts = isWatchdog ? exchange === 'acts' : bot === 'acts' && !(command === 'reduce' && isStarting);
  const closesOnly = stops && command === 'kill --flatten';
  const left = closesOnly
    ? { ...before, position: 'closed' as const }
    : !acts
      ? before
      : hides
        ? { ...effect, position: 'open' as const }
        : effect;
  const ends = command === 'stop' && process === 'answers' && (acts || isStarting) && !hides;
  const isUp = process !== 'none' && !ends && !(isWatchdog && isStarting);
  const goesOnClosing = killed === 'flatten' && command !== 'reset';
  const later: Left = goesOnClosing ? { position: 'closed', orders: 'none' } : stops ? { ...effect, orders: 'none' } : effect;
  return {
    code: codeOf(situation, command, left.position === 'closed' && left.orders === 'none'),
    left,
    isUp,
    later: goesOn === undefined ? undefined : later,
  };
}
