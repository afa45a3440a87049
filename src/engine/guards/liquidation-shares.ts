import { Fill } from '../../model/fill.ts';
import { shareOf } from '../../model/margin.ts';
import type { OrderRequest } from '../../model/order.ts';
import type { OrderEvent, PositionLiquidated } from '../../model/order-events.ts';
import { SeparatedPosition } from '../../model/position.ts';
import { type Holder, holdersOf } from '../../state/holders.ts';
import type { State } from '../../state/state.ts';

/** A part of a liquidation that one strategy bears. */
interface Share {
  readonly strategyId: string;
  readonly steps: number;
}

/**
 * A liquidation as ordinary order events, one order for each strategy that bears some of it. A separated position is
 * that of the strategy whose order opened it, as far as it still holds the side; everything else goes by whole steps in
 * proportion to what each holds. The fee goes in proportion to the steps, and the last one gets the rest, so that the
 * shares sum to the fill.
 */
export function liquidationShares(event: PositionLiquidated, state: State): OrderEvent[] {
  const { fill } = event;
  const shares = shareOut(event, state);
  let fee = fill.fee;
  return shares.flatMap((share, index) => {
    const last = index === shares.length - 1;
    const own = last ? fee : shareOf(fill.fee, share.steps, fill.steps);
    fee = fee.minus(own);
    const fillId = shares.length === 1 ? fill.fillId : `${fill.fillId}-${share.strategyId}`;
    return eventsOf(event, filledFor(fill, share, `liq-${event.orderId}-${share.strategyId}`, fillId, own));
  });
}

/** What the opener of the liquidated position does not hold any more is the other holders'. */
function shareOut(event: PositionLiquidated, state: State): Share[] {
  const { instrument, positionSide, steps } = event.fill;
  const holders = holdersOf(state, instrument, positionSide);
  const opener = openerOf(event, state);
  const own = Math.min(steps, holders.find(({ strategyId }) => strategyId === opener)?.steps ?? 0);
  const others = inProportion(
    holders.filter(({ strategyId }) => strategyId !== opener),
    steps - own,
  );
  return holders.flatMap(({ strategyId }) => {
    const share = strategyId === opener ? own : (others.get(strategyId) ?? 0);
    return share === 0 ? [] : [{ strategyId, steps: share }];
  });
}

/** Known where positions are separated. */
function openerOf({ fill, positionId }: PositionLiquidated, state: State): string | undefined {
  const position = state.position(fill.instrument, fill.positionSide);
  return positionId !== undefined && position instanceof SeparatedPosition ? position.openerOf(positionId) : undefined;
}

/** Whole steps by the running sums, which never give a strategy more than it holds. */
function inProportion(holders: readonly Holder[], steps: number): Map<string, number> {
  const held = holders.reduce((sum, holder) => sum + BigInt(holder.steps), 0n);
  const closed = BigInt(steps) < held ? BigInt(steps) : held;
  let before = 0n;
  return new Map(
    holders.map((holder) => {
      const from = (closed * before) / held;
      before += BigInt(holder.steps);
      return [holder.strategyId, Number((closed * before) / held - from)];
    }),
  );
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
