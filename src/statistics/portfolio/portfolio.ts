import type { DayReturn } from '../returns/daily-returns.ts';
import { covariance, deviation, mean } from '../returns/moments.ts';
import { type Weighting, weightsOf } from './weights.ts';

export interface PortfolioTerms {
  readonly weighting: Weighting;
  /** Days before a rebalancing from which its weights are computed; the portfolio begins after so many. */
  readonly lookback: number;
  /** Days from one rebalancing to the next; `undefined`: weights are set once. */
  readonly every: number | undefined;
  /** Costs of a rebalancing, as a share of the equity that moves. */
  readonly costRate: number;
  readonly annualDays: number;
}

/** The days of several runs. */
interface JoinedDays {
  /** The end of each day, epoch ms. */
  readonly times: readonly number[];
  /** The daily returns of each run. */
  readonly returns: readonly (readonly number[])[];
}

/** A rebalancing: the weights that it sets, from the days before it. */
interface Rebalancing {
  /** Epoch ms of the begin of its first day, which is the end of the day before. */
  readonly time: number;
  readonly weights: readonly number[];
  /** The share of the equity that moved: half of the sum of all changes. */
  readonly turnover: number;
}

export interface PortfolioFigures {
  readonly totalReturn: number;
  readonly annualReturn: number;
  readonly annualVolatility: number;
  /** `NaN` without variation. */
  readonly sharpe: number;
  readonly maxDrawdown: number;
}

export interface Portfolio {
  readonly from: number;
  readonly to: number;
  /** Days of the portfolio, without those from which the first weights are computed. */
  readonly days: number;
  /** Returns of each day, after costs. */
  readonly returns: readonly DayReturn[];
  readonly figures: PortfolioFigures;
  /** The same figures of each run alone, over the days of the portfolio. */
  readonly alone: readonly PortfolioFigures[];
  /** Correlations of daily returns over these days; `NaN` for a run without variation. */
  readonly correlations: readonly (readonly number[])[];
  /** The part of each run in the variance of the portfolio; the sum is 1. */
  readonly riskShares: readonly number[];
  readonly meanWeights: readonly number[];
  readonly rebalancings: readonly Rebalancing[];
  /** Costs of all rebalancings, as shares of the equity at their time. */
  readonly costs: number;
}

/**
 * The days of several runs: from the begin of the latest to the end of the earliest, each day on which any of them has a return. A run without
 * a return on such a day has zero: its market was closed, and its equity stayed.
 * @returns no days if the runs do not overlap.
 */
export function joinDays(runs: readonly (readonly DayReturn[])[]): JoinedDays {
  const first = Math.max(...runs.map((days) => days[0]?.time ?? Number.POSITIVE_INFINITY));
  const last = Math.min(...runs.map((days) => days.at(-1)?.time ?? Number.NEGATIVE_INFINITY));
  const all = new Set(runs.flatMap((days) => days.map(({ time }) => time)));
  const times = [...all].filter((time) => time >= first && time <= last).sort((a, b) => a - b);
  const returns = runs.map((days) => {
    const byTime = new Map(days.map(({ time, value }) => [time, value]));
    return times.map((time) => byTime.get(time) ?? 0);
  });
  return { times, returns };
}

/** Trades several runs as one: equity is split by weights, which come from the past alone, and drift until the next rebalancing. */
export function portfolioOf({ times, returns }: JoinedDays, terms: PortfolioTerms): Portfolio {
  const { weighting, lookback, every = Number.POSITIVE_INFINITY, costRate, annualDays } = terms;
  const begin = weighting === 'equal' ? 0 : lookback;
  const days = times.length - begin;
  const parts = returns.map(() => new Array<number>(days).fill(0));
  const weightSums = returns.map(() => 0);
  const rebalancings: Rebalancing[] = [];
  const combined: DayReturn[] = [];
  let weights: readonly number[] = [];
  let costs = 0;
  for (let day = 0; day < days; day++) {
    const at = begin + day;
    let cost = 0;
    if (day === 0 || day % every === 0) {
      const target = weightsOf(
        weighting,
        returns.map((one) => one.slice(Math.max(0, at - lookback), at)),
      );
      // The first weights are a start and no move.
      const moved = day === 0 ? 0 : target.reduce((sum, weight, run) => sum + Math.abs(weight - weights[run]!), 0);
      cost = costRate * moved;
      costs += cost;
      rebalancings.push({ time: at === 0 ? times[0]! : times[at - 1]!, weights: target, turnover: moved / 2 });
      weights = target;
    }
    const gains = weights.map((weight, run) => weight * returns[run]![at]!);
    for (const [run, gain] of gains.entries()) {
      parts[run]![day] = gain;
      weightSums[run]! += weights[run]!;
    }
    const gross = gains.reduce((sum, gain) => sum + gain, 0);
    combined.push({ time: times[at]!, value: (1 - cost) * (1 + gross) - 1 });
    weights = weights.map((weight, run) => (weight + gains[run]!) / (1 + gross));
  }
  const own = returns.map((one) => one.slice(begin));
  const total = combined.map((_, day) => parts.reduce((sum, one) => sum + one[day]!, 0));
  const variance = covariance(total, total);
  return {
    from: times[begin] ?? Number.NaN,
    to: times.at(-1) ?? Number.NaN,
    days,
    returns: combined,
    figures: figuresOf(
      combined.map(({ value }) => value),
      annualDays,
    ),
    alone: own.map((one) => figuresOf(one, annualDays)),
    correlations: own.map((one) => own.map((other) => covariance(one, other) / (deviation(one) * deviation(other)))),
    riskShares: parts.map((one) => covariance(one, total) / variance),
    meanWeights: weightSums.map((sum) => sum / days),
    rebalancings,
    costs,
  };
}

function figuresOf(returns: readonly number[], annualDays: number): PortfolioFigures {
  let [equity, peak, maxDrawdown] = [1, 1, 0];
  for (const value of returns) {
    equity *= 1 + value;
    peak = Math.max(peak, equity);
    maxDrawdown = Math.max(maxDrawdown, 1 - equity / peak);
  }
  const spread = deviation(returns);
  return {
    totalReturn: equity - 1,
    annualReturn: equity > 0 ? equity ** (annualDays / returns.length) - 1 : -1,
    annualVolatility: spread * Math.sqrt(annualDays),
    sharpe: (mean(returns) / spread) * Math.sqrt(annualDays),
    maxDrawdown,
  };
}
