import { type Command, InvalidArgumentError, Option } from 'commander';
import { TidegateError } from '../../model/errors.ts';
import { WEIGHTINGS, type Weighting } from '../../statistics/portfolio/weights.ts';
import type { PortfolioFlags } from '../portfolio/run-portfolio.ts';
import type { SignificanceFlags } from '../significance/run-significance.ts';

const HELP = `
The verdict is luck, undecided or skill. It is skill only if the deflated Sharpe ratio, the haircut and Hansen's test all say so
(docs/explanation/luck-or-skill.md).

Examples:
  $ npx tidegate significance studies/search-sma-1
  $ npx tidegate significance studies/search-sma-1#31 --elsewhere 200
  $ npx tidegate significance studies/search-sma-1 --robustness
  $ npx tidegate significance runs/sma-cross-1 runs/sma-cross-2
`;

/** Registers `significance`. Its modules are loaded when it runs. */
export function addSignificanceCommand(program: Command): void {
  program
    .command('significance')
    .description(
      'Judge whether the best trial of a study, or a run, is more than luck, given how many were tried; or whether one run is better.',
    )
    .argument('<subject>', 'folder of a study or of a run, or a trial of a study, e.g. studies/sma#31')
    .argument('[other]', 'another run: whether one of the two is better')
    .option('--elsewhere <n>', 'further trials on the same data that the study does not have; for a run, all but itself', whole, 0)
    .option('--benchmark <ratio>', 'annual Sharpe ratio to beat', number, 0)
    .option('--riskless <rate>', 'riskless return a year, as a share', number, 0)
    .option('--draws <n>', 'samples of each bootstrap and simulation', draws, 2000)
    .option('--seed <n>', 'seed of the draws', whole, 1)
    .option('--ruin <share>', 'share of the starting equity that counts as ruin', share, 0.5)
    .option('--robustness', 'run the trial again with one thing changed at a time: start, costs, delays, fills, symbols, parameters')
    .option('--json', 'print every number and its terms as one JSON object')
    .addHelpText('after', HELP)
    .action(async (subject: string, other: string | undefined, options: SignificanceFlags) => {
      const { runDifference, runSignificance } = await import('../significance/run-significance.ts');
      if (other === undefined) await runSignificance(subject, options);
      else await runDifference(subject, other, options);
    });
}

const PORTFOLIO_HELP = `
Weights come from the days before each rebalancing alone.

Example:
  $ npx tidegate portfolio runs/sma-cross-1 runs/grid-1 --weights riskParity --every 7 --cost 10
`;

/** Registers `portfolio`. Its modules are loaded when it runs. */
export function addPortfolioCommand(program: Command): void {
  program
    .command('portfolio')
    .description('Trade several runs as one: correlation, combined equity under weights, and the part of each run in the risk.')
    .argument('<runs...>', 'folders of two or more runs, or trials of studies, e.g. studies/sma#31')
    .addOption(new Option('--weights <rule>', 'how equity is split').choices(WEIGHTINGS).default('equal'))
    .option('--lookback <days>', 'days before a rebalancing from which its weights are computed', days, 30)
    .option('--every <days>', 'days from one rebalancing to the next (default: weights are set once)', days)
    .option('--cost <bps>', 'costs of what moves at a rebalancing, in basis points', cost, 0)
    .option('--json', 'print every number and its terms as one JSON object')
    .addHelpText('after', PORTFOLIO_HELP)
    .action(
      async (
        runs: string[],
        { weights, ...flags }: Omit<PortfolioFlags, 'weighting'> & { readonly weights: Weighting; readonly json?: boolean },
      ) => {
        if (runs.length < 2) throw new TidegateError('USAGE', 'portfolio: expected two or more runs');
        const { runPortfolio } = await import('../portfolio/run-portfolio.ts');
        await runPortfolio(runs, { ...flags, weighting: weights });
      },
    );
}

function days(text: string): number {
  const value = whole(text);
  if (value < 2) throw new InvalidArgumentError('Expected a whole number of days, 2 or more.');
  return value;
}

function cost(text: string): number {
  const value = number(text);
  if (value < 0 || value >= 10_000) throw new InvalidArgumentError('Expected 0 or more, and less than 10000.');
  return value;
}

function whole(text: string): number {
  const value = Number(text);
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Expected a whole number, 0 or more.');
  return value;
}

/** With fewer, a probability of 0.05 is only some draws. */
const LEAST_DRAWS = 100;

function draws(text: string): number {
  const value = whole(text);
  if (value < LEAST_DRAWS || value > 1_000_000) throw new InvalidArgumentError(`Expected ${LEAST_DRAWS} to 1000000.`);
  return value;
}

function number(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value <= -1) throw new InvalidArgumentError('Expected a number above -1.');
  return value;
}

function share(text: string): number {
  const value = number(text);
  if (value <= 0 || value >= 1) throw new InvalidArgumentError('Expected a share above 0 and below 1.');
  return value;
}
