import { normalQuantile } from '../../model/random.ts';
import { deviation, mean, probabilisticSharpe, sharpeSpread } from '../returns/moments.ts';

/** The Sharpe ratio of one series of daily returns, and how certain it is. Ratios are per day unless their name says otherwise. */
export interface SharpeInference {
  readonly days: number;
  /** Mean over sample deviation of the daily returns less the riskless rate. */
  readonly sharpe: number;
  /** Times the root of the days in a year. */
  readonly annualSharpe: number;
  /** The same with the autocorrelations of the returns (Lo 2002); `NaN` where they make the variance of a year negative. */
  readonly annualSharpeAutocorrelated: number;
  /** Standard errors of the annual Sharpe ratio (Lo 2002): of independent returns, and of autocorrelated ones. */
  readonly annualError: number;
  readonly annualErrorAutocorrelated: number;
  /** Autocorrelations that both count, from the first on. */
  readonly lags: number;
  /** The probability that the true Sharpe ratio is above the benchmark (Bailey and Lopez de Prado 2012). */
  readonly probabilistic: number;
  /** Days that the probability needs to reach the confidence, if the ratio stays as it is; `Infinity` below the benchmark. */
  readonly minimumTrackRecord: number;
}

export interface SharpeTerms {
  /** Daily returns in a year. */
  readonly annualDays: number;
  /** An annual Sharpe ratio. */
  readonly benchmark: number;
  /** In (0.5, 1). */
  readonly confidence: number;
}

/** @param returns less the riskless rate. */
export function inferSharpe(returns: readonly number[], { annualDays, benchmark, confidence }: SharpeTerms): SharpeInference {
  const year = Math.sqrt(annualDays);
  const sharpe = mean(returns) / deviation(returns);
  const lags = usualLags(returns.length);
  const errors = sharpeErrors(returns, lags);
  return {
    days: returns.length,
    sharpe,
    annualSharpe: sharpe * year,
    annualSharpeAutocorrelated: sharpe * annualFactor(returns, annualDays, lags),
    annualError: errors.independent * year,
    annualErrorAutocorrelated: errors.autocorrelated * year,
    lags,
    probabilistic: probabilisticSharpe(returns, benchmark / year),
    minimumTrackRecord: minimumTrackRecord(returns, benchmark / year, confidence),
  };
}

/** The number of returns with which the probabilistic Sharpe ratio reaches the confidence (Bailey and Lopez de Prado 2012). */
export function minimumTrackRecord(returns: readonly number[], benchmark: number, confidence: number): number {
  const lead = mean(returns) / deviation(returns) - benchmark;
  if (lead <= 0) return Number.POSITIVE_INFINITY;
  return 1 + (sharpeSpread(returns) * (normalQuantile(confidence) / lead)) ** 2;
}

/** Newey and West's usual number of lags for n observations (1994). */
export function usualLags(n: number): number {
  return Math.floor(4 * (n / 100) ** (2 / 9));
}

/**
 * The standard errors of a Sharpe ratio per return (Lo 2002): of independent, normal returns, and by the generalised method of moments with
 * the autocovariances of Newey and West.
 */
export function sharpeErrors(returns: readonly number[], lags: number): { readonly independent: number; readonly autocorrelated: number } {
  const n = returns.length;
  const centre = mean(returns);
  const variance = mean(returns.map((value) => (value - centre) ** 2));
  const spread = Math.sqrt(variance);
  const ratio = centre / spread;
  // How much one more return moves the ratio; its long-run variance is that of the ratio.
  const moves = returns.map((value) => (value - centre) / spread - (ratio / 2) * ((value - centre) ** 2 / variance - 1));
  let longRun = autocovariance(moves, 0);
  for (let lag = 1; lag <= lags; lag++) longRun += 2 * (1 - lag / (lags + 1)) * autocovariance(moves, lag);
  return { independent: Math.sqrt((1 + ratio ** 2 / 2) / n), autocorrelated: Math.sqrt(longRun / n) };
}

/**
 * The factor from the Sharpe ratio of a return to that of `q` returns (Lo 2002): the root of `q` if the returns are independent.
 * Autocorrelations beyond `lags` count as zero.
 */
export function annualFactor(returns: readonly number[], q: number, lags: number): number {
  const centre = mean(returns);
  const moves = returns.map((value) => value - centre);
  const variance = autocovariance(moves, 0);
  let sum = q;
  for (let lag = 1; lag <= Math.min(lags, q - 1); lag++) sum += (2 * (q - lag) * autocovariance(moves, lag)) / variance;
  return q / Math.sqrt(sum);
}

/** The autocovariance of values with a mean of zero; divided by their number. */
function autocovariance(values: readonly number[], lag: number): number {
  let sum = 0;
  for (let place = lag; place < values.length; place++) sum += values[place]! * values[place - lag]!;
  return sum / values.length;
}
