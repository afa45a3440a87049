import { Random } from '../../src/model/random.ts';
import type { Sampler } from '../../src/search/sampler.ts';
import { type Dimension, dimension, type ParameterTerms } from '../../src/search/space.ts';

/** A function with a known minimum. optuna-figures.py has the same ones. */
export interface StandardFunction {
  readonly name: string;
  readonly parameters: Readonly<Record<string, ParameterTerms>>;
  readonly minimum: number;
  /** The standard deviation of the noise of a trial. */
  readonly noise?: number;
  /** The value of a point: of its parameters as numbers, and as text for choices. */
  readonly of: (values: readonly number[], texts: readonly string[]) => number;
}

const { PI, cos, exp, log, log10 } = Math;

const ALPHA = [1, 1.2, 3, 3.2];

/** Hartmann's functions: four hollows of different depths. */
function hartmann(x: readonly number[], weights: readonly (readonly number[])[], centres: readonly (readonly number[])[]): number {
  let sum = 0;
  for (const [hollow, alpha] of ALPHA.entries()) {
    let distance = 0;
    for (const [place, value] of x.entries()) distance += weights[hollow]![place]! * (value - centres[hollow]![place]!) ** 2;
    sum -= alpha * exp(-distance);
  }
  return sum;
}

const WEIGHTS_3 = [
  [3, 10, 30],
  [0.1, 10, 35],
  [3, 10, 30],
  [0.1, 10, 35],
];
const CENTRES_3 = [
  [0.3689, 0.117, 0.2673],
  [0.4699, 0.4387, 0.747],
  [0.1091, 0.8732, 0.5547],
  [0.0381, 0.5743, 0.8828],
];
const WEIGHTS_6 = [
  [10, 3, 17, 3.5, 1.7, 8],
  [0.05, 10, 17, 0.1, 8, 14],
  [3, 3.5, 1.7, 10, 17, 8],
  [17, 8, 0.05, 10, 0.1, 14],
];
const CENTRES_6 = [
  [0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886],
  [0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991],
  [0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.665],
  [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381],
];

/** The offset of a choice, and its best length. */
const CHOICES: Readonly<Record<string, readonly [number, number]>> = { a: [0.4, 12], b: [0, 40], c: [0.2, 80], d: [0.8, 20] };

/** A range of any numbers: without a decimal point the bounds would be whole, and so its values. */
const range = (min: string, max: string): ParameterTerms => ({ min: `${min}.0`, max: `${max}.0` });
const ranges = (count: number, min: string, max: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, place) => [`x${place}`, range(min, max)]));

export const STANDARD_FUNCTIONS: readonly StandardFunction[] = [
  {
    name: 'branin',
    parameters: { x: range('-5', '10'), y: range('0', '15') },
    minimum: 0.397_887_357_729_738_16,
    of: ([x, y]) => (y! - (5.1 / (4 * PI ** 2)) * x! ** 2 + (5 / PI) * x! - 6) ** 2 + 10 * (1 - 1 / (8 * PI)) * cos(x!) + 10,
  },
  {
    name: 'hartmann6',
    parameters: ranges(6, '0', '1'),
    minimum: -3.322_368_011_415_515,
    of: (x) => hartmann(x, WEIGHTS_6, CENTRES_6),
  },
  {
    // Its usual range is centred on the minimum, as the prior would be.
    name: 'rastrigin',
    parameters: ranges(4, '-4', '6'),
    minimum: 0,
    of: (x) => x.reduce((sum, value) => sum + value * value - 10 * cos(2 * PI * value) + 10, 0),
  },
  {
    name: 'mixed',
    parameters: {
      kind: { values: Object.keys(CHOICES) },
      length: { min: '2', max: '200', scale: 'log' },
      level: { min: '0', max: '50', step: '5' },
      rate: { min: '0.0001', max: '1', scale: 'log' },
    },
    minimum: 0,
    of: ([, length, level, rate], [kind]) => {
      const [offset, best] = CHOICES[kind!]!;
      return offset + log(length! / best) ** 2 + Math.abs(level! - 35) / 10 + log10(rate! / 0.01) ** 2;
    },
  },
  {
    name: 'noisy',
    parameters: ranges(3, '0', '1'),
    minimum: -3.862_782_147_820_756,
    noise: 0.5,
    of: (x) => hartmann(x, WEIGHTS_3, CENTRES_3),
  },
];

/** The space of a function. */
export function dimensionsOf({ parameters }: StandardFunction): readonly Dimension[] {
  return Object.entries(parameters).map(([name, terms]) => dimension(name, terms));
}

/** The best true value of some trials less the minimum of the function. */
export function regretOf(
  one: StandardFunction,
  trials: number,
  seed: number,
  samplerOf: (dimensions: readonly Dimension[]) => Sampler,
): number {
  const { minimum, noise = 0, of } = one;
  const dimensions = dimensionsOf(one);
  const sampler = samplerOf(dimensions);
  const chance = new Random(seed, 'noise');
  let best = Number.POSITIVE_INFINITY;
  for (let trial = 0; trial < trials; trial++) {
    const point = sampler.next()!;
    const texts = dimensions.map((dimension, place) => dimension.text(point[place]!));
    const value = of(texts.map(Number), texts);
    best = Math.min(best, value);
    sampler.tell([{ point, value: value + noise * chance.normal() }]);
  }
  return best - minimum;
}
