import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Fill } from '../../../model/fill.ts';
import type { Order } from '../../../state/order.ts';
import type { FillColumns } from '../../../statistics/fill-columns.ts';
import type { RoundTrip } from '../../../statistics/trades/trade.ts';
import { type Cell, CsvFile, csvRows, csvText } from '../../base/csv.ts';
import { type DeniedRow, numbersText } from '../recorders/denials.ts';
import { placeOf, type RowTables } from '../recorders/run-recorder.ts';
import { averagePrice, TradeTable } from './out-folder.ts';

/** The tables that are written while a run goes on: orders.csv, fills.csv and denied.csv; and trades.csv while its trades are made. */
export class RunTables implements RowTables {
  readonly #folder: string;
  readonly #withSides: boolean;
  readonly #orders: CsvFile;
  readonly #fills: CsvFile;
  readonly #denied: CsvFile;
  /** Begun by the first trade: a run that was killed has no trades. */
  #trades: TradeTable | undefined;

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
    const { request, instrument, filledSteps } = order;
    const row = this.#orders.number(order.submittedTime).number(endTime).text(order.strategyId).text(order.symbol).text(order.side);
    row.text(order.type).text(request.timeInForce).units(instrument.tick, request.priceTicks).units(instrument.tick, order.stopTicks);
    row.units(instrument.step, request.steps).units(instrument.step, filledSteps);
    if (filledSteps === 0) row.text('');
    else row.amount(averagePrice(order.filledNotional, instrument.step.toDecimal(filledSteps)));
    row.text(order.status).text(reason).text(order.tag).text(order.clientOrderId).text(order.orderId);
    row.text(order.ref).text(order.replaces).text(order.group);
    if (this.#withSides) row.text(order.positionSide);
    row.end();
  }

  fill(fill: Fill, made: Fill): void {
    const { instrument } = fill;
    const row = this.#fills.number(fill.time).text(fill.strategyId).text(fill.symbol).text(fill.side).text(fill.positionSide);
    row.units(instrument.step, fill.steps).units(instrument.tick, fill.priceTicks).amount(fill.fee).text(fill.feeAsset);
    row.text(fill.liquidity).text(fill.tag).text(fill.clientOrderId).text(fill.orderId);
    row.number(fill.decidedSequence).number(fill.pricedSequence).number(fill.pricedTime);
    row
      .text(fill.ref)
      .number(made.since ?? made.time)
      .text(made.leg ?? '')
      .number(placeOf(made))
      .text(fill.group)
      .end();
  }

  denied({ time, by, strategyId, symbol, reason, tag, clientOrderId, side, ref }: DeniedRow): void {
    this.#denied.add([time, by, strategyId, symbol, reason.code, numbersText(reason), tag, clientOrderId, side, ref]);
  }

  /** Called in order of exit. */
  readonly trade = (trade: RoundTrip): void => {
    this.#tradeTable().add(trade);
  };

  /**
   * Called after the run. Adds the columns at the end of fills.csv that only some runs have: the rate of the quote, which may become known
   * late, and the notional, if one is not price times quantity.
   */
  finish(fills: FillColumns, converts: boolean): void {
    this.#orders.close();
    this.#fills.close();
    this.#denied.close();
    this.#tradeTable().close();
    const withRates = this.#withSides || converts;
    const withNotional = !fills.atPrices;
    if (!withRates && !withNotional) return;
    const names = [...(withRates ? ['currencyRate'] : []), ...(withNotional ? ['notional'] : [])];
    addColumns(join(this.#folder, 'fills.csv'), names, (index) => {
      const { rate, notional } = fills.at(index)!;
      return [...(withRates ? [rate?.toFixed()] : []), ...(withNotional ? [notional.toFixed()] : [])];
    });
  }

  #tradeTable(): TradeTable {
    this.#trades ??= new TradeTable(this.#folder);
    return this.#trades;
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
