import { judgedSteps, judgedTicks } from '../../state/order-needs.ts';
import { lossLimit } from '../limits.ts';
import { equityOf, reduces } from '../measures.ts';
import type { RiskRule } from '../rule.ts';

/**
 * The loss at the stop that an order brings: the distance from its price, times its
 * quantity, without fees and slippage. An order without a stop has no planned loss and passes.
 */
export const lossPerTrade: RiskRule = (order, context) => {
  const { limits, stopLossTicks, marketTicks, state } = context;
  if (limits.maxLossPerTrade === undefined || stopLossTicks === undefined || reduces(order, context)) return undefined;
  const { instrument, side } = order;
  const entryTicks = judgedTicks(order, marketTicks);
  const lost = side === 'buy' ? entryTicks - stopLossTicks : stopLossTicks - entryTicks;
  if (lost <= 0) return undefined;
  const rate = state.portfolio.rateOf(instrument.quote);
  if (rate === undefined) return { code: 'noMarketPrice', symbol: instrument.quote };
  const distance = instrument.tick.toDecimal(entryTicks).minus(instrument.tick.toDecimal(stopLossTicks)).abs();
  const loss = distance.times(instrument.step.toDecimal(judgedSteps(order, marketTicks))).times(rate);
  const limit = lossLimit(limits.maxLossPerTrade, () => equityOf(context));
  if (loss.lessThanOrEqualTo(limit)) return undefined;
  return { code: 'lossPerTradeAboveLimit', loss: loss.toFixed(), limit: limit.toFixed() };
};
