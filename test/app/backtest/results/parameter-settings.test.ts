import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { parameterSettings } from '../../../../src/app/backtest/results/diagnosis.ts';

const SCHEMA = z.object({
  fast: z.int().min(2).max(90).default(20),
  size: z.string().default('0.5'),
  mode: z.enum(['a', 'b']).default('a'),
  limits: z.object({ upper: z.number().positive() }),
  weights: z.record(z.string(), z.number()),
});

test('numbers are listed with range and default, at any depth; texts are not', () => {
  const params = SCHEMA.parse({ limits: { upper: 3 }, weights: { BTC: 0.6 } });
  expect(parameterSettings(params, SCHEMA)).toEqual([
    { name: 'fast', value: 20, minimum: 2, maximum: 90, default: 20 },
    { name: 'size', value: 0.5, default: 0.5 },
    { name: 'limits.upper', value: 3 },
    { name: 'weights.BTC', value: 0.6 },
  ]);
});

test('without a schema only the numbers are listed', () => {
  expect(parameterSettings({ n: 1, name: 'x', empty: '' }, undefined)).toEqual([{ name: 'n', value: 1 }]);
});

test('ranges that leave out their ends, that may be absent, and of lists and records are known', () => {
  const schema = z.object({
    above: z.int().positive(),
    below: z.int().lt(10),
    open: z.number().positive(),
    maybe: z.number().min(2).max(5).nullable(),
    weights: z.record(z.string(), z.number().min(0).max(1)),
    levels: z.array(z.number().min(1)),
  });
  const params = { above: 1, below: 9, open: 0.1, maybe: 2, weights: { BTC: 1 }, levels: [1] };
  expect(parameterSettings(params, schema)).toMatchObject([
    { name: 'above', value: 1, minimum: 1 },
    { name: 'below', value: 9, maximum: 9 },
    { name: 'open', value: 0.1, minimum: undefined },
    { name: 'maybe', value: 2, minimum: 2, maximum: 5 },
    { name: 'weights.BTC', value: 1, minimum: 0, maximum: 1 },
    { name: 'levels.0', value: 1, minimum: 1 },
  ]);
});
