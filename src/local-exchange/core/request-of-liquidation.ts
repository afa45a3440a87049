import type { OrderRecord } from '../../matching/futures/records.ts';
import type { OrderRequest } from '../../model/order.ts';

/** The order by which the exchange itself closes a position, as if somebody had asked for it. */
export function requestOfLiquidation(record: OrderRecord): OrderRequest {
  const { instrument, side, positionSide, type, timeInForce, postOnly, quantity } = record;
  return {
    clientOrderId: '',
    strategyId: '',
    instrument,
    side,
    positionSide,
    type,
    timeInForce,
    postOnly,
    reduceOnly: true,
    priceTicks: undefined,
    triggerTicks: undefined,
    fromNextBar: false,
    steps: instrument.step.floorUnits(quantity),
    quoteQuantity: undefined,
    tag: 'liquidation',
    released: false,
    decidedSequence: 0,
    seenSequence: 0,
  };
}
