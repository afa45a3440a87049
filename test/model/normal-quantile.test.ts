import { expect, test } from '@jest/globals';
import { normalQuantile } from '../../src/model/random.ts';

// Quantiles of the normal distribution as Python 3's `statistics.NormalDist().inv_cdf` gives them.
test.each([
  [1e-12, -7.034483825301132],
  [1e-9, -5.9978070150076865],
  [1e-4, -3.71901648545568],
  [0.025, -1.9599639845400538],
  [0.3, -0.5244005127080407],
  [0.5, 0],
  [0.6, 0.2533471031357998],
  [0.9, 1.2815515655446008],
  [0.999999, 4.753424308817089],
  [1 - 2 ** -33, 6.337957754553789],
])('a share of %d is below %d', (share, expected) => {
  expect(normalQuantile(share)).toBeCloseTo(expected, 12);
});
