import type { Doubt } from './tracked-order.ts';
import type { RestSettings } from './trading.ts';

/** How often, after that moment, an order must not be found before it counts as never having been. */
const MISSES_NEEDED = 2;

/**
 * The rule of proof for requests without an answer. A request that has not left when its call ends never leaves, so
 * that moment is the latest its timestamp can be; from then it may act for the exchange's window, and what it did
 * may stay invisible for the lag.
 * @param answered the exchange did answer, without saying what became of the order: only the lag counts.
 */
export function newDoubt(settings: RestSettings, now: number, answered: boolean): Doubt {
  const { windowMs, clockErrorMs, visibilityLagMs } = settings;
  return { since: now, provableAt: now + visibilityLagMs + (answered ? 0 : windowMs + clockErrorMs), misses: 0 };
}

/**
 * A look-up that began at `askedAt` found nothing.
 * @returns whether that proves that the order never existed.
 */
export function missed(doubt: Doubt, askedAt: number): boolean {
  if (askedAt < doubt.provableAt) return false;
  doubt.misses++;
  return doubt.misses >= MISSES_NEEDED;
}
