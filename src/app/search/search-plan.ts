import { Course, isAllowed, paramsOf } from '../../search/course.ts';
import { type Formula, parseFormula } from '../../search/expression.ts';
import { type Objective, objectiveOf, worthOf } from '../../search/objective.ts';
import { type EndedTrial, GridSampler, gridSize, RandomSampler, type Sampler } from '../../search/sampler.ts';
import { SobolSampler } from '../../search/sobol.ts';
import { type Dimension, dimension, type Point } from '../../search/space.ts';
import type { Trial } from '../../search/study.ts';
import { TpeSampler } from '../../search/tpe.ts';
import type { Config } from '../config/schema/schema.ts';
import type { SpacedSearch } from '../config/schema/search-schema.ts';
import { parameterPath, STATISTIC_KEYS } from '../config/search-rules.ts';
import { inConfigFolder } from './setting-paths.ts';

/** Trials of a method that has no end of its own. */
const DEFAULT_TRIALS = 100;
/** Points whose needs are compared before the first trial. */
const MOST_CORNERS = 64;

/** A search as its config describes it. */
export class SearchPlan {
  readonly dimensions: readonly Dimension[];
  readonly objective: Objective;
  readonly constraints: readonly Formula[];
  /** Most trials; the number of points of a grid may be far larger than any number of trials. */
  readonly trials: bigint;
  /** The setting of each parameter, as in `--set`. */
  readonly paths: Readonly<Record<string, string>>;
  readonly #where: readonly Formula[];

  /** @param file of the config: files of strategies are relative to its folder. */
  constructor(
    readonly search: SpacedSearch,
    private readonly config: Pick<Config, 'strategies'>,
    private readonly file: string,
  ) {
    const { parameters, objective, constraints, where, method, trials } = search;
    this.dimensions = dimensionsOf(search);
    this.paths = Object.fromEntries(Object.keys(parameters).map((name) => [name, this.#path(name)]));
    this.objective = objectiveOf(objective, STATISTIC_KEYS);
    this.constraints = constraints.map((text) => parseFormula(text, STATISTIC_KEYS));
    this.#where = where.map((text) => parseFormula(text, Object.keys(parameters)));
    const size = gridSize(this.dimensions);
    const wanted = BigInt(trials ?? (method === 'grid' ? Number.MAX_SAFE_INTEGER : DEFAULT_TRIALS));
    this.trials = size !== undefined && size < wanted ? size : wanted;
  }

  /** The trials in their order, from the first one. @param known trials of an earlier search. */
  course(known: readonly EndedTrial[] = []): Course {
    return new Course({ dimensions: this.dimensions, sampler: this.#sampler(known), where: this.#where, trials: Number(this.trials) });
  }

  /** The settings of a point, as in `--set`. */
  settingsOf(point: Point): string[] {
    return Object.entries(paramsOf(point, this.dimensions)).map(([name, text]) => this.settingOf(name, text));
  }

  settingOf(name: string, text: string): string {
    return inConfigFolder(`${this.paths[name]!}=${text}`, this.file);
  }

  /** The point with these values of parameters; `undefined` if the search has no such point. */
  pointOf(params: Readonly<Record<string, string>>): Point | undefined {
    const { dimensions } = this;
    if (Object.keys(params).length !== dimensions.length) return undefined;
    const point = dimensions.map((one) => one.coordinateOf(params[one.name] ?? ''));
    if (point.includes(undefined)) return undefined;
    return isAllowed(point as Point, dimensions, this.#where) ? (point as Point) : undefined;
  }

  /** The objective of a trial for a sampler, smaller is better; `undefined` without one, or if a constraint is missed. */
  score({ statistics }: Pick<Trial, 'statistics'>): number | undefined {
    const { value, missed } = worthOf(statistics, this.objective, this.constraints);
    if (value === undefined || missed.length > 0) return undefined;
    return this.objective.maximize ? -value : value;
  }

  /** Points at the ends of the space: what a strategy needs is most likely largest at one of them. */
  corners(): Point[] {
    let points: Point[] = [[]];
    for (const one of this.dimensions) {
      const last = one.count === undefined ? 1 - Number.EPSILON : one.count - 1;
      const ends = one.ordered ? [...new Set([0, last])] : Array.from({ length: one.count! }, (_, index) => index);
      const more = points.flatMap((point) => ends.map((end) => [...point, end]));
      points = more.length > MOST_CORNERS ? points.map((point) => [...point, ends.at(-1)!]) : more;
    }
    return points;
  }

  /** Whether parameters choose the code that runs. */
  get variesCode(): boolean {
    return Object.values(this.paths).some((path) => path.endsWith('.file') || path.endsWith('.export'));
  }

  #path(name: string): string {
    const found = parameterPath(name, this.config.strategies);
    // The rules of the config have refused every other one.
    return 'path' in found ? found.path : name;
  }

  #sampler(known: readonly EndedTrial[]): Sampler {
    const { method, seed, batch } = this.search;
    switch (method) {
      case 'grid':
        return new GridSampler(this.dimensions);
      case 'random':
        return new RandomSampler(this.dimensions, seed);
      case 'sobol':
        return new SobolSampler(this.dimensions, seed);
      case 'tpe':
        return new TpeSampler(this.dimensions, seed, { batch, known });
      default:
        return method satisfies never;
    }
  }
}

/** The space of a search. */
export function dimensionsOf({ parameters }: Pick<SpacedSearch, 'parameters'>): Dimension[] {
  return Object.entries(parameters).map(([name, { values, min = '', max = '', step, scale }]) =>
    dimension(name, values === undefined ? { min, max, step, scale } : { values: values.map((one) => JSON.stringify(one)) }),
  );
}
