import type { Check } from './check.ts';
import { duration, moment } from './figure-text.ts';

/** An hour without prices is a move that nobody could answer. */
const LONG_GAP_MS = 3_600_000;
/** Fewer days a year than these: a market that closes. */
const ALWAYS_OPEN_DAYS = 365;

/** What went into the run. */
export const SETUP_CHECKS = [
  {
    id: 'gapsInTrades',
    title: 'Prices are missing while something is held',
    speaks: `bars are missing, or no price comes for five minutes, while an instrument is held; a warning from ${duration(LONG_GAP_MS)} on, unless \`report.annualDays\` says that the market closes`,
    why: 'Stops, marks and drawdown are blind in a gap, and the first price after it may be far away.',
    advice: 'Complete the data; where the market closes, look at what positions lose overnight.',
    ask: ({ record: { annualDays }, context: { gaps } }) => {
      const [first, ...others] = gaps;
      if (first === undefined) return undefined;
      const longest = others.reduce((most, one) => (one.longestMs > most.longestMs ? one : most), first);
      const count = gaps.reduce((sum, one) => sum + one.count, 0);
      const { symbol, longestMs, longestFrom } = longest;
      return {
        severity: longestMs >= LONG_GAP_MS && annualDays >= ALWAYS_OPEN_DAYS ? 'warning' : 'info',
        figures: { gaps: String(count), symbol, longest: duration(longestMs), from: moment(longestFrom) },
      };
    },
  },
  {
    id: 'edgeParameters',
    title: 'Parameters stand at the edge of their range',
    speaks: "a number among a strategy's parameters equals the least or the most that its schema allows, and is not the default",
    why: 'The best value may lie beyond the edge, where nobody has looked; next to it there are neighbours on one side alone.',
    advice: 'Widen the range in the schema, and see that neighbouring values do as well.',
    ask: ({ context: { strategies } }) => {
      const edges = strategies.flatMap(({ id, parameters }) =>
        parameters
          .filter(({ value, minimum, maximum, default: usual }) => value !== usual && (value === minimum || value === maximum))
          .map(({ name, value }): [string, string] => [`${id}.${name}`, String(value)]),
      );
      return edges.length === 0 ? undefined : { severity: 'info', figures: Object.fromEntries(edges) };
    },
  },
] as const satisfies readonly Check[];
