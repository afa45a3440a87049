const MINUTE_MS = 60_000;

/** Exchanges publish funding times that differ by some milliseconds. A time up to this far from a whole minute counts as that minute. */
export const FUNDING_JITTER_MS = 1_000;

/**
 * The due time of a funding event, epoch ms: the whole minute at most one second before or after its stamp, else the stamp itself. The
 * order of stamps is kept.
 */
export function fundingTime(stamp: number): number {
  const minute = Math.round(stamp / MINUTE_MS) * MINUTE_MS;
  return Math.abs(stamp - minute) <= FUNDING_JITTER_MS ? minute : stamp;
}
