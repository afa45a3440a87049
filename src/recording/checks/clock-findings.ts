import type { SeriesMeta } from '../columns/series-meta.ts';
import type { Finding } from './check-tally.ts';

/** A change of the offset in ms that neither the network nor whole milliseconds make. */
const MOST_DRIFT_MS = 100;

/**
 * Judges the clock that stamped the rows of a series as they were received by that of the exchange (warnings): rows received before
 * they were sent, and an offset that is another by more than 100 ms in the last tenth of the rows than in the first.
 */
export function clockFindings({ clock }: SeriesMeta): Finding[] {
  if (clock === undefined) return [];
  const { rows, early, least, median, greatest, first, last } = clock;
  const found: Finding[] = [];
  const of = { severity: 'warning', time: undefined } as const;
  if (early > 0) {
    const what = 'rows received before the exchange sent them: one of the two clocks is wrong';
    const range = `${seconds(least)} to ${seconds(greatest)}, ${seconds(median)} in the middle`;
    found.push({
      ...of,
      code: 'receivedEarly',
      count: early,
      what,
      text: `${what} (${early} of ${rows}): receive less exchange time is ${range}`,
    });
  }
  if (Math.abs(last - first) > MOST_DRIFT_MS) {
    const what = 'receive times drift from those of the exchange';
    const told = `receive less exchange time is ${seconds(first)} in the first tenth of the rows, ${seconds(last)} in the last`;
    found.push({ ...of, code: 'clockDrift', count: 1, what, text: `${what}: ${told}` });
  }
  return found;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(3)} s`;
}
