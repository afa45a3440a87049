import { z } from 'zod';
import { leverageText, maintenanceRate, positiveDecimal } from './fields.ts';
import { OwnMarginSchema } from './margin-schema.ts';

const TierSchema = z.strictObject({
  upTo: positiveDecimal.optional().describe('Value of the position up to which the tier goes, in quote; the last tier has none'),
  maintenance: maintenanceRate.describe('Maintenance margin of the part of the value inside the tier, as a share of it'),
  maxLeverage: leverageText.optional().describe('Highest leverage with which a position may be opened into the tier; default: any'),
});

/** What the exchange's API does not tell of a contract. */
export const ContractSchema = z.strictObject({
  value: positiveDecimal.default('0.000001').describe('Base of one contract: the number of contracts is the quantity over this'),
  maintenance: maintenanceRate
    .optional()
    .describe('Maintenance margin as a share of the value of the position; default: `"0.005"`, unless there are `tiers`'),
  tiers: z
    .array(TierSchema, { error: 'expected a list of tiers' })
    .min(1, { error: 'expected at least one tier' })
    .optional()
    .describe('Maintenance margin by the value of the position, from the smallest up, instead of one rate'),
  liquidationFee: maintenanceRate
    .default('0.001')
    .describe('Fee of a liquidation as a share of the liquidated value; it goes to the insurance fund'),
  triggerBy: z.enum(['last', 'mark']).default('last').describe('Price that fires trigger orders'),
  margin: OwnMarginSchema.optional().describe('What this contract has otherwise than `account.margin`'),
});
