import type { Decimal } from '../../model/decimal.ts';
import type { Side } from '../../model/order.ts';
import type { ComparedFigure } from './compared-figures.ts';
import type { ComparedOrder } from './compared-run.ts';
import type { SetupDifference, SetupKind } from './run-setup.ts';

/** The causes of a difference between two runs. `unexplained` is the rest that no rule explains; it is never added to another cause. */
export const CAUSES = {
  missingData: 'missing data',
  latency: 'latency',
  price: 'price',
  partialFill: 'partial fill',
  fee: 'fee',
  refused: 'refused',
  killed: 'killed',
  stopped: 'stopped',
  foreign: 'foreign',
  funding: 'funding',
  liquidation: 'liquidation',
  start: 'start',
  size: 'size follows equity',
  endPrice: 'end price',
  unexplained: 'unexplained',
} as const;

export type Cause = keyof typeof CAUSES;

/** A part of the difference, with its cause. Money is in the runs' currency: above zero, the second run has more. */
export interface DifferencePart {
  readonly cause: Cause;
  readonly amount: Decimal;
  /** The observation, in words. */
  readonly note: string;
}

/** One order of the first run and the matching one of the second; one of them may be missing. */
export interface OrderPair {
  readonly a: ComparedOrder | undefined;
  readonly b: ComparedOrder | undefined;
}

/** A pair that at least one run filled, and its part of the difference. */
export interface ComparedTrade extends OrderPair {
  /** The first fill of either, epoch ms. */
  readonly time: number;
  readonly strategyId: string;
  readonly symbol: string;
  readonly side: Side;
  /** Empty where both did the same. */
  readonly parts: readonly DifferencePart[];
}

/**
 * The orders of one strategy in one symbol from the moment when both runs were flat until both are flat again. An exit often recovers the
 * loss of an entry, so only their sum is a difference.
 */
export interface RoundTrip {
  /** The first fill and the last trade's first fill of either run, epoch ms. */
  readonly from: number;
  readonly to: number;
  readonly strategyId: string;
  readonly symbol: string;
  /** In order of time. */
  readonly trades: readonly ComparedTrade[];
  readonly amount: Decimal;
}

/** A part of the difference that is not due to a fill. */
export interface OtherDifference extends DifferencePart {
  /** Epoch ms; absent where it has no time. */
  readonly time: number | undefined;
}

/** The first and the last time of a run's equity, epoch ms. */
export interface RunPeriod {
  readonly from: number;
  readonly to: number;
}

/** The periods of both runs, where they differ. */
export interface DifferentPeriods {
  readonly a: RunPeriod;
  readonly b: RunPeriod;
  /** The part of the longer one that is in both, from 0 to 1. */
  readonly shared: number;
}

/** A comparison of two runs: the parts of `trades` and of `others` sum exactly to `difference`. */
export interface Comparison {
  readonly currency: string;
  /** Absent where the runs have one period, or no equity. */
  readonly periods: DifferentPeriods | undefined;
  /** The differences of the runs' setups, and the kinds that one of them does not contain. */
  readonly setup: { readonly differences: readonly SetupDifference[]; readonly unknown: readonly SetupKind[] };
  readonly figures: readonly ComparedFigure[];
  readonly finalEquityA: Decimal;
  readonly finalEquityB: Decimal;
  /** Final equity of the second run less that of the first. */
  readonly difference: Decimal;
  /** Every cause that has a part, the largest amount first. */
  readonly causes: readonly { readonly cause: Cause; readonly amount: Decimal; readonly count: number }[];
  readonly trades: readonly ComparedTrade[];
  /** The trades that differ, grouped from flat to flat. */
  readonly roundTrips: readonly RoundTrip[];
  readonly others: readonly OtherDifference[];
}

/** How orders of two runs are matched. */
export interface CompareOptions {
  /** The greatest distance between the times of two matching decisions, in ms. */
  readonly windowMs: number;
  /** Fills at most this far apart count as simultaneous, in ms. */
  readonly toleranceMs: number;
}
