import { judgedTicks } from '../../state/order-needs.ts';
import type { RiskRule } from '../rule.ts';

/** An order without a limit price needs a market price for its valuation. */
export const priceKnown: RiskRule = (order, { marketTicks }) =>
  Number.isNaN(judgedTicks(order, marketTicks)) ? { code: 'noMarketPrice', symbol: order.instrument.symbol } : undefined;
