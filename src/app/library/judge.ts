import { TidegateError } from '../../model/errors.ts';
import type { Portfolio } from '../../statistics/portfolio/portfolio.ts';
import { WEIGHTINGS, type Weighting } from '../../statistics/portfolio/weights.ts';
import { type Significance, significanceOf } from '../../statistics/significance/significance.ts';
import { portfolioOfRuns } from '../portfolio/run-portfolio.ts';
import { subjectOf } from '../significance/read-judged.ts';
import { libraryError, NUMBER, type OptionForm, type OptionForms, oneOf, requireOptions } from './library-error.ts';

/** The options of {@link significance}. */
export interface SignificanceOptions {
  /** Further trials on the same data that the study does not have; for a run, all but itself; default: 0. */
  readonly elsewhere?: number | undefined;
  /** An annual Sharpe ratio to beat; default: 0. */
  readonly benchmark?: number | undefined;
  /** A riskless return a year, as a share; default: 0. */
  readonly riskless?: number | undefined;
  /** Samples of each bootstrap and simulation; default: 2,000. */
  readonly draws?: number | undefined;
  /** The seed of the draws; default: 1. */
  readonly seed?: number | undefined;
  /** The share of the starting equity that counts as ruin; default: 0.5. */
  readonly ruin?: number | undefined;
}

const whole = (least: number): OptionForm => ({
  expected: `a whole number, ${least} or more`,
  allows: (value) => Number.isSafeInteger(value) && Number(value) >= least,
});
const between = (low: number, high: number): OptionForm => ({
  expected: `a number above ${low} and below ${high}`,
  allows: (value) => typeof value === 'number' && value > low && value < high,
});

const BASIS_POINTS: OptionForm = {
  expected: 'a number from 0 to below 10000',
  allows: (value) => typeof value === 'number' && value >= 0 && value < 10_000,
};

const SIGNIFICANCE_FORMS: OptionForms<SignificanceOptions> = {
  elsewhere: whole(0),
  benchmark: NUMBER,
  riskless: between(-1, 10),
  draws: whole(100),
  seed: whole(0),
  ruin: between(0, 1),
};
const PORTFOLIO_FORMS: OptionForms<PortfolioOptions> = {
  weights: oneOf(WEIGHTINGS),
  lookback: whole(2),
  every: whole(2),
  cost: BASIS_POINTS,
};

/**
 * Judges whether the best trial of a study, or a run, is more than luck, given how many were tried.
 * @param subject folder of a study or of a run, or a trial of a study: `studies/sma#31`.
 * @throws TidegateError DATA_NOT_FOUND, DATA_INVALID, DATA_CORRUPT
 */
export async function significance(subject: string, options: SignificanceOptions = {}): Promise<Significance> {
  requireOptions('significance', options, SIGNIFICANCE_FORMS);
  const { elsewhere = 0, benchmark = 0, riskless = 0, draws = 2000, seed = 1, ruin: ruinAt = 0.5 } = options;
  try {
    const judged = subjectOf(subject);
    const terms = { annualDays: judged.annualDays, confidence: 0.95, benchmark, riskless, draws, seed, ruinAt };
    return significanceOf({ ...judged, elsewhere }, terms);
  } catch (error) {
    throw libraryError(error);
  }
}

/** The options of {@link portfolio}. */
export interface PortfolioOptions {
  /** How equity is split; default: `equal`. */
  readonly weights?: Weighting | undefined;
  /** Days before a rebalancing from which its weights are computed; default: 30. */
  readonly lookback?: number | undefined;
  /** Days from one rebalancing to the next; default: weights are set once. */
  readonly every?: number | undefined;
  /** Costs of what moves at a rebalancing, in basis points; default: 0. */
  readonly cost?: number | undefined;
}

/**
 * Trades several runs as one by their daily returns. Weights come from the days before each rebalancing alone.
 * @param runs folders of two or more runs, or trials of studies.
 * @throws TidegateError DATA_NOT_FOUND, DATA_INVALID, DATA_CORRUPT
 */
export async function portfolio(runs: readonly string[], options: PortfolioOptions = {}): Promise<Portfolio> {
  requireOptions('portfolio', options, PORTFOLIO_FORMS);
  const { weights: weighting = 'equal', lookback = 30, every, cost = 0 } = options;
  if (runs.length < 2) throw new TidegateError('USAGE', 'portfolio: expected two or more runs');
  try {
    return (await portfolioOfRuns(runs, { weighting, lookback, every, cost })).found;
  } catch (error) {
    throw libraryError(error);
  }
}
