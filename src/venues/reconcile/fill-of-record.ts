import { type Decimal, ZERO } from '../../model/decimal.ts';
import { Fill, type Liquidity } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { OrderRequest } from '../../model/order.ts';
import type { SeenFill } from './records.ts';

/**
 * Makes a fill from a record of one of our orders. The exchange sends neither sequence nor liquidity: the sequence is that of the data
 * on which the order was decided; the liquidity follows from the fee rate.
 */
export function fillOf(seen: SeenFill, request: OrderRequest): Fill {
  const { fillId, orderId, price, quantity, notional, fee, time, known } = seen;
  const { instrument, side } = request;
  if (known !== undefined) return known;
  const steps = instrument.step.floorUnits(quantity);
  const rate = fee.div(side === 'buy' && instrument.contract === undefined ? quantity : notional);
  return new Fill(
    fillId,
    orderId,
    request.clientOrderId,
    request.strategyId,
    instrument,
    side,
    request.positionSide,
    price.div(instrument.tick.toDecimal(1)).round().toNumber(),
    steps,
    notional,
    fee,
    side === 'buy' && instrument.contract === undefined ? instrument.base : instrument.quote,
    liquidityOf(rate, request),
    request.tag,
    time,
    request.decidedSequence,
    request.seenSequence,
    time,
  );
}

/** A fill by which the exchange closed a position: no order and no data of ours led to it. */
export function forcedFillOf(seen: SeenFill, instrument: Instrument, positionSide: 'long' | 'short', tag: string): Fill {
  const { fillId, orderId, price, quantity, notional, fee, liquidationFee = ZERO, time } = seen;
  return new Fill(
    fillId,
    orderId,
    '',
    '',
    instrument,
    positionSide === 'long' ? 'sell' : 'buy',
    positionSide,
    price.div(instrument.tick.toDecimal(1)).round().toNumber(),
    instrument.step.floorUnits(quantity),
    notional,
    fee.plus(liquidationFee),
    instrument.quote,
    'taker',
    tag,
    time,
    0,
    0,
    time,
  );
}

function liquidityOf(rate: Decimal, { instrument: { makerFee, takerFee }, type, timeInForce, postOnly }: OrderRequest): Liquidity {
  if (postOnly) return 'maker';
  if (type === 'market' || timeInForce !== 'GTC') return 'taker';
  return rate.minus(makerFee).abs().lessThan(rate.minus(takerFee).abs()) ? 'maker' : 'taker';
}
