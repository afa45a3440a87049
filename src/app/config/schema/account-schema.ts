import { z } from 'zod';
import {
  asset,
  feeRate,
  gridSize,
  leverageText,
  maintenanceRate,
  nonNegativeDecimal,
  positiveDecimal,
  symbol,
  trueOrFalse,
} from './fields.ts';

const leverage = z.union(
  [leverageText, z.strictObject({ long: leverageText.describe('Of the long side'), short: leverageText.describe('Of the short side') })],
  { error: 'expected a leverage of at least 1, such as "10", or { long, short }' },
);

const mode = z.enum(['shared', 'isolated']);
const MODE = '`shared`: all positions stand on the collateral of their currency; `isolated`: each on its own margin';
const SEPARATED = 'Whether every opening order has a position of its own, instead of one a side';
const LEVERAGE = 'Value of a position over its initial margin: one for both sides, or one a side';
const AUTO_APPEND = 'Whether isolated positions that lack margin take it from the free collateral before they are liquidated';

/** Margin settings of all contracts of an account. */
export const MarginSchema = z.strictObject({
  mode: mode.default('shared').describe(MODE),
  separated: trueOrFalse.default(false).describe(SEPARATED),
  leverage: leverage.default('5').describe(LEVERAGE),
  autoAppend: trueOrFalse.default(false).describe(AUTO_APPEND),
});

/** What one contract has otherwise than its account. */
export const OwnMarginSchema = z.strictObject({
  mode: mode.optional().describe(MODE),
  separated: trueOrFalse.optional().describe(SEPARATED),
  leverage: leverage.optional().describe(LEVERAGE),
  autoAppend: trueOrFalse.optional().describe(AUTO_APPEND),
});

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
