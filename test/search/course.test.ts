import { describe, expect, test } from '@jest/globals';
import { Course, paramsOf } from '../../src/search/course.ts';
import { parseFormula } from '../../src/search/expression.ts';
import { type EndedTrial, GridSampler, gridSize, RandomSampler, type Sampler } from '../../src/search/sampler.ts';
import { type Dimension, dimension, type ParameterTerms } from '../../src/search/space.ts';

const space = (terms: Readonly<Record<string, ParameterTerms>>) => Object.entries(terms).map(([name, one]) => dimension(name, one));
const textsOf = ({ count, text }: Dimension, one: Dimension) => Array.from({ length: count! }, (_, at) => text.call(one, at));

describe('a parameter', () => {
  test.each([
    ['whole bounds', { min: '2', max: '5' }, ['2', '3', '4', '5']],
    ['a step that does not end at the bound', { min: '0.1', max: '0.35', step: '0.1' }, ['0.1', '0.2', '0.3']],
    ['decimals that no double has', { min: '0.1', max: '0.3', step: '0.000000000000000000000000000001' }, undefined],
    ['choices', { values: ['"a"', 'true', '[1, 2]'] }, ['"a"', 'true', '[1, 2]']],
    ['one value', { min: '7', max: '7' }, ['7']],
  ] as const)('with %s has exactly these values', (_, terms, expected) => {
    const one = dimension('p', terms);
    if (expected === undefined) expect(one.text(1)).toBe('0.100000000000000000000000000001');
    else expect(textsOf(one, one)).toEqual(expected);
  });

  test('has equal shares of a linear range, and equal factors of a log one', () => {
    const [linear, log, steps] = [
      dimension('p', { min: '1.0', max: '100.0' }),
      dimension('p', { min: '1.0', max: '100.0', scale: 'log' }),
      dimension('p', { min: '1', max: '1000', scale: 'log' }),
    ];
    expect(linear.text(linear.at(0.5))).toBe('50.5');
    expect(log.text(log.at(0.5))).toBe('10');
    expect(Number(steps.text(steps.at(0.5)))).toBeGreaterThan(15);
    expect(Number(steps.text(steps.at(0.5)))).toBeLessThan(35);
  });

  test.each<[string, ParameterTerms]>([
    ['steps', { min: '3', max: '40' }],
    ['log steps', { min: '1', max: '64', scale: 'log' }],
    ['choices', { values: ['1', '2', '3'] }],
  ])('of %s has each value for some share', (_, terms) => {
    const one = dimension('p', terms);
    for (let at = 0; at < one.count!; at++) expect(one.at(one.shareOf(at))).toBe(at);
    expect(one.at(0)).toBe(0);
    expect(one.at(1 - Number.EPSILON)).toBe(one.count! - 1);
  });

  test.each<[string, ParameterTerms, readonly (readonly [text: string, coordinate: number | undefined])[]]>([
    [
      'steps',
      { min: '0.1', max: '0.35', step: '0.1' },
      [
        ['0.2', 1],
        ['0.20', 1],
        ['0.25', undefined],
        ['0.4', undefined],
        ['0', undefined],
        ['x', undefined],
      ],
    ],
    [
      'choices',
      { values: ['1', '"a"'] },
      [
        ['"a"', 1],
        ['a', undefined],
      ],
    ],
    [
      'a range',
      { min: '1.0', max: '5.0' },
      [
        ['2', 0.25],
        ['1.0', 0],
        ['5.5', undefined],
        ['"2"', undefined],
      ],
    ],
  ])('of %s has the values of another search that are its own', (_, terms, values) => {
    const one = dimension('p', terms);
    for (const [text, coordinate] of values) expect(one.coordinateOf(text)).toBe(coordinate);
    for (const share of [0, 0.3, 0.99]) expect(one.text(one.coordinateOf(one.text(one.at(share)))!)).toBe(one.text(one.at(share)));
  });
});

const FAST_SLOW = space({ fast: { min: '1', max: '3' }, slow: { values: ['2', '3'] } });

/** The parameters of the next trials, each ended at once. */
function trialsOf(course: Course, dimensions: readonly Dimension[], count = 100): string[] {
  const found: string[] = [];
  for (let chosen = course.next(); chosen !== undefined && found.length < count; chosen = course.next()) {
    found.push(`${chosen.number}: ${Object.values(paramsOf(chosen.point, dimensions)).join(' ')}`);
    course.ended(chosen, 0);
  }
  return found;
}

const grid = (where: readonly string[] = [], trials = 100) =>
  new Course({
    dimensions: FAST_SLOW,
    sampler: new GridSampler(FAST_SLOW),
    where: where.map((text) => parseFormula(text, ['fast', 'slow'])),
    trials,
  });

describe('the trials of a search', () => {
  test('of a grid are every point, the last parameter first', () => {
    expect(trialsOf(grid(), FAST_SLOW)).toEqual(['1: 1 2', '2: 1 3', '3: 2 2', '4: 2 3', '5: 3 2', '6: 3 3']);
  });

  test('are those that meet the conditions, without gaps in their numbers', () => {
    expect(trialsOf(grid(['fast < slow', 'fast + slow > 3']), FAST_SLOW)).toEqual(['1: 1 3', '2: 2 3']);
  });

  test('are no more than were wanted', () => {
    expect(trialsOf(grid([], 2), FAST_SLOW)).toEqual(['1: 1 2', '2: 1 3']);
  });

  test('of a grid of 10^12 points are counted and begun at once', () => {
    const huge = space({ a: { min: '1', max: '1000000' }, b: { min: '1', max: '1000000' } });
    expect(gridSize(huge)).toBe(1_000_000_000_000n);
    const course = new Course({ dimensions: huge, sampler: new GridSampler(huge), where: [], trials: 1e12 });
    expect(trialsOf(course, huge, 2)).toEqual(['1: 1 1', '2: 1 2']);
  });

  test('of random points try none twice, and end with the space', () => {
    const course = new Course({ dimensions: FAST_SLOW, sampler: new RandomSampler(FAST_SLOW, 3), where: [], trials: 50 });
    const found = trialsOf(course, FAST_SLOW).map((text) => text.replace(/^\d+: /, ''));
    expect(new Set(found).size).toBe(6);
    expect(found).toHaveLength(6);
    expect(course.shortOf).toContain('6 of 50 trials');
  });

  test('of random points depend on the seed and their number alone', () => {
    const wide = space({ a: { min: '0.0', max: '1.0' } });
    const of = (seed: number) =>
      trialsOf(new Course({ dimensions: wide, sampler: new RandomSampler(wide, seed), where: [], trials: 5 }), wide);
    expect(of(1)).toEqual(of(1));
    expect(of(1)).not.toEqual(of(2));
  });

  test('of a sampler that learns wait for their batch, whose results it gets by number', () => {
    const told: (readonly EndedTrial[])[] = [];
    let drawn = 0;
    const sampler: Sampler = { batch: 2, next: () => [drawn++], tell: (trials) => void told.push(trials) };
    const one = space({ p: { min: '0', max: '99' } });
    const course = new Course({ dimensions: one, sampler, where: [], trials: 5 });
    const [first, second] = [course.next()!, course.next()!];
    expect(course.next()).toBeUndefined();
    expect(course.waits).toBe(true);
    course.ended(second, 7);
    expect(course.next()).toBeUndefined();
    course.ended(first, undefined);
    expect(told).toMatchObject([
      [
        { point: [0], value: undefined },
        { point: [1], value: 7 },
      ],
    ]);
    const third = course.next()!;
    expect(third).toEqual({ number: 3, point: [2] });
    // One worker: each trial ends before the next one begins.
    course.ended(third, 5);
    expect(told).toHaveLength(1);
    course.ended(course.next()!, 6);
    expect(told[1]).toMatchObject([{ value: 5 }, { value: 6 }]);
  });
});
