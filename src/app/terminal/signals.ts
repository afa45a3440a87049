import { execFile } from 'node:child_process';
import { isatty } from 'node:tty';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { EXIT_CODES } from '../base/exit-codes.ts';

/** The actions that signals start in a process that runs until it is stopped. */
interface SignalOutlets {
  stop(why: string): void;
  kill(flatten: boolean, reason: string): void;
  /** Opens a new log file: the present one has been renamed. */
  reopenLog(): void;
}

/** The longest time that a terminal needs to disappear after a SIGHUP, in ms. */
const HANGUP_MS = 1_000;
const STANDARD_FILES = [0, 1, 2];

/**
 * Watches the signals of a bot. SIGINT and SIGTERM stop the process; a second one ends it at once, as the journal has all that a restart
 * needs. SIGUSR2 kills the bot, whose process goes on. SIGHUP reopens the log, or stops a process whose terminal is closed.
 * @returns a function that stops watching.
 */
export function watchSignals({ stop, kill, reopenLog }: SignalOutlets): () => void {
  const terminals = STANDARD_FILES.filter((file) => isatty(file));
  let stopping = false;
  let laterCheck: NodeJS.Timeout | undefined;
  const onStop = (signal: string) => {
    if (stopping) process.exit(EXIT_CODES.interrupted);
    stopping = true;
    stop(signal);
  };
  const stopsIfGone = (): boolean => {
    if (terminals.length === 0 || terminals.some((file) => isatty(file))) return false;
    // The signal may come twice: from the shell and from the system.
    if (!stopping) onStop('SIGHUP: the terminal is gone');
    return true;
  };
  const onHangup = () => {
    if (stopsIfGone()) return;
    reopenLog();
    clearTimeout(laterCheck);
    laterCheck = terminals.length === 0 ? undefined : setTimeout(stopsIfGone, HANGUP_MS);
  };
  const handlers = { SIGINT: onStop, SIGTERM: onStop, SIGHUP: onHangup, SIGUSR2: () => kill(false, 'SIGUSR2') } as const;
  const signals = Object.entries(handlers) as [NodeJS.Signals, (signal: string) => void][];
  for (const [signal, handler] of signals) process.on(signal, handler);
  return () => {
    clearTimeout(laterCheck);
    for (const [signal, handler] of signals) process.off(signal, handler);
  };
}

/** Reports the state of the process to its manager: to pm2 over a channel, to systemd with `systemd-notify`. */
export interface ServiceManager {
  ready(): void;
  stopping(): void;
  close(): void;
}

/** The variables of the environment that are read here. */
interface ServiceEnvironment {
  readonly NOTIFY_SOCKET?: string | undefined;
  readonly WATCHDOG_USEC?: string | undefined;
}

/**
 * Makes the manager's interface, and starts to notify systemd's watchdog if the unit has one.
 * @param send the channel to a parent process, if there is one.
 * @param alive whether the bot makes progress: systemd's watchdog is notified only then, so it restarts a bot that hangs.
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
      if (error !== null)
        log.warn('systemd-notify failed: systemd does not know the state of this process', { state, error: error.message });
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
