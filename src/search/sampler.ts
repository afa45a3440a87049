import { Random } from '../model/random.ts';
import type { Dimension, Point } from './space.ts';

/** The result of a trial, for a sampler that learns. */
export interface EndedTrial {
  readonly point: Point;
  /** The objective, smaller is better; `undefined` if the trial has none, or missed a constraint: worse than every other. */
  readonly value: number | undefined;
}

/** Chooses the points of a search, in the order of the trials. The same seed, and the same results in the same order, give the same points. */
export interface Sampler {
  /** After so many points it needs their results before it gives the next one; `undefined`: it never learns. */
  readonly batch: number | undefined;
  /** The next point; `undefined` once the space has no further one. Dependent parameters are not its business: a point may be refused. */
  next(): Point | undefined;
  /** Gives the results of trials, in the order of their numbers. */
  tell(trials: readonly EndedTrial[]): void;
}

/** Every point of a space, the last dimension first. None is built before it is asked for. */
export class GridSampler implements Sampler {
  readonly batch = undefined;
  #index = 0n;
  readonly #size: bigint;

  constructor(private readonly dimensions: readonly Dimension[]) {
    this.#size = gridSize(dimensions) ?? 0n;
  }

  next(): Point | undefined {
    if (this.#index >= this.#size) return undefined;
    let rest = this.#index++;
    const point = new Array<number>(this.dimensions.length);
    for (let place = point.length - 1; place >= 0; place--) {
      const count = BigInt(this.dimensions[place]!.count!);
      point[place] = Number(rest % count);
      rest /= count;
    }
    return point;
  }

  tell(): void {}
}

/** The number of points of a grid; `undefined` if a dimension has no count. */
export function gridSize(dimensions: readonly Dimension[]): bigint | undefined {
  let size = 1n;
  for (const { count } of dimensions) {
    if (count === undefined) return undefined;
    size *= BigInt(count);
  }
  return size;
}

/** Independent points. Each has a stream of its own, from the seed and its number. */
export class RandomSampler implements Sampler {
  readonly batch = undefined;
  #number = 0;

  constructor(
    private readonly dimensions: readonly Dimension[],
    private readonly seed: number,
  ) {}

  next(): Point {
    const random = new Random(this.seed, `search ${this.#number++}`);
    return this.dimensions.map((one) => one.at(random.uniform()));
  }

  tell(): void {}
}
