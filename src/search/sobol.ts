import { TidegateError } from '../model/errors.ts';
import { Random } from '../model/random.ts';
import type { Sampler } from './sampler.ts';
import type { Dimension, Point } from './space.ts';

const BITS = 32;
const RANGE = 2 ** BITS;

/**
 * The Sobol sequence: its points fill the space more evenly than random ones. In each dimension, the first 2^k points have
 * one share in each of 2^k equal parts, as have the next 2^k.
 *
 * - I. M. Sobol (1967), in the order of the Gray code (Antonov and Saleev, 1979), so that a point costs one XOR a dimension.
 * - Direction numbers: S. Joe and F. Y. Kuo, "Constructing Sobol sequences with better two-dimensional projections"
 *   (SIAM J. Sci. Comput. 30, 2008), the set new-joe-kuo-6.21201.
 * - The seed gives a random digital shift: an XOR of 32 bits for each dimension, which leaves the evenness as it is.
 * - Only integers are computed, so every machine has the same points.
 */
export class SobolSampler implements Sampler {
  readonly batch = undefined;
  #index = 0;
  readonly #directions: readonly Uint32Array[];
  /** The present point, as 32 bits for each dimension. */
  readonly #bits: Uint32Array;

  /** @throws {TidegateError} CONFIG_INVALID if there are more than 64 dimensions. */
  constructor(
    private readonly dimensions: readonly Dimension[],
    seed: number,
  ) {
    const limit = DIRECTIONS.length + 1;
    if (dimensions.length > limit) {
      const message = `search.method: sobol has at most ${limit} parameters, and this search has ${dimensions.length}. Use random or tpe.`;
      throw new TidegateError('CONFIG_INVALID', message);
    }
    const random = new Random(seed, 'search sobol');
    this.#bits = Uint32Array.from(dimensions, () => random.uniform() * RANGE);
    this.#directions = dimensions.map((_, place) => directionsOf(place));
  }

  /** `undefined` after 2^32 points. */
  next(): Point | undefined {
    if (this.#index === RANGE) return undefined;
    if (this.#index > 0) this.#advance();
    this.#index++;
    return this.dimensions.map((one, place) => one.at(this.#bits[place]! / RANGE));
  }

  tell(): void {}

  /** Two neighbouring numbers differ in one bit of their Gray codes: the lowest bit that is set in the larger number. */
  #advance(): void {
    const changed = 31 - Math.clz32(this.#index & -this.#index);
    for (let place = 0; place < this.#bits.length; place++) this.#bits[place]! ^= this.#directions[place]![changed]!;
  }
}

/** The direction numbers of a dimension, as fractions of 32 bits (Joe and Kuo, 2008, section 2). */
function directionsOf(place: number): Uint32Array {
  // The first dimension is van der Corput's sequence.
  const [inner, ...initial] = place === 0 ? [0, ...new Array<number>(BITS).fill(1)] : DIRECTIONS[place - 1]!;
  const degree = initial.length;
  const directions = Uint32Array.from({ length: BITS }, (_, bit) => (initial[bit] ?? 0) * 2 ** (BITS - 1 - bit));
  for (let bit = degree; bit < BITS; bit++) {
    let sum = directions[bit - degree]! ^ (directions[bit - degree]! >>> degree);
    for (let term = 1; term < degree; term++) {
      if ((inner! >> (degree - 1 - term)) & 1) sum ^= directions[bit - term]!;
    }
    directions[bit] = sum;
  }
  return directions;
}

/**
 * A line for each dimension from the second: the inner coefficients of its primitive polynomial as one number, then the
 * initial numbers m1, m2 and so on, as many as the degree of the polynomial.
 */
const DIRECTIONS: readonly (readonly number[])[] = `
0 1
1 1 3
1 1 3 1
2 1 1 1
1 1 1 3 3
4 1 3 5 13
2 1 1 5 5 17
4 1 1 5 5 5
7 1 1 7 11 19
11 1 1 5 1 1
13 1 1 1 3 11
14 1 3 5 5 31
1 1 3 3 9 7 49
13 1 1 1 15 21 21
16 1 3 1 13 27 49
19 1 1 1 15 7 5
22 1 3 1 15 13 25
25 1 1 5 5 19 61
1 1 3 7 11 23 15 103
4 1 3 7 13 13 15 69
7 1 1 3 13 7 35 63
8 1 3 5 9 1 25 53
14 1 3 1 13 9 35 107
19 1 3 1 5 27 61 31
21 1 1 5 11 19 41 61
28 1 3 5 3 3 13 69
31 1 1 7 13 1 19 1
32 1 3 7 5 13 19 59
37 1 1 3 9 25 29 41
41 1 3 5 13 23 1 55
42 1 3 7 3 13 59 17
50 1 3 1 3 5 53 69
55 1 1 5 5 23 33 13
56 1 1 7 7 1 61 123
59 1 1 7 9 13 61 49
62 1 3 3 5 3 55 33
14 1 3 1 15 31 13 49 245
21 1 3 5 15 31 59 63 97
22 1 3 1 11 11 11 77 249
38 1 3 1 11 27 43 71 9
47 1 1 7 15 21 11 81 45
49 1 3 7 3 25 31 65 79
50 1 3 1 1 19 11 3 205
52 1 1 5 9 19 21 29 157
56 1 3 7 11 1 33 89 185
67 1 3 3 3 15 9 79 71
70 1 3 7 11 15 39 119 27
84 1 1 3 1 11 31 97 225
97 1 1 1 3 23 43 57 177
103 1 3 7 7 17 17 37 71
115 1 3 1 5 27 63 123 213
122 1 1 3 5 11 43 53 133
8 1 3 5 5 29 17 47 173 479
13 1 3 3 11 3 1 109 9 69
16 1 1 1 5 17 39 23 5 343
22 1 3 1 5 25 15 31 103 499
25 1 1 1 11 11 17 63 105 183
44 1 1 5 11 9 29 97 231 363
47 1 1 5 15 19 45 41 7 383
52 1 3 7 7 31 19 83 137 221
55 1 1 1 3 23 15 111 223 83
59 1 1 5 13 31 15 55 25 161
62 1 1 3 13 25 47 39 87 257
`
  .trim()
  .split('\n')
  .map((line) => line.split(' ').map(Number));
