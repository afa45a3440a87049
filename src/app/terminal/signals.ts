import { execFile } from 'node:child_process';
import { isatty } from 'node:tty';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { EXIT_CODES } from '../base/exit-codes.ts';

/** What signals ask of a process that runs until it is stopped. */
interface SignalOutlets {
  stop(why: string): void;
  kill(flatten: boolean, reason: string): void;
  /** The log file has been renamed: what is written from here goes into a new one. */
  reopenLog(): void;
}

/** After a SIGHUP the terminal may take so long to be gone, in ms. */
const HANGUP_MS = 1_000;
const STANDARD_FILES = [0, 1, 2];

/**
 * SIGINT and SIGTERM stop the process, a second one ends it at once: what the journal has committed is enough to go on from.
 * SIGUSR2 kills the bot, which stays up. SIGHUP reopens the log; it stops a process that was started on a terminal which is gone.
 * @returns lets go of them.
 */
export function watchSignals({ stop, kill, reopenLog }: SignalOutlets): () => void {
  const terminals = STANDARD_FILES.filter((file) => isatty(file));
  let stopping = false;
  let looking: NodeJS.Timeout | undefined;
  const onStop = (signal: string) => {
    if (stopping) process.exit(EXIT_CODES.interrupted);
    stopping = true;
    stop(signal);
  };
  const stopsIfGone = (): boolean => {
    if (terminals.length === 0 || terminals.some((file) => isatty(file))) return false;
    // It may come twice: from the shell, and from the system.
    if (!stopping) onStop('SIGHUP: the terminal is gone');
    return true;
  };
  const onHangup = () => {
    if (stopsIfGone()) return;
    reopenLog();
    clearTimeout(looking);
    looking = terminals.length === 0 ? undefined : setTimeout(stopsIfGone, HANGUP_MS);
  };
  const handlers = { SIGINT: onStop, SIGTERM: onStop, SIGHUP: onHangup, SIGUSR2: () => kill(false, 'SIGUSR2') } as const;
  const signals = Object.entries(handlers) as [NodeJS.Signals, (signal: string) => void][];
  for (const [signal, take] of signals) process.on(signal, take);
  return () => {
    clearTimeout(looking);
    for (const [signal, take] of signals) process.off(signal, take);
  };
}

/** Reports the state of the process to its manager: to pm2 over a channel, to systemd by its own tool. */
export interface ServiceManager {
  ready(): void;
  stopping(): void;
  close(): void;
}

/** The environment, as far as it is read here. */
interface ServiceEnvironment {
  readonly NOTIFY_SOCKET?: string | undefined;
  readonly WATCHDOG_USEC?: string | undefined;
}

/**
 * @param send the channel to a parent process, where there is one.
 * @param alive asked before the watchdog is fed: a bot that hangs is not alive.
 */
export function serviceManager(
  environment: ServiceEnvironment,
  send: ((message: string) => void) | undefined,
  clock: Clock,
  log: Log,
  alive: () => boolean,
): ServiceManager {
  const { NOTIFY_SOCKET, WATCHDOG_USEC } = environment;
  const notify = (state: string) => {
    if (NOTIFY_SOCKET === undefined) return;
    execFile('systemd-notify', [state], (error) => {
      if (error !== null) log.warn('systemd could not be told', { state, error: error.message });
    });
  };
  const periodMs = Number(WATCHDOG_USEC) / 2_000;
  let cancel = () => {};
  const feed = () => {
    if (alive()) notify('WATCHDOG=1');
    cancel = clock.schedule(clock.now() + periodMs, feed);
  };
  if (NOTIFY_SOCKET !== undefined && periodMs > 0) feed();
  return {
    ready() {
      send?.('ready');
      notify('READY=1');
    },
    stopping: () => notify('STOPPING=1'),
    close: () => cancel(),
  };
}
