import { z } from 'zod';
import { asset, fundingRate, interval, nonNegativeDecimal, trueOrFalse } from './fields.ts';

const constantFunding = z.strictObject({
  rate: fundingRate.describe('Rate of every payment: positive is paid by longs'),
  every: interval.describe('Distance of two payments, which fall on its multiples since 1970: `8h` is 00:00, 08:00 and 16:00 UTC'),
});

/** How futures are simulated beyond their fills. */
export const FuturesSchema = z.strictObject({
  funding: z
    .union([z.enum(['recorded', 'none']), constantFunding])
    .optional()
    .describe('Funding: recorded, none, or constant `{ rate, every }`; default: recorded where it is recorded, else none'),
  marks: z
    .enum(['recorded', 'last'])
    .optional()
    .describe('Mark prices: recorded, or the last price; default: recorded where they are recorded'),
  markMaxAge: interval.default('1m').describe('Age at which a recorded mark gives way to the last price'),
  liquidation: trueOrFalse.default(true).describe('Whether positions that lack margin are liquidated'),
  insuranceFund: z
    .record(asset, nonNegativeDecimal)
    .default({})
    .describe('What the insurance fund holds at the start, by asset; it pays what liquidations leave below zero'),
});
