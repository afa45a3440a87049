import { Random } from '../model/random.ts';
import { ParzenMixture } from './parzen.ts';
import type { EndedTrial, Sampler } from './sampler.ts';
import type { Dimension, Point } from './space.ts';

/** So many trials are random before the first one that learns. */
const STARTUP = 10;
const CANDIDATES = 24;
const MOST_GOOD = 25;
/** Conditions of a search may refuse any number of points before one is a trial: beyond this, the oldest open point is forgotten. */
const MOST_OPEN = 250;

export interface TpeOptions {
  /** So many points are drawn before their results are needed; 1 if absent. */
  readonly batch?: number | undefined;
  /** Trials of an earlier search, to learn from. They count for `STARTUP`. Their points may be drawn again: this search has not tried them. */
  readonly known?: readonly EndedTrial[] | undefined;
}

/**
 * Tree-structured Parzen Estimator: J. Bergstra, R. Bardenet, Y. Bengio, B. Kegl, "Algorithms for Hyper-Parameter
 * Optimization" (NeurIPS 2011), section 4. The best tenth of the trials gives a density l(x), all others give g(x). Of 24
 * points drawn from l, the next trial is the one with the greatest l(x)/g(x).
 *
 * - The constants are the defaults of Optuna 5.0 (`TPESampler`): 10 random trials at first; at most 25 good trials; a prior of
 *   weight 1; all dimensions jointly, so that a kernel is one trial with all its parameters. `ParzenMixture` has the kernels.
 * - A trial without a value is never good, however few have one.
 * - A batch spreads by the constant liar (D. Ginsbourger, R. Le Riche, L. Carraro, "Kriging is well-suited to parallelize
 *   optimization", 2010): until the result of a point is known, the point counts as one with the worst value.
 * - A point that was tried is not drawn again, as a backtest gives the same result twice. If all 24 were tried, the next
 *   point is random.
 * - A point depends on the seed, on how many points came before it, and on the results so far: not on time or workers.
 */
export class TpeSampler implements Sampler {
  readonly batch: number;
  #number = 0;
  readonly #ended: EndedTrial[];
  /** The ended trials by rank, until there are others. */
  #split: Split | undefined;
  /** Points whose results are not known. */
  #open: Point[] = [];
  readonly #tried = new Set<string>();

  constructor(
    private readonly dimensions: readonly Dimension[],
    private readonly seed: number,
    { batch = 1, known = [] }: TpeOptions = {},
  ) {
    this.batch = batch;
    this.#ended = [...known];
  }

  next(): Point {
    // The stream of the random sampler: both have the same points at first.
    const random = new Random(this.seed, `search ${this.#number++}`);
    const candidate = this.#ended.length < STARTUP ? undefined : this.#bestCandidate(random);
    const point = candidate ?? this.dimensions.map((one) => one.at(random.uniform()));
    this.#tried.add(String(point));
    this.#open.push(point);
    if (this.#open.length > MOST_OPEN) this.#open.shift();
    return point;
  }

  /** The results of all open points: one that is not among them was refused. */
  tell(trials: readonly EndedTrial[]): void {
    for (const trial of trials) {
      this.#ended.push(trial);
      this.#tried.add(String(trial.point));
    }
    this.#split = undefined;
    this.#open = [];
  }

  /** `undefined` if every candidate was tried. */
  #bestCandidate(random: Random): Point | undefined {
    this.#split ??= splitOf(this.dimensions, this.#ended);
    const { below, others } = this.#split;
    const drawn = Array.from({ length: CANDIDATES }, () => below.draw(random)).filter((point) => !this.#tried.has(String(point)));
    if (drawn.length === 0) return undefined;
    const above = new ParzenMixture(this.dimensions, [...others, ...this.#open]);
    const ratios = drawn.map((point) => below.density(point) / above.density(point));
    return drawn[ratios.indexOf(Math.max(...ratios))];
  }
}

interface Split {
  /** The density of the good trials. */
  readonly below: ParzenMixture;
  /** The points of all others. */
  readonly others: readonly Point[];
}

/** The best tenth of the trials is good, at least one. The older one of two equal trials is better. */
function splitOf(dimensions: readonly Dimension[], trials: readonly EndedTrial[]): Split {
  const count = Math.min(Math.ceil(trials.length / 10), MOST_GOOD);
  const ranked = trials.filter(({ value }) => value !== undefined).sort((one, other) => one.value! - other.value!);
  const good = new Set(ranked.slice(0, count));
  const points = (isGood: boolean) => trials.filter((trial) => good.has(trial) === isGood).map(({ point }) => point);
  return { below: new ParzenMixture(dimensions, points(true)), others: points(false) };
}
