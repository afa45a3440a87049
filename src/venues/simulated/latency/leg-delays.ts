import { Random } from '../../../model/random.ts';
import { drawerOf } from './delay.ts';
import type { Latency, Leg, RecordedDelays } from './latency.ts';

/** Where nothing else is said: the same run again gives the same draws. */
const SEED = 1;

/** The random numbers that one part of the latency draws from: what another draws changes nothing. */
export function streamOf({ seed = SEED }: Latency, name: string): Random {
  return new Random(seed, `latency/${name}`);
}

/** How long what sets out now takes, in ms. Called with times that never go back. */
export type LegDelays = (now: number) => number;

/**
 * The times of one leg: the recorded ones where there are any, else as they are set.
 * @param stream that is drawn from, told apart from other streams of the same leg.
 */
export function legDelays(latency: Latency, leg: Leg, stream: string = leg): LegDelays {
  const { recorded, addedMs = 0 } = latency;
  const rows = recorded?.[leg];
  const own = rows === undefined ? drawerOf(latency[`${leg}Ms`] ?? 0, streamOf(latency, stream)) : recordedDelays(rows);
  const added = leg === 'entry' || leg === 'response' ? addedMs : 0;
  return added === 0 ? own : (now) => own(now) + added;
}

/** A refused row has no time of its own. */
function recordedDelays(rows: RecordedDelays): LegDelays {
  const at = rowFinder(rows);
  return (now) => at(now) || 0;
}

/** The row at or before `now`; before the first one the first, after the last one the last. */
export function rowFinder({ times, delays }: RecordedDelays): LegDelays {
  let row = 0;
  return (now) => {
    while (row + 1 < times.length && times[row + 1]! <= now) row++;
    return delays[row]!;
  };
}
