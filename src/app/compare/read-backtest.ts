import { join } from 'node:path';
import { Decimal } from '../../model/decimal.ts';
import { TidegateError } from '../../model/errors.ts';
import type { PositionSide, Side } from '../../model/order.ts';
import type { ComparedFill, ComparedOrder, ComparedRun } from '../../statistics/comparison/compared-run.ts';
import { groupBy } from '../../statistics/comparison/pair-orders.ts';
import { readAccountFile } from '../backtest/results/account-file.ts';
import { type CsvRow, readCsvTable } from '../run-folders/csv-table.ts';
import { setupOfBacktest, statisticsOf } from '../run-folders/read-setup.ts';

/**
 * Reads a backtest from its folder: account.json, orders.csv, fills.csv, denied.csv, equity.csv, and its setup.
 * @throws TidegateError DATA_NOT_FOUND, DATA_INVALID
 */
export function readBacktest(folder: string): ComparedRun {
  const account = readAccountFile(folder);
  const read = (name: string) => readCsvTable(join(folder, name));
  const equity = parsed(folder, 'equity.csv', read('equity.csv'), (row) => ({ time: Number(row.time), equity: new Decimal(row.equity!) }));
  const made = { setup: setupOfBacktest(folder), statistics: statisticsOf(folder) };
  return { ...account, ...made, name: folder, equity, orders: ordersOf(folder, read) };
}

function ordersOf(folder: string, read: (name: string) => CsvRow[]): ComparedOrder[] {
  const fills = groupBy(read('fills.csv'), ({ clientOrderId }) => clientOrderId ?? '');
  const fillsOf = (id: string) => parsed(folder, 'fills.csv', fills.get(id) ?? [], fillOf);
  const orders = parsed(folder, 'orders.csv', read('orders.csv'), (row): ComparedOrder => {
    const { clientOrderId = '', quantity = '', price = '', stopPrice = '', status = '', reason = '', type = '' } = row;
    const asked = quantity === '' ? undefined : new Decimal(quantity);
    const shown = stopPrice === '' ? price : `${price} after ${stopPrice}`;
    return { ...orderHead(row), clientOrderId, type, status, reason, quantity: asked, price: shown, fills: fillsOf(clientOrderId) };
  });
  const known = new Set(orders.map(({ clientOrderId }) => clientOrderId));
  const denied = read('denied.csv').filter(({ clientOrderId = '' }) => clientOrderId === '' || !known.has(clientOrderId));
  const refusals = parsed(folder, 'denied.csv', denied, (row): ComparedOrder => {
    const status = row.by === 'risk' ? 'denied' : 'rejected';
    return {
      ...orderHead(row),
      side: undefined,
      clientOrderId: '',
      type: '',
      status,
      reason: row.code ?? '',
      quantity: undefined,
      price: '',
      fills: [],
    };
  });
  // Fills of orders that were never placed: the venue's own orders of a liquidation.
  const others = [...fills]
    .filter(([id]) => !known.has(id))
    .map(([id, rows]): ComparedOrder => {
      const [first] = rows;
      return {
        ...orderHead(first!),
        clientOrderId: id,
        type: 'liquidation',
        status: 'filled',
        reason: '',
        quantity: undefined,
        price: '',
        fills: fillsOf(id),
      };
    });
  return [...orders, ...refusals, ...others].sort((a, b) => a.time - b.time);
}

function orderHead({ strategy = '', symbol = '', side, positionSide = 'net', tag = '', time }: CsvRow) {
  const foreign = false;
  return { strategyId: strategy, symbol, side: side as Side, positionSide: positionSide as PositionSide, tag, time: Number(time), foreign };
}

function fillOf({ time, quantity = '', price = '', fee = '', feeAsset = '', notional }: CsvRow): ComparedFill {
  const amount = new Decimal(quantity);
  return {
    time: Number(time),
    quantity: amount,
    notional: notional === undefined ? amount.times(price) : new Decimal(notional),
    fee: new Decimal(fee),
    feeAsset,
  };
}

function parsed<T>(folder: string, name: string, rows: readonly CsvRow[], parse: (row: CsvRow) => T): T[] {
  return rows.map((row) => {
    try {
      return parse(row);
    } catch (cause) {
      throw new TidegateError('DATA_INVALID', `${join(folder, name)}: ${JSON.stringify(row)} cannot be read: ${(cause as Error).message}`, {
        cause,
      });
    }
  });
}
