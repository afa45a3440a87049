const MINUTE_MS = 60_000;

/** Exchanges stamp funding some milliseconds beside its time; up to this far from a whole minute it is that minute. */
export const FUNDING_JITTER_MS = 1_000;

/**
 * The time at which the funding of this stamp is due, epoch ms: the whole minute that lies at most one second
 * before or after it, else the stamp itself. Stamps in order stay in order.
 */
export function fundingTime(stamp: number): number {
  const minute = Math.round(stamp / MINUTE_MS) * MINUTE_MS;
  return Math.abs(stamp - minute) <= FUNDING_JITTER_MS ? minute : stamp;
}
