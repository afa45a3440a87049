import { deviation, mean, standardMoment } from './moments.ts';
import { normalShare } from './normal.ts';

/**
 * How likely the true Sharpe ratio is above zero, in [0, 1], given how many returns there are, how skewed and how
 * fat-tailed (Bailey and Lopez de Prado 2012, "The Sharpe Ratio Efficient Frontier"); `NaN` without any variation. The
 * statistic of that name asks for a month of returns; a Sharpe ratio is printed from a week on, and is in doubt from there.
 */
export function probabilisticSharpe(returns: readonly number[]): number {
  const ratio = mean(returns) / deviation(returns);
  const spread = Math.sqrt(1 - standardMoment(returns, 3) * ratio + ((standardMoment(returns, 4) - 1) / 4) * ratio ** 2);
  return normalShare((ratio * Math.sqrt(returns.length - 1)) / spread);
}
