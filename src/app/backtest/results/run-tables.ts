import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Fill } from '../../../model/fill.ts';
import type { LiquidationType, OrderType, PositionSide, Side, TimeInForce } from '../../../model/order.ts';
import type { OrderStatus } from '../../../model/order-state.ts';
import type { Order } from '../../../state/order.ts';
import type { FillColumns } from '../../../statistics/fill-columns.ts';
import { type Cell, CsvFile, csvRows, csvText } from '../../base/csv.ts';
import { type DeniedRow, numbersText } from '../recorders/denials.ts';
import { placeOf, type RowTables } from '../recorders/run-recorder.ts';

/** One row of orders.csv. */
export interface OrderRow {
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

/** The tables that are written while a run goes on: orders.csv, fills.csv and denied.csv. */
export class RunTables implements RowTables {
  readonly #folder: string;
  readonly #withSides: boolean;
  readonly #orders: CsvFile;
  readonly #fills: CsvFile;
  readonly #denied: CsvFile;

  /** @param withSides true for futures accounts: positions have sides. */
  constructor(folder: string, withSides: boolean) {
    this.#folder = folder;
    this.#withSides = withSides;
    this.#orders = new CsvFile(join(folder, 'orders.csv'), [
      ...['time', 'endTime', 'strategy', 'symbol', 'side', 'type', 'timeInForce', 'price', 'stopPrice', 'quantity'],
      ...['filledQuantity', 'averagePrice', 'status', 'reason', 'tag', 'clientOrderId', 'orderId', 'ref', 'replaces', 'group'],
      ...(withSides ? ['positionSide'] : []),
    ]);
    this.#fills = new CsvFile(join(folder, 'fills.csv'), [
      ...['time', 'strategy', 'symbol', 'side', 'positionSide', 'quantity', 'price', 'fee', 'feeAsset', 'liquidity', 'tag'],
      ...['clientOrderId', 'orderId', 'decidedSequence', 'pricedSequence', 'pricedTime', 'ref', 'since', 'leg', 'number', 'group'],
    ]);
    this.#denied = new CsvFile(join(folder, 'denied.csv'), [
      ...['time', 'by', 'strategy', 'symbol', 'code', 'numbers', 'tag', 'clientOrderId', 'side', 'ref'],
    ]);
  }

  order(order: Order, endTime: number | undefined, reason: string): void {
    const row = orderRow(order, endTime, reason);
    const cells: Cell[] = [
      row.time,
      row.endTime,
      row.strategyId,
      row.symbol,
      row.side,
      row.type,
      row.timeInForce,
      row.price,
      row.stopPrice,
      row.quantity,
      row.filledQuantity,
      row.averagePrice,
      row.status,
      row.reason,
      row.tag,
      row.clientOrderId,
      row.orderId,
      row.ref,
      row.replaces,
      row.group,
    ];
    if (this.#withSides) cells.push(row.positionSide);
    this.#orders.add(cells);
  }

  fill(fill: Fill, made: Fill): void {
    this.#fills.add([
      fill.time,
      fill.strategyId,
      fill.symbol,
      fill.side,
      fill.positionSide,
      fill.instrument.step.toText(fill.steps),
      fill.instrument.tick.toText(fill.priceTicks),
      fill.fee.toFixed(),
      fill.feeAsset,
      fill.liquidity,
      fill.tag,
      fill.clientOrderId,
      fill.orderId,
      fill.decidedSequence,
      fill.pricedSequence,
      fill.pricedTime,
      fill.ref,
      made.since ?? made.time,
      made.leg,
      placeOf(made),
      fill.group,
    ]);
  }

  denied({ time, by, strategyId, symbol, reason, tag, clientOrderId, side, ref }: DeniedRow): void {
    this.#denied.add([time, by, strategyId, symbol, reason.code, numbersText(reason), tag, clientOrderId, side, ref]);
  }

  /**
   * Called after the run. Adds the columns at the end of fills.csv that only some runs have: the rate of the quote, which may become known
   * late, and the notional, if one is not price times quantity.
   */
  finish(fills: FillColumns, converts: boolean): void {
    this.#orders.close();
    this.#fills.close();
    this.#denied.close();
    const withRates = this.#withSides || converts;
    const withNotional = !fills.atPrices;
    if (!withRates && !withNotional) return;
    const names = [...(withRates ? ['currencyRate'] : []), ...(withNotional ? ['notional'] : [])];
    addColumns(join(this.#folder, 'fills.csv'), names, (index) => {
      const { rate, notional } = fills.at(index)!;
      return [...(withRates ? [rate?.toFixed()] : []), ...(withNotional ? [notional.toFixed()] : [])];
    });
  }
}

/** Writes a table again with more columns. The old file is replaced when the new one is complete. */
function addColumns(path: string, names: readonly string[], cellsOf: (index: number) => readonly Cell[]): void {
  const part = `${path}.part`;
  const rows = csvRows(path);
  const header = rows.next().value as string;
  const file = new CsvFile(part, [header, ...names]);
  try {
    let index = 0;
    for (const row of rows) file.addText(`${row},${csvText(cellsOf(index++))}`);
    file.close();
    renameSync(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

export function orderRow(order: Order, endTime: number | undefined, reason: string): OrderRow {
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
