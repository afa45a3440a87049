import { execFile } from 'node:child_process';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { EXIT_CODES } from '../base/exit-codes.ts';

/**
 * SIGINT and SIGTERM stop the bot, a second one ends the process at once: what the journal has committed is enough to go
 * on from. SIGUSR2 kills the bot, which stays up.
 * @returns lets go of them.
 */
export function watchSignals(stop: (why: string) => void, kill: (flatten: boolean, reason: string) => void): () => void {
  let stopping = false;
  const onStop = (signal: string) => {
    if (stopping) process.exit(EXIT_CODES.interrupted);
    stopping = true;
    stop(signal);
  };
  const onKill = () => kill(false, 'SIGUSR2');
  process.on('SIGINT', onStop);
  process.on('SIGTERM', onStop);
  process.on('SIGUSR2', onKill);
  return () => {
    process.off('SIGINT', onStop);
    process.off('SIGTERM', onStop);
    process.off('SIGUSR2', onKill);
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
