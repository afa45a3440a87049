import type { DeniedRow } from '../../src/app/backtest/recorders/denials.ts';
import type { RowTables } from '../../src/app/backtest/recorders/run-recorder.ts';
import type { Fill } from '../../src/model/fill.ts';
import type { LiquidationType, OrderType, PositionSide, Side, TimeInForce } from '../../src/model/order.ts';
import type { OrderStatus } from '../../src/model/order-state.ts';
import type { Order } from '../../src/state/order.ts';

/** One row of orders.csv. */
interface OrderRow {
  readonly time: number;
  readonly endTime: number | undefined;
  readonly clientOrderId: string;
  readonly orderId: string;
  readonly strategyId: string;
  readonly symbol: string;
  readonly side: Side;
  readonly positionSide: PositionSide;
  readonly type: OrderType | LiquidationType;
  readonly timeInForce: TimeInForce;
  readonly price: string;
  readonly stopPrice: string;
  readonly quantity: string;
  readonly filledQuantity: string;
  readonly averagePrice: string;
  readonly status: OrderStatus;
  readonly reason: string;
  readonly tag: string;
  readonly ref: string;
  /** Client id of the order that it replaces, as its strategy amended it; empty for any other. */
  readonly replaces: string;
  /** The group of legs to which it belongs; empty without one. */
  readonly group: string;
}

/** Keeps the rows of the tables of a run. */
export class CollectedTables implements RowTables {
  readonly orders: OrderRow[] = [];
  readonly fills: Fill[] = [];
  readonly refusals: DeniedRow[] = [];

  order(order: Order, endTime: number | undefined, reason: string): void {
    this.orders.push(orderRow(order, endTime, reason));
  }

  fill(fill: Fill): void {
    this.fills.push(fill);
  }

  denied(row: DeniedRow): void {
    this.refusals.push(row);
  }
}

function orderRow(order: Order, endTime: number | undefined, reason: string): OrderRow {
  const { request, instrument, filledSteps, filledNotional } = order;
  const price = request.priceTicks === undefined ? '' : instrument.tick.toText(request.priceTicks);
  const filled = instrument.step.toDecimal(filledSteps);
  return {
    time: order.submittedTime,
    endTime,
    clientOrderId: order.clientOrderId,
    orderId: order.orderId,
    strategyId: order.strategyId,
    symbol: order.symbol,
    side: order.side,
    positionSide: request.positionSide,
    type: order.type,
    timeInForce: request.timeInForce,
    price,
    stopPrice: order.stopTicks === undefined ? '' : instrument.tick.toText(order.stopTicks),
    quantity: request.steps === undefined ? '' : instrument.step.toText(request.steps),
    filledQuantity: filled.toFixed(),
    averagePrice: filledSteps === 0 ? '' : filledNotional.div(filled).toSignificantDigits(20).toFixed(),
    status: order.status,
    reason,
    tag: order.tag,
    ref: order.ref,
    replaces: order.replaces,
    group: order.group,
  };
}
