import { Random } from '../../model/random.ts';
import { deviation, mean, median, probabilisticSharpe, sharpeSpread } from '../returns/moments.ts';
import { blockLength, shuffledDraw, stationaryDraw } from './bootstrap.ts';
import { expectedMaximum, type Haircuts, haircuts, independentTrials, luckySharpe, minimumBacktestYears } from './many-trials.ts';
import { type Paths, returnPaths, tradePaths } from './monte-carlo.ts';
import { OVERFITTING_DAYS, type Overfitting, overfitting } from './overfitting.ts';
import { inferSharpe, type SharpeInference } from './sharpe-inference.ts';
import { type SuperiorityTests, superiorityTests } from './superiority.ts';
import { type Evidence, type Verdict, verdictOf } from './verdict.ts';

/** With fewer daily returns, no test is made. */
export const LEAST_DAYS = 20;
/** Above this number of trials, each counts as independent: their groups take time and memory by the square. */
const MOST_GROUPED = 3_000;

export interface SignificanceTerms {
  readonly annualDays: number;
  /** An annual Sharpe ratio that the result has to beat. */
  readonly benchmark: number;
  /** A riskless return a year, which is taken from every daily return. */
  readonly riskless: number;
  readonly confidence: number;
  readonly seed: number;
  /** Samples of each bootstrap and of each simulation. */
  readonly draws: number;
  /** The share of the starting equity at which an account counts as ruined. */
  readonly ruinAt: number;
}

/** The result that is judged, and what was tried before it was chosen. */
export interface Judged {
  /** Its daily returns. */
  readonly returns: readonly number[];
  /** The daily returns of the trials of which it was chosen, itself included; those that do not fit are left out and counted. */
  readonly trials: readonly (readonly number[])[];
  /** All these trials, also those without returns; 1 for a single run. */
  readonly tried: number;
  /** Trials on the same data outside of these. */
  readonly elsewhere: number;
  /** Net profits of its closed trades over the starting equity; `undefined`: not known. */
  readonly profits?: readonly number[] | undefined;
}

/** How many trials there were. */
export interface TrialCounts {
  /** All, also those elsewhere. */
  readonly tried: number;
  /** Trials whose daily returns have the same days and vary. */
  readonly compared: number;
  /** Groups of compared trials that move together, and every other trial. */
  readonly independent: number;
}

export interface Deflated {
  /** The annual Sharpe ratio that the best of so many independent trials has by luck. */
  readonly luckySharpe: number;
  /** The probability that the true ratio is above the lucky one. */
  readonly probability: number;
  /** Where the spread of the trials' ratios is from: the trials, or, for a single one, that of trials without skill. */
  readonly spreadOf: 'trials' | 'theory';
}

/** The figures that need daily returns. */
export interface Computed {
  readonly sharpe: SharpeInference;
  readonly deflated: Deflated;
  /** Years of data that so many independent trials need before this ratio means something. */
  readonly minimumBacktestYears: number;
  readonly haircuts: Haircuts;
  readonly superiority: SuperiorityTests & { readonly blockLength: number };
  readonly returnPaths: Paths;
}

/** A method that was not computed, and why. */
interface Left {
  readonly method: string;
  readonly reason: string;
}

export interface Significance {
  readonly trials: TrialCounts;
  /** Absent with too few daily returns. */
  readonly computed: Computed | undefined;
  readonly overfitting: Overfitting | undefined;
  /** The order of the trades by chance: the final equity stays. */
  readonly tradePaths: Paths | undefined;
  readonly left: readonly Left[];
  readonly verdict: Verdict;
}

/** Whether a result is more than luck makes, given how many were tried. */
export function significanceOf(judged: Judged, terms: SignificanceTerms): Significance {
  const { annualDays, riskless, seed, draws, ruinAt } = terms;
  const { returns, profits = [], elsewhere } = judged;
  const daily = (1 + riskless) ** (1 / annualDays) - 1;
  const excess = (values: readonly number[]) => values.map((value) => value - daily);
  const days = returns.length;
  const compared = judged.trials.filter((one) => one.length === days && isUsable(one)).map(excess);
  const tried = judged.tried + elsewhere;
  const groups = compared.length > MOST_GROUPED ? compared.length : independentTrials(compared);
  const trials = { tried, compared: compared.length, independent: groups + tried - compared.length };
  const left: Left[] = [];
  const random = (label: string) => new Random(seed, label);
  const orders = profits.length < 2 ? undefined : tradePaths(profits, { draw: shuffledDraw(random('trades')), draws, ruinAt });
  if (orders === undefined) left.push({ method: 'tradePaths', reason: 'needs the closed trades of a run, two or more' });
  const reason =
    days < LEAST_DAYS ? `needs ${LEAST_DAYS} daily returns, there are ${days}` : 'needs daily returns that vary and are numbers';
  if (days < LEAST_DAYS || !isUsable(returns)) {
    left.unshift({ method: 'all others', reason });
    return { trials, computed: undefined, overfitting: undefined, tradePaths: orders, left, verdict: verdictOf(days, [], undefined) };
  }
  const paths = returnPaths(returns, { draw: stationaryDraw(random('paths'), blockLength(returns)), draws, ruinAt });
  const computed = { ...computedOf(excess(returns), compared, trials, terms), returnPaths: paths };
  const crossed = compared.length >= 2 && days >= OVERFITTING_DAYS ? overfitting(compared) : undefined;
  if (crossed === undefined) {
    const needs = `needs two trials and ${OVERFITTING_DAYS} daily returns, there are ${compared.length} and ${days}`;
    left.push({ method: 'overfitting', reason: needs });
  }
  const { deflated, haircuts: cut, superiority } = computed;
  const evidence: Evidence[] = [
    { method: 'deflated', value: deflated.probability },
    { method: 'haircut', value: cut.bonferroni.probability },
    // Trials elsewhere are in no draw: each may have been as lucky as all of these together. No draw shows less than one in all.
    { method: 'superiority', value: Math.min(1, Math.max(superiority.studentized.consistent, 1 / draws) * (1 + elsewhere)) },
    ...(crossed === undefined ? [] : [{ method: 'overfitting', value: crossed.probability } as const]),
  ];
  const verdict = verdictOf(days, evidence, daysNeeded(excess(returns), trials.independent));
  return { trials, computed, overfitting: crossed, tradePaths: orders, left, verdict };
}

/** @param returns less the riskless rate, as those of all compared trials. */
function computedOf(
  returns: readonly number[],
  compared: readonly (readonly number[])[],
  { tried, independent }: TrialCounts,
  { annualDays, benchmark, confidence, seed, draws }: SignificanceTerms,
): Omit<Computed, 'returnPaths'> {
  const days = returns.length;
  const year = Math.sqrt(annualDays);
  const sharpe = inferSharpe(returns, { annualDays, benchmark, confidence });
  const sharpes = compared.map((one) => mean(one) / deviation(one));
  const spreadOf = sharpes.length > 1 ? 'trials' : 'theory';
  const lucky = spreadOf === 'trials' ? luckySharpe(sharpes, independent) : expectedMaximum(independent) / Math.sqrt(days - 1);
  const block = median([returns, ...compared].map(blockLength))!;
  const draw = stationaryDraw(new Random(seed, 'bootstrap'), block);
  const leads = compared.length === 0 ? [returns] : compared;
  return {
    sharpe,
    deflated: { luckySharpe: lucky * year, probability: probabilisticSharpe(returns, lucky + benchmark / year), spreadOf },
    minimumBacktestYears: minimumBacktestYears(independent, sharpe.annualSharpe),
    haircuts: haircuts(sharpe.sharpe, compared.length === 0 ? [sharpe.sharpe] : sharpes, tried, days),
    superiority: { ...superiorityTests(leads, { draw, blockLength: block, draws }), blockLength: block },
  };
}

/** The number of days with which the deflated Sharpe ratio reaches 0.95 if the ratio stays, and all other trials have no skill. */
function daysNeeded(returns: readonly number[], independent: number): number | undefined {
  const sharpe = mean(returns) / deviation(returns);
  if (sharpe <= 0) return undefined;
  return Math.ceil(1 + (((NORMAL_95 + expectedMaximum(independent)) * sharpeSpread(returns)) / sharpe) ** 2);
}

/** 95 % of a normal distribution are below it. */
const NORMAL_95 = 1.644_853_626_951_472_2;

/** All returns are numbers, and they vary. */
function isUsable(returns: readonly number[]): boolean {
  return returns.length > 2 && returns.every(Number.isFinite) && deviation(returns) > 0;
}
