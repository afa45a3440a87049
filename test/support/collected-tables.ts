import type { DeniedRow } from '../../src/app/backtest/recorders/denials.ts';
import type { RowTables } from '../../src/app/backtest/recorders/run-recorder.ts';
import { type OrderRow, orderRow } from '../../src/app/backtest/results/run-tables.ts';
import type { Fill } from '../../src/model/fill.ts';
import type { Order } from '../../src/state/order.ts';

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
