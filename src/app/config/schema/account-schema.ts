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
  [
    leverageText,
    z.strictObject({
      long: leverageText.describe('Leverage of the long side'),
      short: leverageText.describe('Leverage of the short side'),
    }),
  ],
  { error: 'expected a leverage of at least 1, such as "10", or { long, short }' },
);

const mode = z.enum(['shared', 'isolated']);
const MODE = '`shared`: all positions use the collateral of their currency as margin; `isolated`: each position has its own margin';
const SEPARATED = '`true`: each opening order opens its own position; `false`: one position per side';
const LEVERAGE = 'Value of a position divided by its initial margin: one number for both sides, or `{ long, short }`';
const AUTO_APPEND = 'Whether an isolated position with too little margin takes margin from the free collateral before it is liquidated';

/** Margin settings of all contracts of an account. */
export const MarginSchema = z.strictObject({
  mode: mode.default('shared').describe(MODE),
  separated: trueOrFalse.default(false).describe(SEPARATED),
  leverage: leverage.default('5').describe(LEVERAGE),
  autoAppend: trueOrFalse.default(false).describe(AUTO_APPEND),
});

/** The settings in which one contract differs from its account. */
export const OwnMarginSchema = z.strictObject({
  mode: mode.optional().describe(MODE),
  separated: trueOrFalse.optional().describe(SEPARATED),
  leverage: leverage.optional().describe(LEVERAGE),
  autoAppend: trueOrFalse.optional().describe(AUTO_APPEND),
});

const TierSchema = z.strictObject({
  upTo: positiveDecimal.optional().describe('Largest position value in this tier, in quote; the last tier has no `upTo`'),
  maintenance: maintenanceRate.describe('Maintenance margin rate of the part of the value inside this tier'),
  maxLeverage: leverageText.optional().describe('Highest leverage at which a position may be opened into this tier; default: no limit'),
});

/** Terms of a contract that the exchange's API does not contain. */
export const ContractSchema = z.strictObject({
  value: positiveDecimal.default('0.000001').describe('Base quantity of one contract: number of contracts = quantity / value'),
  maintenance: maintenanceRate
    .optional()
    .describe('Maintenance margin as a share of the position value; default: `"0.005"`, if there are no `tiers`'),
  tiers: z
    .array(TierSchema, { error: 'expected a list of tiers' })
    .min(1, { error: 'expected at least one tier' })
    .optional()
    .describe('Maintenance margin by position value, smallest tier first; replaces `maintenance`'),
  liquidationFee: maintenanceRate
    .default('0.001')
    .describe('Fee of a liquidation as a share of the liquidated value; paid to the insurance fund'),
  triggerBy: z.enum(['last', 'mark']).default('last').describe('Price that activates trigger orders: the last price or the mark price'),
  margin: OwnMarginSchema.optional().describe('Margin settings of this contract that differ from `account.margin`'),
});

export const AccountSchema = z.strictObject({
  kind: z
    .enum(['spot', 'netting', 'futures'])
    .describe(
      '`spot`: balances of coins; `futures`: long and short positions on margin; `netting`: one net position per symbol, shorts allowed, for research',
    ),
  currency: asset.optional().describe('Asset in which equity and limits are computed; default: the quote asset of the instruments'),
  balances: z.record(asset, nonNegativeDecimal).describe('Opening balance by asset; for a futures account: its collateral'),
  spot: z
    .record(asset, nonNegativeDecimal)
    .optional()
    .describe('Opening balances of the spot wallet of a futures account; required if it trades spot instruments'),
  margin: MarginSchema.optional().describe('Margin settings of a futures account'),
});

const limit = positiveDecimal.optional();

export const InstrumentSchema = z.strictObject({
  tickSize: gridSize.describe('Smallest price step, in quote; in a backtest, default: from the instruments file of the recording'),
  stepSize: gridSize.describe('Smallest quantity step, in base; in a backtest, default: from the instruments file of the recording'),
  makerFee: feeRate.default('0').describe('Fee of fills as maker, as a share of the notional; negative is a rebate'),
  takerFee: feeRate.default('0').describe('Fee of fills as taker, as a share of the notional'),
  minQuantity: limit.describe('Smallest quantity of an order, in base'),
  maxQuantity: limit.describe('Largest quantity of an order, in base'),
  minNotional: limit.describe('Smallest notional of an order, in quote'),
  maxNotional: limit.describe('Largest notional of an order, in quote'),
  contract: ContractSchema.optional().describe('Terms of a perpetual contract, for a futures account'),
});

export const InstrumentsSchema = z
  .record(symbol, InstrumentSchema)
  .refine((instruments) => Object.keys(instruments).length > 0, { error: 'expected at least one instrument' });
