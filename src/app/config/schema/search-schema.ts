import { z } from 'zod';
import { positiveDecimal, text, trueOrFalse, whole } from './fields.ts';

/** How a search chooses its points. */
export const SEARCH_METHODS = ['grid', 'random', 'sobol', 'tpe'] as const;

const bound = z
  .string({ error: 'expected a number, such as 10 or 0.5' })
  .regex(/^[+-]?(\d{1,40}(\.\d{0,40})?|\.\d{1,40})([eE][+-]?\d{1,2})?$/, { error: 'expected a number, such as 10 or 0.5' })
  .meta({ type: ['string', 'number'] });

const ParameterSchema = z
  .strictObject({
    values: z
      .array(z.unknown(), { error: 'expected a list of values' })
      .min(1, { error: 'expected at least one value' })
      .optional()
      .describe('The values to try: numbers, texts, true and false, or lists, such as symbols'),
    min: bound.optional().describe('Smallest value of a range'),
    max: bound.optional().describe('Largest value of a range'),
    step: positiveDecimal
      .optional()
      .describe('Distance of two values; default: 1 if `min` and `max` are written without decimals, else any value between them'),
    scale: z
      .enum(['linear', 'log'])
      .default('linear')
      .describe('`log`: equal factors are equally likely, such as 0.01 to 0.1 and 0.1 to 1'),
  })
  .refine(
    ({ values, min, max }) =>
      (values === undefined) === (min !== undefined && max !== undefined) && (min === undefined) === (max === undefined),
    {
      error: 'expected either `values`, or `min` and `max`',
    },
  )
  .refine(({ min, max }) => min === undefined || max === undefined || Number(min) <= Number(max), {
    error: 'expected `min` at or below `max`',
  })
  .refine(({ min, scale }) => scale === 'linear' || min === undefined || Number(min) > 0, {
    error: 'expected `min` above 0 on a log scale',
  });

const formulas = z.array(text('a formula'), { error: 'expected a list of formulas' }).default([]);

const ObjectiveSchema = z.union(
  [
    text('a statistic or a formula'),
    z.strictObject({ maximize: text('a formula').describe('Formula over statistics whose largest value is sought') }),
    z.strictObject({ minimize: text('a formula').describe('Formula over statistics whose smallest value is sought') }),
  ],
  { error: 'expected a statistic or a formula, or { maximize } or { minimize } with one' },
);

/** A search for parameters. */
export const SearchSchema = z.strictObject({
  parameters: z
    .record(z.string().min(1), ParameterSchema, { error: 'expected a map of parameters' })
    .refine((map) => Object.keys(map).length > 0, { error: 'expected at least one parameter' })
    .optional()
    .describe(
      'What varies: a parameter of a strategy by its name, if only one strategy has it, or any setting by its path, such as `strategies.0.params.fast` or `risk.maxDrawdown`; without it, the search needs `--over`',
    ),
  method: z
    .enum(SEARCH_METHODS)
    .default('grid')
    .describe('`grid`: every combination; `random`; `sobol`: evenly spread; `tpe`: learns from the trials before'),
  trials: whole(1).optional().describe('Most trials; default: all of a grid, otherwise 100'),
  seed: whole(0).default(1).describe('Seed of the points; it does not change the random numbers of the simulated market'),
  objective: ObjectiveSchema.default('sharpe').describe(
    'What is sought: a statistic by its key, a formula over statistics, or a loss function of freqtrade such as `MultiMetric`',
  ),
  constraints: formulas.describe(
    'Conditions on statistics, such as `maxDrawdown < 0.25`; a trial that misses one is ranked below all others',
  ),
  prune: z
    .enum(['constraints'])
    .optional()
    .describe('`constraints`: a trial ends as soon as it misses one for certain, such as a drawdown that is too deep'),
  where: formulas.describe('Conditions on parameters, such as `fast < slow`; other points are not tried'),
  batch: whole(1).default(10).describe('With `tpe`: trials that are drawn together, before their results are known'),
  timeoutMs: whole(1).optional().describe('A trial that takes longer is ended and counts as failed'),
  memoryMb: whole(64).optional().describe('Heap of one worker; a trial that needs more is tried once more alone, then counts as failed'),
  sharedData: trueOrFalse.default(true).describe('Whether the recordings are decoded once, in memory that all workers share'),
});

export type SearchConfig = z.output<typeof SearchSchema>;

/** The same with its parameters. */
export type SpacedSearch = SearchConfig & { readonly parameters: NonNullable<SearchConfig['parameters']> };
