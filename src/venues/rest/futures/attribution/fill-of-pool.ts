import type { Decimal } from '../../../../model/decimal.ts';
import { Fill, type Liquidity } from '../../../../model/fill.ts';
import type { Instrument } from '../../../../model/instrument.ts';
import type { OrderRequest } from '../../../../model/order.ts';
import type { Taken } from './pools.ts';

/**
 * A fill that no record shows. Its id is the order's and how much of it that makes; notional and fee are exact parts of
 * what the position's sums grew by, the price what follows from them. The data that priced it is not told: it counts as
 * what the order was decided on.
 */
export function fillOfPool({ steps, value, fee }: Taken, request: OrderRequest, orderId: string, toldSteps: number, time: number): Fill {
  const { instrument, clientOrderId, strategyId, side, positionSide, tag, decidedSequence, seenSequence } = request;
  const id = orderId === '' ? clientOrderId : orderId;
  const fillId = `${id}@${instrument.step.toText(toldSteps + steps)}`;
  const priceTicks = ticksOf(instrument, value, steps);
  const liquidity = liquidityOf(fee, value, request);
  // biome-ignore format: as a fill is told
  return new Fill(
    fillId, id, clientOrderId, strategyId, instrument, side, positionSide, priceTicks, steps, value,
    fee, instrument.quote, liquidity, tag, time, decidedSequence, seenSequence, time,
  );
}

/** A fill by which the exchange closed a position. */
export function forcedFill(
  { steps, value, liquidationFee }: Taken,
  instrument: Instrument,
  positionSide: 'long' | 'short',
  orderId: string,
  time: number,
): Fill {
  const side = positionSide === 'long' ? 'sell' : 'buy';
  // biome-ignore format: as a fill is told
  return new Fill(
    `${orderId}@${instrument.step.toText(steps)}`, orderId, '', '', instrument, side, positionSide, ticksOf(instrument, value, steps), steps, value,
    liquidationFee, instrument.quote, 'taker', 'liquidation', time, 0, 0, time,
  );
}

function ticksOf(instrument: Instrument, value: Decimal, steps: number): number {
  return value.div(instrument.notional(1, steps)).round().toNumber();
}

function liquidityOf(fee: Decimal, value: Decimal, { instrument: { makerFee, takerFee }, type }: OrderRequest): Liquidity {
  if (type === 'market' || value.isZero()) return 'taker';
  const rate = fee.div(value);
  return rate.minus(makerFee).abs().lessThan(rate.minus(takerFee).abs()) ? 'maker' : 'taker';
}
