import type { BiasOutcome, BiasRun } from './decision.ts';
import { type FirstDifference, firstDifference } from './first-difference.ts';

/** How decisions hang on where a run begins. */
export interface StartSensitivity {
  /** Epoch ms: where it began. */
  readonly from: number;
  /** From here on it decides what the whole run does, epoch ms; undefined where it never does. */
  readonly settledAt: number | undefined;
  /** The first decision after its start that differs; undefined where none does. */
  readonly first: FirstDifference | undefined;
  /** Of the whole run from there on, and how many came before it settled. */
  readonly decisions: number;
  readonly unsettled: number;
}

/**
 * Begins the run later, at even shares of its period, and compares the decisions in the overlap with those of the whole run.
 * A strategy with enough history before its start decides the same from the start on; one that carries a position or
 * its equity along need not.
 * @param starts how many.
 */
export async function warmUpSensitivity(run: BiasRun, full: BiasOutcome, starts: number): Promise<StartSensitivity[]> {
  const found: StartSensitivity[] = [];
  for (let index = 1; index <= starts; index++) {
    const from = Math.floor(full.first + ((full.until - full.first) * index) / (starts + 1));
    found.push(sensitivityOf(full, await run({ from })));
  }
  return found;
}

function sensitivityOf(full: BiasOutcome, later: BiasOutcome): StartSensitivity {
  const { first: from } = later;
  const first = firstDifference(full, later, { from });
  const times = full.decisions.filter(({ time }) => time >= from).map(({ time }) => time);
  if (first === undefined) return { from, settledAt: from, first, decisions: times.length, unsettled: 0 };
  // The latest difference, sought from behind: what follows it is the same.
  const all = [...new Set([...times, ...later.decisions.map(({ time }) => time)])].filter((time) => time >= from).sort((a, b) => b - a);
  let settledAt: number | undefined;
  for (const time of all) {
    if (firstDifference(full, later, { from: time }) !== undefined) break;
    settledAt = time;
  }
  return {
    from,
    settledAt,
    first,
    decisions: times.length,
    unsettled: times.filter((time) => time < (settledAt ?? Number.POSITIVE_INFINITY)).length,
  };
}
