import { z } from 'zod';
import { fraction, nonNegativeDecimal, positiveDecimal, symbol, whole } from './fields.ts';

const AccountLimits = z.strictObject({
  maxDrawdown: fraction.optional().describe('Fall of equity from its peak at which trading latches off, as a fraction'),
  maxExposure: positiveDecimal.optional().describe('Gross exposure of positions and open orders together, in the account currency'),
  maxLeverage: positiveDecimal.optional().describe('Value of positions and open orders together, over equity'),
  maxMarginUse: fraction
    .optional()
    .describe('Margin of positions and open orders together, as a fraction of equity; futures accounts alone'),
  minLiquidationDistance: fraction
    .optional()
    .describe(
      'Smallest distance from the mark to the liquidation price that an opening order may leave, as a fraction of the mark; futures accounts alone',
    ),
  maxOpenOrders: whole(1).optional().describe('Orders open at one time'),
  orderRate: z
    .strictObject({
      orders: whole(1).describe('Orders allowed within the window'),
      perMs: whole(1).describe('Length of the window, in ms'),
    })
    .optional()
    .describe('Most orders in a sliding window'),
});

const OrderLimits = z.strictObject({
  priceCollar: fraction.optional().describe('Widest distance of a price from the last price, as a fraction of it'),
  maxQuantity: positiveDecimal.optional().describe('Largest quantity of one order, in base'),
  maxNotional: positiveDecimal.optional().describe('Largest amount of one order, in quote'),
});

export const RiskSchema = z.strictObject({
  account: AccountLimits.prefault({}).describe('Limits on the account as a whole'),
  orders: OrderLimits.prefault({}).describe('Limits on every single order'),
  positions: z
    .record(symbol, nonNegativeDecimal)
    .default({})
    .describe('Largest absolute position by symbol, open orders included, in base'),
});
