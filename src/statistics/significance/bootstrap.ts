import type { Random } from '../../model/random.ts';
import { mean } from '../returns/moments.ts';

/** Places of a sample, drawn again and again: each call fills the array. */
export type Draw = (places: Int32Array) => void;

/**
 * The stationary bootstrap (Politis and Romano 1994): runs of neighbours that begin anywhere, follow over the end to the begin, and have
 * lengths of a geometric distribution with this mean.
 */
export function stationaryDraw(random: Random, blockLength: number): Draw {
  const begins = 1 / blockLength;
  return (places) => {
    const n = places.length;
    let at = Math.floor(random.uniform() * n);
    for (let index = 0; index < n; index++) {
      if (index > 0) at = random.uniform() < begins ? Math.floor(random.uniform() * n) : (at + 1) % n;
      places[index] = at;
    }
  };
}

/** All places in an order of chance (Fisher and Yates). */
export function shuffledDraw(random: Random): Draw {
  return (places) => {
    for (let index = 0; index < places.length; index++) {
      const other = Math.floor(random.uniform() * (index + 1));
      places[index] = places[other]!;
      places[other] = index;
    }
  };
}

/**
 * The mean length of blocks of the stationary bootstrap (Politis and White 2004, corrected by Patton, Politis and White 2009), at least 1:
 * longer for returns that depend more on those before them.
 */
export function blockLength(values: readonly number[]): number {
  const n = values.length;
  const centre = mean(values);
  const moves = values.map((value) => value - centre);
  const run = Math.max(5, Math.floor(Math.log10(n)));
  const most = Math.ceil(Math.sqrt(n)) + run;
  const bound = 2 * Math.sqrt(Math.log10(n) / n);
  const covariances: number[] = [];
  const isSmall: boolean[] = [];
  for (let lag = 0; lag <= Math.min(most, n - 2); lag++) {
    const product = productAt(moves, lag);
    covariances.push(product / n);
    const spread = Math.sqrt(squares(moves, lag + 1, n) * squares(moves, 0, n - lag - 1));
    isSmall.push(Math.abs(product) / spread < bound);
  }
  // The first lag from which several autocorrelations in a row are those of noise.
  let lags = covariances.length - 1;
  for (let lag = run; lag < covariances.length; lag++) {
    if (!isSmall.slice(lag - run, lag).every(Boolean)) continue;
    lags = Math.min(2 * Math.max(lag - run, 1), lags);
    break;
  }
  let [slope, longRun] = [0, covariances[0]!];
  for (let lag = 1; lag <= lags; lag++) {
    const weight = lag / lags <= 0.5 ? 1 : 2 * (1 - lag / lags);
    slope += 2 * weight * lag * covariances[lag]!;
    longRun += 2 * weight * covariances[lag]!;
  }
  const best = Math.cbrt(((2 * slope ** 2) / (2 * longRun ** 2)) * n);
  return Math.max(1, Math.min(best, Math.ceil(Math.min(3 * Math.sqrt(n), n / 3))));
}

function productAt(values: readonly number[], lag: number): number {
  let sum = 0;
  for (let place = lag; place < values.length; place++) sum += values[place]! * values[place - lag]!;
  return sum;
}

function squares(values: readonly number[], from: number, to: number): number {
  let sum = 0;
  for (let place = from; place < to; place++) sum += values[place]! ** 2;
  return sum;
}
