import { OPERATION_TABLE } from '../../../exchange/operations/operation-table.ts';
import { LIMITS } from '../../../local-exchange/http/limit-settings.ts';
import type { RequestLimits } from '../../../venues/simulated/limits/request-pacer.ts';
import type { Config } from '../../config/schema/schema.ts';

/** What requests of a backtest wait for, at the weights of the exchange's operations; undefined where nothing limits them. */
export function requestLimits(limits: Config['backtest']['limits']): RequestLimits | undefined {
  if (limits === 'none') return undefined;
  const { batchOrders, cancelOrder, triggerOrder, cancelFuturesOrder } = OPERATION_TABLE;
  const costs = {
    spotOrders: batchOrders.weight,
    spotCancel: cancelOrder.weight,
    futuresOrder: triggerOrder.weight,
    futuresCancel: cancelFuturesOrder.weight,
  };
  return { ...(limits === 'exchange' ? LIMITS : limits), costs };
}
