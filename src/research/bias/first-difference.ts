import type { BiasOutcome, Decision } from './decision.ts';

/** The first decision in which two runs differ; one of them is missing where a run did not make it. */
export interface FirstDifference {
  /** Epoch ms. */
  readonly time: number;
  readonly strategyId: string;
  readonly expected: string | undefined;
  readonly found: string | undefined;
}

/** Compares the decisions of two runs in [from, until], in their order. */
export function firstDifference(
  full: BiasOutcome,
  other: BiasOutcome,
  { from = Number.NEGATIVE_INFINITY, until = Math.min(full.until, other.until) } = {},
): FirstDifference | undefined {
  // What followed from a price after the last data cannot be there yet.
  const within = ({ time, afterNext }: Decision) => time >= from && (time < until || (time === until && !afterNext));
  const [expected, found] = [full.decisions.filter(within), other.decisions.filter(within)];
  for (let at = 0; at < Math.max(expected.length, found.length); at++) {
    const [one, two] = [expected[at], found[at]];
    if (one !== undefined && two !== undefined && one.time === two.time && one.strategyId === two.strategyId && one.intent === two.intent)
      continue;
    const first = two === undefined || (one !== undefined && one.time <= two.time) ? one! : two;
    const { time, strategyId } = first;
    const at1 = one?.time === time ? one.intent : undefined;
    const at2 = two?.time === time ? two.intent : undefined;
    return { time, strategyId, expected: at1, found: at2 };
  }
  return undefined;
}
