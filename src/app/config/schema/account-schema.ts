import { z } from 'zod';
import { ContractSchema } from './contract-schema.ts';
import { asset, feeRate, gridSize, nonNegativeDecimal, positiveDecimal, symbol } from './fields.ts';
import { MarginSchema } from './margin-schema.ts';

export const AccountSchema = z.strictObject({
  kind: z
    .enum(['spot', 'netting', 'futures'])
    .describe(
      'How positions are held: `spot` balances; `futures`, long and short side by side on margin; or one net position a symbol with shorts (`netting`, for research)',
    ),
  currency: asset.optional().describe('Asset in which equity and limits are counted; default: the quote of the instruments'),
  balances: z.record(asset, nonNegativeDecimal).describe('Opening balance by asset, as decimal text; of a futures account: its collateral'),
  spot: z
    .record(asset, nonNegativeDecimal)
    .optional()
    .describe('Opening balances of the spot wallet beside a futures account, without which it trades no spot instrument'),
  margin: MarginSchema.optional().describe('Margin settings of a futures account'),
});

const limit = positiveDecimal.optional();

export const InstrumentSchema = z.strictObject({
  tickSize: gridSize.describe(
    'Distance between two prices, in quote; a backtest takes what is left out from the terms beside its recording',
  ),
  stepSize: gridSize.describe('Distance between two quantities, in base; left out as `tickSize` is'),
  makerFee: feeRate.default('0').describe('Fee of resting orders, as a share of the notional; negative is a rebate'),
  takerFee: feeRate.default('0').describe('Fee of orders that take, as a share of the notional'),
  minQuantity: limit.describe('Smallest order, in base'),
  maxQuantity: limit.describe('Largest order, in base'),
  minNotional: limit.describe('Smallest order, in quote'),
  maxNotional: limit.describe('Largest order, in quote'),
  contract: ContractSchema.optional().describe('What a perpetual of a futures account is beyond its grids'),
});

export const InstrumentsSchema = z
  .record(symbol, InstrumentSchema)
  .refine((instruments) => Object.keys(instruments).length > 0, { error: 'expected at least one instrument' });
