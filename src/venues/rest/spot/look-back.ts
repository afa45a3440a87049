import { ExchangeError } from '../../../exchange/errors/exchange-error.ts';
import { isoTime } from '../../../model/time-text.ts';
import type { Log } from '../../../ports/log.ts';

/** The exchange's word for a period that begins too long ago. How long that is it does not say. */
const TOO_OLD = '40704';
const HOUR_MS = 3_600_000;
/** Half a year to an hour, longest first: what exchanges allow is mostly one of these. */
const HOURS = [4_320, 2_160, 1_440, 720, 336, 168, 72, 24, 1];
/** By how much less is asked for: a request takes its time, and clocks differ. */
const SHORT_BY_MS = 120_000;

export interface LookBack {
  /** Epoch ms; both are the exchange's time. */
  readonly from: number;
  readonly now: number;
  /** What is asked for, as the log calls it. */
  readonly what: string;
  readonly log: Log;
}

/**
 * Asks for all since `from`; where that is too long ago for the exchange, for as long as it allows, and tells what is not covered.
 * @returns the answer, and from when it is.
 */
export async function lookBack<T>(
  { from, now, what, log }: LookBack,
  ask: (from: number) => Promise<T>,
): Promise<{ answer: T; from: number }> {
  const shorter = HOURS.map((hours) => now - hours * HOUR_MS + SHORT_BY_MS).filter((time) => time > from);
  for (let since = from; ; ) {
    try {
      const answer = await ask(since);
      if (since > from) {
        const uncovered = { from: isoTime(from), to: isoTime(since) };
        log.warn(`the exchange tells ${what} of so long ago no more: a difference that they made shows in balances alone`, uncovered);
      }
      return { answer, from: since };
    } catch (error) {
      const next = shorter.shift();
      if (next === undefined || !(error instanceof ExchangeError) || error.exchangeCode !== TOO_OLD) throw error;
      since = next;
    }
  }
}
