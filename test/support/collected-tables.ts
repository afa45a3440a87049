import type { DeniedRow } from '../../src/app/backtest/recorders/denials.ts';
import type { OrderRow, RowTables } from '../../src/app/backtest/recorders/run-recorder.ts';
import type { Fill } from '../../src/model/fill.ts';

/** Keeps the rows of the tables of a run. */
export class CollectedTables implements RowTables {
  readonly orders: OrderRow[] = [];
  readonly fills: Fill[] = [];
  readonly refusals: DeniedRow[] = [];

  order(row: OrderRow): void {
    this.orders.push(row);
  }

  fill(fill: Fill): void {
    this.fills.push(fill);
  }

  denied(row: DeniedRow): void {
    this.refusals.push(row);
  }
}
