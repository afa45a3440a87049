import { normalQuantile, type Random } from '../model/random.ts';
import type { Dimension, Point } from './space.ts';

// A local name: globals are slow to look up inside a vm context, such as jest's.
const { exp } = Math;

/** The weight of the prior, where a trial has at most 1. */
const PRIOR = 1;
/** So many of the newest trials have full weight. */
const FULL_WEIGHT = 25;

/**
 * A density over a space, as of Optuna 5.0 (`_ParzenEstimator`): the sum of a kernel for each point, in the order of their
 * trials, and of one for the prior. A kernel is a product over the dimensions.
 *
 * - Numbers are shares of their range, on its scale: a normal density, cut off at 0 and 1. A stepped number has the mass of
 *   its cell.
 * - A choice has weights: its kernel's choice 1, and every choice the weight of the prior, divided by the number of kernels.
 * - Densities need no logarithm, since the prior keeps every sum above 0. Of the functions whose last digit may depend on the
 *   machine, they use only the exponential function.
 */
export class ParzenMixture {
  /** Their sum is 1. */
  readonly #weights: Float64Array;
  readonly #kernels: readonly Kernels[];

  constructor(dimensions: readonly Dimension[], points: readonly Point[]) {
    this.#weights = weightsByAge(points.length);
    this.#kernels = dimensions.map((one, place) => {
      const coordinates = points.map((point) => point[place]!);
      return one.ordered ? new NumberKernels(one, coordinates) : new ChoiceKernels(one.count!, coordinates);
    });
  }

  draw(random: Random): Point {
    let rest = random.uniform();
    let kernel = 0;
    while (kernel < this.#weights.length - 1 && rest >= this.#weights[kernel]!) rest -= this.#weights[kernel++]!;
    return this.#kernels.map((one) => one.draw(kernel, random.uniform()));
  }

  /** Up to a factor that is the same for every mixture of the space. The prior keeps it above 0. */
  density(point: Point): number {
    const products = this.#weights.slice();
    for (let place = 0; place < point.length; place++) this.#kernels[place]!.multiply(products, point[place]!);
    let sum = 0;
    for (const product of products) sum += product;
    return sum;
  }
}

/** The newest 25 trials and the prior have equal weights. From them, the weights fall evenly to 1/n of it for the oldest of n trials. */
function weightsByAge(count: number): Float64Array {
  const weights = new Float64Array(count + 1).fill(1);
  weights[count] = PRIOR;
  const aged = count - FULL_WEIGHT;
  for (let place = 0; place < aged; place++) weights[place] = 1 / count + ((1 - 1 / count) * place) / Math.max(1, aged - 1);
  let sum = 0;
  for (const weight of weights) sum += weight;
  return weights.map((weight) => weight / sum);
}

/** The kernels of a mixture in one dimension. */
interface Kernels {
  /** The coordinate below which a kernel has this share of its mass. */
  draw(kernel: number, share: number): number;
  /** Multiplies each product by the density of its kernel at a coordinate. */
  multiply(products: Float64Array, coordinate: number): void;
}

class ChoiceKernels implements Kernels {
  /** The probability of each choice but the kernel's own, and what the own one has beyond it. */
  readonly #other: number;
  readonly #own: number;

  constructor(
    private readonly count: number,
    private readonly coordinates: readonly number[],
  ) {
    const prior = PRIOR / (coordinates.length + 1);
    this.#other = prior / (1 + prior * count);
    this.#own = 1 / (1 + prior * count);
  }

  draw(kernel: number, share: number): number {
    const own = this.coordinates[kernel];
    // The own choice has the first part of the shares, all choices have equal parts of the rest.
    if (own !== undefined && share < this.#own) return own;
    const rest = own === undefined ? share : (share - this.#own) / (1 - this.#own);
    return Math.min(this.count - 1, Math.floor(rest * this.count));
  }

  multiply(products: Float64Array, coordinate: number): void {
    const last = products.length - 1;
    for (let kernel = 0; kernel < last; kernel++) {
      products[kernel]! *= this.#other + (this.coordinates[kernel] === coordinate ? this.#own : 0);
    }
    products[last]! /= this.count;
  }
}

/** The prior is in the middle of the range, and as wide. */
class NumberKernels implements Kernels {
  readonly #means: Float64Array;
  readonly #widths: Float64Array;
  /** The share of a kernel below 0, and inside of the range. */
  readonly #below: Float64Array;
  readonly #inside: Float64Array;

  constructor(
    private readonly dimension: Dimension,
    coordinates: readonly number[],
  ) {
    const shares = coordinates.map((coordinate) => dimension.shareOf(coordinate));
    this.#means = Float64Array.from([...shares, 0.5]);
    this.#widths = Float64Array.from([...kernelWidths(shares), 1]);
    this.#below = this.#means.map((mean, kernel) => normalShare(-mean / this.#widths[kernel]!));
    this.#inside = this.#means.map((mean, kernel) => normalShare((1 - mean) / this.#widths[kernel]!) - this.#below[kernel]!);
  }

  draw(kernel: number, share: number): number {
    // The mean is inside of the range and no width is above 1, so neither side of the cut is far out in a tail.
    const quantile = normalQuantile(this.#below[kernel]! + share * this.#inside[kernel]!);
    const drawn = this.#means[kernel]! + quantile * this.#widths[kernel]!;
    return this.dimension.at(Math.min(1 - Number.EPSILON, Math.max(0, drawn)));
  }

  multiply(products: Float64Array, coordinate: number): void {
    if (this.dimension.count === undefined) this.#multiplyAt(products, this.dimension.shareOf(coordinate));
    else this.#multiplyIn(products, this.dimension.shareOf(coordinate - 0.5), this.dimension.shareOf(coordinate + 0.5));
  }

  /** The density, without the factor 1/sqrt(2 pi) of all kernels. */
  #multiplyAt(products: Float64Array, share: number): void {
    const [means, widths, inside] = [this.#means, this.#widths, this.#inside];
    for (let kernel = 0; kernel < products.length; kernel++) {
      const width = widths[kernel]!;
      const offset = (share - means[kernel]!) / width;
      products[kernel]! *= exp(-0.5 * offset * offset) / (width * inside[kernel]!);
    }
  }

  /** The mean density of a cell. Its mass would be too small for a product of many fine cells. */
  #multiplyIn(products: Float64Array, low: number, high: number): void {
    const [means, widths, inside] = [this.#means, this.#widths, this.#inside];
    for (let kernel = 0; kernel < products.length; kernel++) {
      const from = (low - means[kernel]!) / widths[kernel]!;
      const to = (high - means[kernel]!) / widths[kernel]!;
      // On the right, a difference of two numbers close to 1 has few digits: the same mass on the left has all.
      const mass = from > 0 ? normalShare(-from) - normalShare(-to) : normalShare(to) - normalShare(from);
      products[kernel]! *= mass / (inside[kernel]! * (high - low));
    }
  }
}

/**
 * Each share has the distance to its farther neighbour, where 0 and 1 are neighbours only of a single share. No width is below
 * 1 / (number of kernels + 1) or 1/100, whichever is greater, so that a few trials do not narrow the search at once.
 */
function kernelWidths(shares: readonly number[]): readonly number[] {
  const least = 1 / Math.min(100, shares.length + 2);
  if (shares.length === 1) return [Math.max(least, shares[0]!, 1 - shares[0]!)];
  const sorted = Float64Array.from(shares).sort();
  const order = shares.map((_, place) => place).sort((one, other) => shares[one]! - shares[other]!);
  const widths = new Array<number>(shares.length);
  for (const [rank, place] of order.entries()) {
    const left = rank === 0 ? 0 : sorted[rank]! - sorted[rank - 1]!;
    const right = rank === order.length - 1 ? 0 : sorted[rank + 1]! - sorted[rank]!;
    widths[place] = Math.max(least, left, right);
  }
  return widths;
}

/**
 * The share of the standard normal distribution below a number: J. F. Hart's approximation 5666 (Computer Approximations,
 * 1968), as in G. West, "Better approximations to cumulative normal functions" (Wilmott, 2005). It has some 15 digits up to
 * 7 on both sides, and tends to the right limit beyond.
 */
function normalShare(at: number): number {
  const x = Math.abs(at);
  const above =
    (((((3.526_249_659_989_11e-2 * x + 0.700_383_064_443_688) * x + 6.373_962_203_531_65) * x + 33.912_866_078_383) * x +
      112.079_291_497_871) *
      x +
      221.213_596_169_931) *
      x +
    220.206_867_912_376;
  const below =
    ((((((8.838_834_764_831_84e-2 * x + 1.755_667_163_182_64) * x + 16.064_177_579_207) * x + 86.780_732_202_946_1) * x +
      296.564_248_779_674) *
      x +
      637.333_633_378_831) *
      x +
      793.826_512_519_948) *
      x +
    440.413_735_824_752;
  const tail = (exp(-0.5 * x * x) * above) / below;
  return at > 0 ? 1 - tail : tail;
}
