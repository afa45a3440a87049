import { z } from 'zod';
import { slug, symbol, text } from './fields.ts';

export const StrategySchema = z.strictObject({
  id: slug(16).describe('Name of this strategy in orders, fills and reports; unique'),
  file: text('the path of a .ts, .js, .mjs or .cjs file').describe('TypeScript or JavaScript file, relative to the config file'),
  export: text('the name of an exported class').optional().describe('Class to run, where the file exports several'),
  symbols: z
    .array(symbol, { error: 'expected a list of symbols' })
    .min(1, { error: 'expected at least one symbol' })
    .describe('Instruments that it trades'),
  params: z
    .record(z.string(), z.unknown(), { error: 'expected a map of parameters' })
    .default({})
    .describe("The strategy's own parameters, checked against its schema"),
});

export const StrategiesSchema = z
  .array(StrategySchema, { error: 'expected a list of strategies' })
  .min(1, { error: 'expected at least one strategy' });
