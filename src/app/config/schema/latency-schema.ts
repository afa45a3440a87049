import { z } from 'zod';
import { amount, text, whole } from './fields.ts';

const DistributionSchema = z
  .strictObject({
    uniform: z
      .array(amount(0), { error: 'expected [least, most], in ms' })
      .length(2, { error: 'expected two numbers: [least, most]' })
      .refine(([least, most]) => least! <= most!, { error: 'expected the least first: [least, most]' })
      .optional()
      .describe('[least, most]: any time between, each as likely, in ms'),
    normal: z
      .strictObject({
        mean: amount(0).describe('Mean of the bell, in ms'),
        deviation: amount(0).describe('Its standard deviation, in ms'),
      })
      .optional()
      .describe('A bell; what falls below 0 is 0'),
    lognormal: z
      .strictObject({
        median: amount(0).describe('Half of the times are below this, in ms'),
        sigma: amount(0).describe('Standard deviation of the logarithm: 84 % of the times are below the median x e^sigma'),
      })
      .optional()
      .describe('What times on a network mostly look like: many near the median, few very long'),
    exponential: z
      .strictObject({
        least: amount(0).default(0).describe('No time is below this, in ms'),
        mean: amount(0).describe('Mean of all times, the least included, in ms'),
      })
      .refine(({ least, mean }) => least <= mean, { error: 'expected a mean of at least `least`' })
      .optional()
      .describe('A least time, and waiting in a queue on top of it'),
  })
  .refine((map) => Object.keys(map).length === 1, { error: 'expected one of uniform, normal, lognormal and exponential' });

/** Ms, or a distribution that they are drawn from. */
const delay = z.union([amount(0), DistributionSchema], {
  error: 'expected ms of at least 0, or one of { uniform }, { normal }, { lognormal }, { exponential }',
});

const OverloadSchema = z.strictObject({
  probability: amount(0).max(1, { error: 'expected a share between 0 and 1' }).optional().describe('Share of all orders that are refused'),
  ordersPerSecond: whole(1)
    .optional()
    .describe('Most orders of ours that are taken within any 1000 ms, by their arrival; those beyond are refused'),
});

const ALIKE = 'ms, or a distribution as of `feedMs`';

export const LatencySchema = z.strictObject({
  feedMs: delay
    .default(0)
    .describe("From the exchange's time of a datum until the strategy hears of it: ms, or a distribution that each is drawn from"),
  entryMs: delay.default(0).describe(`From the decision until the venue has the order: ${ALIKE}`),
  responseMs: delay.default(0).describe(`From the venue's act until the strategy hears of it: ${ALIKE}`),
  cancelMs: delay.default(0).describe(`From the decision until the venue has the cancel: ${ALIKE}`),
  seed: whole(0).default(1).describe('Of all that is drawn: the same seed draws the same times'),
  recorded: text('the path of a file')
    .optional()
    .describe(
      'Recorded times instead: a CSV file (plain, gzip or zip) of `time,entryMs,responseMs[,cancelMs][,feedMs]`, or the journal of a bot; relative to the config file',
    ),
  overload: OverloadSchema.optional().describe('Orders that the exchange refuses on arrival because it is too busy; cancels pass'),
});
