import { Fill } from '../model/fill.ts';
import { shareOf } from '../model/margin.ts';
import type { OrderRequest } from '../model/order.ts';
import type { OrderEvent, PositionLiquidated } from '../model/order-events.ts';
import { holdersOf } from '../state/holders.ts';
import type { State } from '../state/state.ts';

/** A part of a liquidation that one strategy bears. */
interface Share {
  readonly strategyId: string;
  readonly steps: number;
}

/**
 * A liquidation as ordinary order events, one order for each strategy that holds the side: in whole steps, in
 * proportion to what each holds, and the fee in proportion to the steps. The last one gets the rest, so that the
 * shares sum to the fill.
 */
export function liquidationShares(event: PositionLiquidated, state: State): OrderEvent[] {
  const { fill } = event;
  const shares = shareOut(fill, state);
  let fee = fill.fee;
  return shares.flatMap((share, index) => {
    const last = index === shares.length - 1;
    const own = last ? fee : shareOf(fill.fee, share.steps, fill.steps);
    fee = fee.minus(own);
    const fillId = shares.length === 1 ? fill.fillId : `${fill.fillId}-${share.strategyId}`;
    return eventsOf(event, filledFor(fill, share, `liq-${event.orderId}-${share.strategyId}`, fillId, own));
  });
}

/** Whole steps by the running sums, which never give a strategy more than it holds. */
function shareOut({ instrument, positionSide, steps }: Fill, state: State): Share[] {
  const holders = holdersOf(state, instrument, positionSide);
  const held = holders.reduce((sum, holder) => sum + BigInt(holder.steps), 0n);
  const closed = BigInt(steps) < held ? BigInt(steps) : held;
  let before = 0n;
  return holders.flatMap((holder) => {
    const from = (closed * before) / held;
    before += BigInt(holder.steps);
    const share = Number((closed * before) / held - from);
    return share === 0 ? [] : [{ strategyId: holder.strategyId, steps: share }];
  });
}

function filledFor(fill: Fill, { strategyId, steps }: Share, clientOrderId: string, fillId: string, fee: Fill['fee']): Fill {
  const { orderId, instrument, side, positionSide, priceTicks, feeAsset, liquidity, tag, time } = fill;
  const notional = steps === fill.steps ? fill.notional : instrument.notional(priceTicks, steps);
  const { decidedSequence, pricedSequence, pricedTime } = fill;
  // biome-ignore format: as a fill is told
  return new Fill(
    fillId, orderId, clientOrderId, strategyId, instrument, side, positionSide, priceTicks, steps, notional,
    fee, feeAsset, liquidity, tag, time, decidedSequence, pricedSequence, pricedTime,
  );
}

function eventsOf({ type, time, orderId }: PositionLiquidated, fill: Fill): OrderEvent[] {
  const { clientOrderId } = fill;
  return [
    { kind: 'orderSubmitted', time, clientOrderId, request: requestOf(fill), type, stopTicks: undefined, again: false },
    { kind: 'orderAccepted', time, clientOrderId, orderId, held: false },
    { kind: 'orderFilled', time, clientOrderId, fill, complete: true },
  ];
}

function requestOf({
  clientOrderId,
  strategyId,
  instrument,
  side,
  positionSide,
  steps,
  tag,
  decidedSequence,
  pricedSequence,
}: Fill): OrderRequest {
  return {
    clientOrderId,
    strategyId,
    instrument,
    side,
    positionSide,
    type: 'market',
    timeInForce: 'IOC',
    postOnly: false,
    reduceOnly: true,
    priceTicks: undefined,
    triggerTicks: undefined,
    fromNextBar: false,
    steps,
    quoteQuantity: undefined,
    tag,
    released: false,
    decidedSequence,
    seenSequence: pricedSequence,
  };
}
