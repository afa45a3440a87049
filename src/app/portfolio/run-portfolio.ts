import { TidegateError } from '../../model/errors.ts';
import { isoTime } from '../../model/time.ts';
import { portfolioJson, portfolioText } from '../../report/portfolio-text.ts';
import { joinDays, type Portfolio, type PortfolioTerms, portfolioOf } from '../../statistics/portfolio/portfolio.ts';
import { readReturns } from '../run-folders/read-returns.ts';
import { trialOrRun } from '../search/trial-run.ts';
import { writeStyled } from '../terminal/guarded-output.ts';
import { terminalLook } from '../terminal/terminal-look.ts';

export interface PortfolioFlags extends Pick<PortfolioTerms, 'weighting' | 'lookback' | 'every'> {
  /** Costs of what moves at a rebalancing, in basis points. */
  readonly cost: number;
}

/** Fewest days of a portfolio. */
const LEAST_DAYS = 2;

/** Trades several runs as one, and prints what they are together. */
export async function runPortfolio(
  paths: readonly string[],
  { json, ...flags }: PortfolioFlags & { readonly json?: boolean },
): Promise<void> {
  const { found, terms } = await portfolioOfRuns(paths, flags);
  if (json === true) process.stdout.write(`${JSON.stringify(portfolioJson(paths, found, terms))}\n`);
  else writeStyled(process.stdout, portfolioText(paths, found, terms, terminalLook()));
}

/**
 * Trades several runs as one.
 * @param paths folders of runs, or trials of studies.
 * @throws TidegateError DATA_NOT_FOUND, DATA_CORRUPT; DATA_INVALID for a run that was ruined, or too few common days.
 */
export async function portfolioOfRuns(
  paths: readonly string[],
  { cost, ...flags }: PortfolioFlags,
): Promise<{ readonly found: Portfolio; readonly terms: PortfolioTerms }> {
  const runs: ReturnType<typeof readReturns>[] = [];
  for (const path of paths) runs.push(readReturns(await trialOrRun(path)));
  for (const [place, { returns }] of runs.entries()) {
    const ruin = returns.find(({ value }) => !Number.isFinite(value));
    if (ruin !== undefined)
      throw new TidegateError('DATA_INVALID', `${paths[place]}: has no equity left on the day that ends at ${isoTime(ruin.time)}`);
  }
  const annualDays = Math.max(...runs.map((run) => run.annualDays));
  const terms: PortfolioTerms = { ...flags, costRate: cost / 10_000, annualDays };
  const joined = joinDays(runs.map(({ returns }) => returns));
  const needed = LEAST_DAYS + (terms.weighting === 'equal' ? 0 : terms.lookback);
  if (joined.times.length < needed)
    throw new TidegateError(
      'DATA_INVALID',
      `the runs have ${joined.times.length} common days; expected ${needed} or more${terms.weighting === 'equal' ? '' : ': the first ones are for the first weights (--lookback)'}`,
    );
  return { found: portfolioOf(joined, terms), terms };
}
