import type { Exchange } from 'ccxt';
import { type ErrorCode, TidegateError } from '../../../model/errors.ts';

/** So often in a row a call is tried. */
const TRIES = 8;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

export interface RetryOptions {
  readonly client: Exchange;
  /** Waits so many ms; rejects when the download is ended. */
  readonly wait: (ms: number) => Promise<void>;
  /** Told before each wait. */
  readonly onWait: (ms: number, problem: string) => void;
}

/**
 * Calls until it succeeds: after trouble that may pass (network, time-outs, limits, 5xx) it waits as long as the exchange asks
 * (`Retry-After`), else 1 s and each time twice as long, up to a minute.
 * @throws TidegateError EXCHANGE_REFUSED at once where the exchange refuses; the kind of trouble after the eighth time.
 */
export async function withRetries<T>(call: () => Promise<T>, { client, wait, onWait }: RetryOptions): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await call();
    } catch (error) {
      if (error instanceof TidegateError) throw error;
      const problem = plain(error);
      const code = codeOf(error);
      if (code === undefined) throw error;
      if (code === 'EXCHANGE_REFUSED' || tries === TRIES) {
        const often = tries === 1 ? '' : ` (${tries} times in a row)`;
        throw new TidegateError(code, `${problem}${often}`, { cause: error, retryable: code !== 'EXCHANGE_REFUSED' });
      }
      const ms = retryAfter(client) ?? Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), LONGEST_WAIT_MS);
      onWait(ms, problem);
      await wait(ms);
    }
  }
}

/** The kind of trouble by the classes of ccxt that an error is of; undefined for what is not ccxt's. */
function codeOf(error: unknown): ErrorCode | undefined {
  const classes = new Set<string>();
  for (
    let type = (error as object | null)?.constructor;
    typeof type === 'function' && type.name !== '';
    type = Object.getPrototypeOf(type)
  ) {
    classes.add(type.name);
  }
  if (classes.has('RateLimitExceeded') || classes.has('DDoSProtection')) return 'EXCHANGE_LIMITED';
  if (classes.has('RequestTimeout')) return 'EXCHANGE_TIMEOUT';
  if (classes.has('OperationFailed')) return 'EXCHANGE_UNREACHABLE';
  return classes.has('BaseError') ? 'EXCHANGE_REFUSED' : undefined;
}

/** Ms of the last answer's `Retry-After` in seconds. */
function retryAfter(client: Exchange): number | undefined {
  const headers = Object.entries(client.last_response_headers ?? {});
  const seconds = headers.find(([name]) => name.toLowerCase() === 'retry-after')?.[1];
  return seconds !== undefined && /^\d+$/.test(seconds) ? Number(seconds) * 1_000 : undefined;
}

/** An error's message on one line of at most 200 characters. */
function plain(error: unknown): string {
  const text = (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ');
  return text.length > 200 ? `${text.slice(0, 200)}...` : text;
}
