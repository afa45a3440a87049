import type { Formula } from './expression.ts';
import type { EndedTrial, Sampler } from './sampler.ts';
import { gridSize } from './sampler.ts';
import type { Dimension, Point } from './space.ts';

/** Points that are refused in a row, by conditions or as repeats, before a search gives up. */
const MOST_REFUSED = 100_000;

interface CourseParts {
  readonly dimensions: readonly Dimension[];
  readonly sampler: Sampler;
  /** Conditions on parameters. */
  readonly where: readonly Formula[];
  /** Most trials. */
  readonly trials: number;
}

/** A trial that is to be run. */
export interface Chosen {
  readonly number: number;
  readonly point: Point;
}

/**
 * The trials of a search in their order: the points of the sampler that meet the conditions, each once. So the number of a trial and its
 * point depend on the terms of the search alone, never on workers.
 */
export class Course {
  /** Points of spaces whose values are counted, so that none is tried twice. */
  readonly #tried = new Set<string>();
  readonly #isCounted: boolean;
  #number = 0;
  #isOver = false;
  /** Trials of the present batch that have not ended. */
  #open = 0;
  #ended: (EndedTrial & { readonly number: number })[] = [];
  /** Why there are fewer trials than were wanted; `undefined` if there are not. */
  shortOf: string | undefined;

  constructor(private readonly parts: CourseParts) {
    this.#isCounted = gridSize(parts.dimensions) !== undefined;
  }

  /** The next trial; `undefined`: none, or none before those that run have ended (`waits`). */
  next(): Chosen | undefined {
    if (this.waits || this.#isOver) return undefined;
    const point = this.#number < this.parts.trials ? this.#accepted() : undefined;
    if (point === undefined) {
      this.#isOver = true;
      return undefined;
    }
    this.#open++;
    return { number: ++this.#number, point };
  }

  /** The sampler has to learn what the trials of its batch came to. */
  get waits(): boolean {
    const { batch } = this.parts.sampler;
    return batch !== undefined && this.#number > 0 && this.#number % batch === 0 && this.#open > 0;
  }

  /** @param value the objective, smaller is better; `undefined` without one, or if a constraint is missed. */
  ended({ number, point }: Chosen, value: number | undefined): void {
    this.#open--;
    const { batch } = this.parts.sampler;
    if (batch === undefined) return;
    this.#ended.push({ number, point, value });
    // The whole batch, also where one worker ends each trial before the next one begins; in the order of their numbers.
    if (this.#open > 0 || this.#number % batch !== 0) return;
    this.parts.sampler.tell(this.#ended.sort((a, b) => a.number - b.number));
    this.#ended = [];
  }

  #accepted(): Point | undefined {
    const { sampler, dimensions, where, trials } = this.parts;
    for (let refused = 0; refused < MOST_REFUSED; refused++) {
      const point = sampler.next();
      if (point === undefined) return undefined;
      const key = this.#isCounted ? point.join(' ') : undefined;
      if (key !== undefined && this.#tried.has(key)) continue;
      if (where.length > 0 && !isAllowed(point, dimensions, where)) continue;
      if (key !== undefined) this.#tried.add(key);
      return point;
    }
    this.shortOf = `${this.#number} of ${trials} trials: the next ${MOST_REFUSED} points were tried before, or do not meet \`where\``;
    return undefined;
  }
}

/** Whether a point meets all conditions. A parameter without a number has no value in them. */
export function isAllowed(point: Point, dimensions: readonly Dimension[], where: readonly Formula[]): boolean {
  const values = Object.fromEntries(dimensions.map((one, place) => [one.name, Number(one.text(point[place]!))]));
  return where.every((one) => one.of(values) === 1);
}

/** The values of a point by parameter, as text in a config. */
export function paramsOf(point: Point, dimensions: readonly Dimension[]): Record<string, string> {
  return Object.fromEntries(dimensions.map((one, place) => [one.name, one.text(point[place]!)]));
}
