import { quantileOfSorted } from '../returns/moments.ts';
import type { Draw } from './bootstrap.ts';

/** Shares of a distribution that are shown. */
const SHARES = [0.05, 0.25, 0.5, 0.75, 0.95] as const;

/** Quantiles of a distribution, by share. */
export type Spread = Readonly<Record<'5' | '25' | '50' | '75' | '95', number>>;

/** Paths that chance makes of the same returns, or of the same trades, in another order. */
export interface Paths {
  /** The final equity over that of the start. */
  readonly finalEquity: Spread;
  /** The largest drawdown, as a share of the peak. Its 95 % quantile is the drawdown to expect once in twenty such runs. */
  readonly drawdown: Spread;
  /** The share of paths on which equity fell to the level of ruin. */
  readonly ruin: number;
}

export interface PathTerms {
  readonly draw: Draw;
  readonly draws: number;
  /** The share of the starting equity at which an account counts as ruined. */
  readonly ruinAt: number;
}

/** Paths of equity from daily returns that are drawn, as many as there are. */
export function returnPaths(returns: readonly number[], terms: PathTerms): Paths {
  return pathsOf(returns.length, terms, (equity, place) => equity * (1 + returns[place]!));
}

/**
 * Paths of equity from trades that are drawn. A trade adds its profit, whatever the equity: as with orders of a fixed size.
 * @param profits of the trades over the starting equity.
 */
export function tradePaths(profits: readonly number[], terms: PathTerms): Paths {
  return pathsOf(profits.length, terms, (equity, place) => equity + profits[place]!);
}

function pathsOf(length: number, { draw, draws, ruinAt }: PathTerms, next: (equity: number, place: number) => number): Paths {
  const [ends, falls] = [new Float64Array(draws), new Float64Array(draws)];
  const places = new Int32Array(length);
  let ruined = 0;
  for (let path = 0; path < draws; path++) {
    draw(places);
    let [equity, peak, fall, least] = [1, 1, 0, 1];
    for (const place of places) {
      equity = next(equity, place);
      peak = Math.max(peak, equity);
      fall = Math.max(fall, 1 - equity / peak);
      least = Math.min(least, equity);
    }
    ends[path] = equity;
    falls[path] = fall;
    if (least <= ruinAt) ruined++;
  }
  return { finalEquity: spreadOf(ends), drawdown: spreadOf(falls), ruin: ruined / draws };
}

function spreadOf(values: Float64Array): Spread {
  const sorted = values.sort();
  return Object.fromEntries(SHARES.map((share) => [String(Math.round(share * 100)), quantileOfSorted(sorted, share)])) as Spread;
}
