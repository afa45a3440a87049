import type { Portfolio, PortfolioFigures, PortfolioTerms } from '../statistics/portfolio/portfolio.ts';
import { formatCount, formatShare, formatTime, formatValue, NOT_AVAILABLE } from './format.ts';
import { TerminalTable } from './terminal-table.ts';

/** The result of `tidegate portfolio` as JSON; `null`: it does not exist. */
export function portfolioJson(
  runs: readonly string[],
  { alone, correlations, riskShares, meanWeights, ...found }: Portfolio,
  terms: PortfolioTerms,
): object {
  const parts = runs.map((run, place) => ({
    run,
    figures: alone[place],
    meanWeight: meanWeights[place],
    riskShare: riskShares[place],
    correlations: correlations[place],
  }));
  const value = { terms, ...found, runs: parts };
  return JSON.parse(JSON.stringify(value, (_, one: unknown) => (typeof one === 'number' && !Number.isFinite(one) ? null : one))) as object;
}

/** The tables of `tidegate portfolio`. */
export function portfolioText(
  runs: readonly string[],
  found: Portfolio,
  terms: PortfolioTerms,
  look: { readonly columns: number; readonly color: boolean; readonly unicode: boolean },
): string {
  const table = new TerminalTable(look.columns, look);
  const { figures, alone, correlations, riskShares, meanWeights, rebalancings, costs } = found;
  const names = runs.map((run, place) => `${letter(place)}  ${run}`);
  const rows = [
    ...names.map((name, place) => [name, ...figureCells(alone[place]!), formatShare(meanWeights[place]!), share(riskShares[place]!)]),
    ['together', ...figureCells(figures), '', ''],
  ];
  const head = ['Run', 'Return', 'A year', 'Volatility', 'Sharpe', 'Drawdown', 'Weight', 'Of risk'];
  const matrix = correlations.map((row, place) => [
    letter(place),
    ...row.map((one) => (Number.isFinite(one) ? one.toFixed(2) : NOT_AVAILABLE)),
  ]);
  const days = `${formatCount(found.days)} days to ${formatTime(found.to)}`;
  const often = terms.every === undefined ? 'set once' : `set every ${formatCount(terms.every)} days`;
  const past = terms.weighting === 'equal' ? '' : ` from the ${formatCount(terms.lookback)} days before`;
  return `${[
    table.section(`Several runs together: ${days}`, head, rows),
    table.section('Correlation of daily returns', ['Run', ...runs.map((_, place) => letter(place))], matrix),
    `Weights: ${terms.weighting}${past}, ${often}; ${formatCount(rebalancings.length - 1)} rebalancings cost ${formatShare(costs)}.`,
  ].join('\n\n')}\n`;
}

function figureCells({ totalReturn, annualReturn, annualVolatility, sharpe, maxDrawdown }: PortfolioFigures): string[] {
  const shares = [totalReturn, annualReturn, annualVolatility].map(share);
  return [...shares, formatValue('ratio', Number.isFinite(sharpe) ? sharpe : null), share(maxDrawdown)];
}

function share(value: number): string {
  return Number.isFinite(value) ? formatShare(value) : NOT_AVAILABLE;
}

/** The name of a run in a matrix: A to Z, then numbers. */
function letter(place: number): string {
  return place < 26 ? String.fromCharCode(65 + place) : String(place + 1);
}
