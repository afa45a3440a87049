import { join } from 'node:path';
import { SearchSchema, type SpacedSearch } from '../../src/app/config/schema/search-schema.ts';
import { dimensionsOf } from '../../src/app/search/search-plan.ts';
import { paramsOf } from '../../src/search/course.ts';
import type { Dimension, Point } from '../../src/search/space.ts';
import { Study, type Trial } from '../../src/search/study.ts';

/** What a hand-made trial came to. */
export type Came = Pick<Trial, 'statistics'> & Partial<Pick<Trial, 'outcome' | 'reason' | 'returns'>>;

/** A study made by hand: its section, its points, and what each of them came to. The caller closes it. */
export function studyOf(
  folder: string,
  name: string,
  section: object,
  points: readonly Point[],
  cameTo: (params: Readonly<Record<string, string>>, index: number) => Came,
): Study {
  const search = SearchSchema.parse(section) as SpacedSearch;
  const dimensions: Dimension[] = dimensionsOf(search);
  const study = Study.create(join(folder, name), {
    ...{ name, config: 'c.yaml', set: ['backtest.to=2025-06-01'], search, from: '2025-01-01T00:00:00Z', setsFrom: false, settings: '{}' },
    paths: Object.fromEntries(dimensions.map((one) => [one.name, `strategies.0.params.${one.name}`])),
    ...{ code: 'c0de', data: ['sample/BTC-USDT bar 1m da7a'], tidegate: '0.1.0', node: '22.0.0', hash: false },
  });
  points.forEach((point, index) => {
    const params = paramsOf(point, dimensions);
    const { outcome = 'done', reason, statistics, returns = new Float64Array() } = cameTo(params, index);
    study.add({ number: index + 1, point, params, outcome, reason, statistics, returns, durationMs: index });
  });
  return study;
}

/** Numbers from 0 to 1 that look random, the same in every run. */
export function draws(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Daily returns around a mean. */
export function walk(days: number, mean: number, spread: number, draw: () => number): Float64Array {
  return Float64Array.from({ length: days }, () => mean + spread * (draw() + draw() + draw() - 1.5));
}

/** Every point of a grid with so many values, the last parameter first. */
export function gridPoints(...values: readonly number[]): number[][] {
  return values.reduce<number[][]>(
    (points, count) => points.flatMap((point) => Array.from({ length: count }, (_, at) => [...point, at])),
    [[]],
  );
}
