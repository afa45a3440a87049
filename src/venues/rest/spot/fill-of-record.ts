import { type SpotFillRecord, spotFillFigures } from '../../../exchange/mapping/spot-fill-figures.ts';
import type { Decimal } from '../../../model/decimal.ts';
import { Fill, type Liquidity } from '../../../model/fill.ts';
import type { OrderRequest } from '../../../model/order.ts';

/**
 * A fill record of one of our orders. The exchange names neither sequence nor liquidity: the first is that of the data the
 * order was decided on, the second is told by the rate that was charged.
 * @returns undefined for a record that cannot be a fill of the order.
 */
export function fillOfRecord(record: SpotFillRecord, request: OrderRequest): Fill | undefined {
  const figures = spotFillFigures(record);
  const { instrument, side } = request;
  if (figures === undefined || figures.side !== side) return undefined;
  const { price, quantity, notional, fee } = figures;
  const steps = instrument.step.floorUnits(quantity);
  // Records name coins in their own case.
  const feeAsset = side === 'buy' ? instrument.base : instrument.quote;
  const rate = fee.div(side === 'buy' ? quantity : notional);
  const time = record.cTime;
  return new Fill(
    record.fillId,
    record.orderId,
    request.clientOrderId,
    request.strategyId,
    instrument,
    side,
    request.positionSide,
    price.div(instrument.tick.toDecimal(1)).round().toNumber(),
    steps,
    notional,
    fee,
    feeAsset,
    liquidityOf(rate, request),
    request.tag,
    time,
    request.decidedSequence,
    request.seenSequence,
    time,
  );
}

function liquidityOf(rate: Decimal, { instrument: { makerFee, takerFee }, type, timeInForce, postOnly }: OrderRequest): Liquidity {
  if (postOnly) return 'maker';
  if (type === 'market' || timeInForce !== 'GTC') return 'taker';
  return rate.minus(makerFee).abs().lessThan(rate.minus(takerFee).abs()) ? 'maker' : 'taker';
}
