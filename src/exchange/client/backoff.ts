import type { Clock } from '../../ports/clock.ts';

/** The pause before try number `attempt` (the second is 1): drawn from 0 up to a bound that doubles, so that clients do not come back in step. */
export function backoffMs(attempt: number, firstMs: number, mostMs: number, random: () => number): number {
  return Math.min(mostMs, firstMs * 2 ** (attempt - 1)) * random();
}

/** Resolves after so long on the clock. */
export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.schedule(clock.now() + ms, resolve);
  });
}
