import { normalQuantile } from '../../../model/normal-quantile.ts';
import type { Random } from '../../../model/random.ts';

/** What times are drawn from, of which one is given; parameters in ms but for `sigma`. */
export interface Distribution {
  /** [least, most] */
  readonly uniform?: readonly number[] | undefined;
  /** What falls below 0 is 0. */
  readonly normal?: { readonly mean: number; readonly deviation: number } | undefined;
  /** `sigma` is the standard deviation of the logarithm. */
  readonly lognormal?: { readonly median: number; readonly sigma: number } | undefined;
  /** `mean` is that of the whole, `least` included. */
  readonly exponential?: { readonly least: number; readonly mean: number } | undefined;
}

/** Ms, or what they are drawn from. */
export type Delay = number | Distribution;

/** The middle of the steps that `Random` draws in: never 0, never 1. */
const HALF_STEP = 2 ** -33;

/**
 * Draws the times of a leg, one number of the stream each. What is drawn is rounded to the microsecond, as all times
 * are; that also takes the last digits off, in which logarithms of two machines might differ.
 */
export function drawerOf(delay: Delay, random: Random): () => number {
  if (typeof delay === 'number') return () => delay;
  const at = shapeOf(delay);
  return () => Math.round(at(random.uniform() + HALF_STEP) * 1000) / 1000;
}

/** The time that this share of all draws is below. */
function shapeOf({ uniform, normal, lognormal, exponential }: Distribution): (share: number) => number {
  if (normal !== undefined) return (share) => Math.max(0, normal.mean + normal.deviation * normalQuantile(share));
  if (lognormal !== undefined) return (share) => lognormal.median * Math.exp(lognormal.sigma * normalQuantile(share));
  if (exponential !== undefined) {
    const { least, mean } = exponential;
    return (share) => least - (mean - least) * Math.log1p(-share);
  }
  const [least = 0, most = least] = uniform ?? [];
  return (share) => least + share * (most - least);
}
