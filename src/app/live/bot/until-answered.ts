import { ExchangeError } from '../../../exchange/errors/exchange-error.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Log } from '../../../ports/log.ts';
import { paused } from './paused.ts';

/** Between two tries, in ms: doubling. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

export interface Asking {
  readonly clock: Clock;
  readonly log: Log;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
}

/**
 * Asks the exchange at the start of a bot: one that cannot be asked is asked again; one that refuses is not.
 * @returns `undefined` where it was told to stop before.
 */
export async function untilAnswered<T>(ask: () => Promise<T>, { clock, log, signal }: Asking): Promise<T | undefined> {
  for (let waitMs = FIRST_WAIT_MS; !signal.aborted; waitMs = Math.min(LONGEST_WAIT_MS, 2 * waitMs)) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ExchangeError) || !error.retryable) throw error;
      log.warn('the exchange could not be asked how things stand: trying again', { error: error.message, waitMs });
      await paused(clock, waitMs, signal);
    }
  }
  return undefined;
}
