import type { Statistic } from './statistic.ts';

/** The deepest fall of equity from a peak, marked at every market event rather than at day ends. */
export const DRAWDOWN_STATISTICS = [
  {
    key: 'maxDrawdown',
    label: 'Max drawdown',
    group: 'drawdown',
    unit: 'share',
    formula: 'largest (peak - equity) / peak, where peak is the highest equity so far, over every market event',
    smallestSample: undefined,
    compute: ({ record }) => record.drawdown.depth,
  },
  {
    key: 'maxDrawdownMs',
    label: 'Max drawdown length',
    group: 'drawdown',
    unit: 'duration',
    formula: 'from the peak of the max drawdown to the first return to it, or to the end of the run',
    smallestSample: undefined,
    compute: ({ record: { drawdown, to } }) => (drawdown.depth > 0 ? (drawdown.recoveredTime ?? to) - drawdown.peakTime : null),
  },
  {
    key: 'maxDrawdownPeakTime',
    label: 'Max drawdown peak',
    group: 'drawdown',
    unit: 'time',
    formula: 'time of the peak that the max drawdown fell from',
    smallestSample: undefined,
    compute: ({ record: { drawdown } }) => (drawdown.depth > 0 ? drawdown.peakTime : null),
  },
  {
    key: 'maxDrawdownTroughTime',
    label: 'Max drawdown trough',
    group: 'drawdown',
    unit: 'time',
    formula: 'time of its lowest equity',
    smallestSample: undefined,
    compute: ({ record: { drawdown } }) => (drawdown.depth > 0 ? drawdown.troughTime : null),
  },
  {
    key: 'maxDrawdownRecoveredTime',
    label: 'Max drawdown recovered',
    group: 'drawdown',
    unit: 'time',
    formula: 'time of the first market event back at its peak; n/a when the run ended below it',
    smallestSample: undefined,
    compute: ({ record }) => record.drawdown.recoveredTime ?? null,
  },
  {
    key: 'longestDrawdownMs',
    label: 'Longest drawdown',
    group: 'drawdown',
    unit: 'duration',
    formula: 'longest time from a peak to the return to it, of any drawdown; one still open runs to the end of the run',
    smallestSample: undefined,
    compute: ({ record }) => record.drawdown.longestMs,
  },
] as const satisfies readonly Statistic[];
