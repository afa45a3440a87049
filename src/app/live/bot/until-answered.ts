import { ExchangeError } from '../../../exchange/errors.ts';
import { TidegateError } from '../../../model/errors.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Log } from '../../../ports/log.ts';

/** The pauses between two attempts, in ms; each is twice the one before. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/** The thing that a start waits for at present, for `status`. */
export class StartWaits {
  what = 'its journal to be read';
  /** Epoch ms. */
  since: number;
  /** The last failure, as text. */
  error: string | undefined;

  constructor(private readonly now: () => number) {
    this.since = now();
  }

  begin(what: string): void {
    this.what = what;
    this.since = this.now();
    this.error = undefined;
  }

  get text(): string {
    return `waits for ${this.what}${this.error === undefined ? '' : ` (${this.error})`}`;
  }
}

interface Asking {
  readonly clock: Clock;
  readonly log: Log;
  /** Ends the retries. */
  readonly signal: AbortSignal;
  /** Ends a present attempt, too; default: `signal`. */
  readonly giveUp?: AbortSignal | undefined;
  /** Ends the pause before the next attempt once. */
  readonly hurry?: AbortSignal | undefined;
  /** Whether the start goes on although this failed. */
  readonly passes?: ((error: TidegateError) => boolean) | undefined;
  readonly waits?: StartWaits | undefined;
}

/**
 * Calls the exchange at the start of a bot. A failure that may pass by itself (no reply, one that cannot be read, a redirect, an
 * unlisted code) is logged and the call repeated; any other failure ends the start.
 * @returns `undefined` if the bot was stopped before, or the failure passes.
 */
export async function untilAnswered<T>(ask: () => Promise<T>, asking: Asking): Promise<T | undefined> {
  const { clock, log, signal, giveUp = signal, hurry, passes, waits } = asking;
  const given = aborted(giveUp);
  for (let waitMs = FIRST_WAIT_MS; !signal.aborted; waitMs = Math.min(LONGEST_WAIT_MS, 2 * waitMs)) {
    try {
      return await Promise.race([ask(), given]);
    } catch (error) {
      if (!(error instanceof TidegateError) || !error.retryable) throw error;
      if (waits !== undefined) waits.error = error.message;
      if (passes?.(error) === true) return undefined;
      const what = error instanceof ExchangeError ? 'a request of the start failed' : 'the bot cannot start yet';
      log.warn(`${what}: trying again`, { error: error.message, waitMs });
      const isHurried = hurry?.aborted === false;
      await paused(clock, waitMs, isHurried ? AbortSignal.any([signal, hurry]) : signal);
    }
  }
  return undefined;
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

/** Resolves after this number of ms, or when the signal aborts. */
export function paused(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.schedule(clock.now() + ms, end);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}
