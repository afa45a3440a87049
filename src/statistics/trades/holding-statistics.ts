import { largest, mean, quantile, smallest } from '../returns/moments.ts';
import type { Sample, Statistic } from '../statistic.ts';
import type { ClosedTrade } from './trade.ts';

/** How long closed trades lasted: first entry to last exit. */
export const HOLDING_STATISTICS = [
  ...of('', '', 'trades', (sample) => sample.trades.closed),
  ...of('Win', 'winning ', 'wins', (sample) => sample.wins),
  ...of('Loss', 'losing ', 'losses', (sample) => sample.losses),
] as const;

function of<Which extends '' | 'Win' | 'Loss'>(
  which: Which,
  word: string,
  sampleOf: 'trades' | 'wins' | 'losses',
  take: (sample: Sample) => readonly ClosedTrade[],
) {
  const common = { group: 'holding', unit: 'duration', smallestSample: { count: 1, of: sampleOf } } as const;
  const durations = (sample: Sample) => take(sample).map(({ holdingMs }) => holdingMs);
  return [
    {
      ...common,
      key: `average${which}HoldingMs`,
      label: `Average ${word}holding time`,
      meaning: `How long a ${word}trade lasted on average.`,
      formula: `mean of last exit - first entry, of ${word}trades`,
      compute: (sample) => mean(durations(sample)),
    },
    {
      ...common,
      key: `median${which}HoldingMs`,
      label: `Median ${word}holding time`,
      meaning: `Half of the ${word}trades lasted longer.`,
      formula: `median of last exit - first entry, of ${word}trades`,
      compute: (sample) => quantile(durations(sample), 0.5),
    },
    {
      ...common,
      key: `min${which}HoldingMs`,
      label: `Shortest ${word}holding time`,
      meaning: `The ${word}trade that was over first.`,
      formula: `smallest last exit - first entry, of ${word}trades`,
      compute: (sample) => smallest(durations(sample)),
    },
    {
      ...common,
      key: `max${which}HoldingMs`,
      label: `Longest ${word}holding time`,
      meaning: `The ${word}trade that lasted longest.`,
      formula: `largest last exit - first entry, of ${word}trades`,
      compute: (sample) => largest(durations(sample)),
    },
  ] as const satisfies readonly Statistic[];
}
