import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { writeTables } from '../../../../src/app/backtest/results/out-folder.ts';
import { RunTables } from '../../../../src/app/backtest/results/run-tables.ts';
import { Decimal } from '../../../../src/model/decimal.ts';
import { tradesOf } from '../../../../src/statistics/trades/trade-builder.ts';
import { fill, runRecord } from '../../../statistics/builders.ts';
import { readCsv } from '../../../support/cli.ts';
import { IN_BTC, PERP, SPOT, Told } from '../builders.ts';

let folder: string;
let tables: RunTables;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidegate-tables-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Ends the run and writes the other tables. */
function write(futures: boolean, { recorder }: Told): void {
  recorder.finish();
  tables.finish(recorder.fills, recorder.rates.converts);
  writeTables(folder, { recorder, trades: [], equity: [], futures });
}

const head = (name: string) => readFileSync(join(folder, name), 'utf8').split('\n')[0]!.split(',');

describe('of a futures account', () => {
  beforeEach(() => {
    tables = new RunTables(folder, true);
    const told = new Told('futures', undefined, tables);
    told.deposit('futures', 'USDT', '1000');
    told.price(SPOT, 60_000);
    told.fill('a', { side: 'sell', positionSide: 'short', steps: 2 }, 100);
    told.fund(PERP, 'short', '0.0201');
    told.fill('b', { instrument: IN_BTC, steps: 3 }, 2);
    told.price(SPOT, 50_000);
    told.fund(IN_BTC, 'long', '-0.5');
    told.fill('liq-9-s', { side: 'buy', positionSide: 'short', steps: 2, tag: 'liquidation' }, 120, { type: 'burstLiquidation' });
    write(true, told);
  });

  test('funding.csv has every charge, with the rate of its quote where that is not the currency', () => {
    expect(readCsv(join(folder, 'funding.csv'))).toEqual([
      {
        time: '5',
        symbol: 'BTC-USDT-PERP',
        positionSide: 'short',
        quantity: '2',
        rate: '0.0001',
        markPrice: '100.25',
        amount: '0.0201',
        asset: 'USDT',
        currencyRate: '',
      },
      expect.objectContaining({ symbol: 'ETH-BTC-PERP', positionSide: 'long', amount: '-0.5', asset: 'BTC', currencyRate: '50000' }),
    ]);
  });

  test('fills.csv ends with the rate of the quote, empty where that is the currency', () => {
    expect(head('fills.csv').at(-1)).toBe('currencyRate');
    const fills = readCsv(join(folder, 'fills.csv'));
    expect(fills.map(({ positionSide, currencyRate }) => [positionSide, currencyRate])).toEqual([
      ['short', ''],
      ['long', '60000'],
      ['short', ''],
    ]);
  });

  test('orders.csv ends with the side of the position, and names liquidations as the venue does', () => {
    expect(head('orders.csv').at(-1)).toBe('positionSide');
    const orders = readCsv(join(folder, 'orders.csv'));
    expect(orders.map(({ type, positionSide, tag }) => [type, positionSide, tag])).toEqual([
      ['market', 'short', ''],
      ['market', 'long', ''],
      ['burstLiquidation', 'short', 'liquidation'],
    ]);
  });
});

test('other accounts have neither the columns nor the file', () => {
  tables = new RunTables(folder, false);
  const told = new Told('spot', [SPOT], tables);
  told.fill('a', { instrument: SPOT }, 100);
  write(false, told);
  expect(head('fills.csv').at(-1)).toBe('group');
  expect(head('orders.csv').at(-1)).toBe('group');
  expect(() => readFileSync(join(folder, 'funding.csv'))).toThrow('ENOENT');
});

test('orders.csv names the order that an amend replaced, before the side of the position', () => {
  tables = new RunTables(folder, true);
  const told = new Told('futures', undefined, tables);
  told.fill('a', { steps: 2 }, 100);
  told.fill('b', { steps: 3, replaces: 'a' }, 100);
  write(true, told);
  expect(head('orders.csv').slice(-3)).toEqual(['replaces', 'group', 'positionSide']);
  const orders = readCsv(join(folder, 'orders.csv'));
  expect(orders.map(({ clientOrderId, replaces }) => [clientOrderId, replaces])).toEqual([
    ['a', ''],
    ['b', 'a'],
  ]);
});

test('rates that become known late, and notionals next to the price, are added to rows with any tag', () => {
  tables = new RunTables(folder, false);
  const told = new Told('futures', undefined, tables);
  const tag = 'a "b",\nc';
  told.fill('a', { instrument: IN_BTC, steps: 3, tag }, 2);
  const fill = told.fill('b', { steps: 2 }, 100);
  const { instrument, priceTicks, steps, ...rest } = fill;
  const size = { price: 100, quantity: 2, received: 2 };
  const merged = { ...rest, instrument, priceTicks, steps, symbol: fill.symbol, ...size, notional: new Decimal('200.5') };
  told.recorder.event(0, { kind: 'orderFilled', time: 0, clientOrderId: 'b', fill: merged, complete: true });
  told.price(SPOT, 60_000);
  told.recorder.rates.settle();
  write(false, told);
  expect(readdirSync(folder).sort()).toEqual(['denied.csv', 'equity.csv', 'fills.csv', 'orders.csv', 'trades.csv']);
  const [header, ...rows] = readFileSync(join(folder, 'fills.csv'), 'utf8')
    .trimEnd()
    .split(/\n(?=0,)/);
  expect(header).toMatch(/,currencyRate,notional$/);
  expect(rows[0]).toContain(',"a ""b"",\nc",');
  expect(rows.map((row) => row.split(',').slice(-2))).toEqual([
    ['60000', '6'],
    ['', '200'],
    ['', '200.5'],
  ]);
});

test('trades.csv has every closed trade with its sums, in order of exit, and none that is open', () => {
  const fills = [
    fill({ side: 'buy', quantity: '2', price: '100', fee: '0.2', time: 1_000, tag: 'in' }),
    fill({ side: 'sell', quantity: '1', price: '106', fee: '0.106', time: 2_000, tag: 'half' }),
    fill({ side: 'buy', quantity: '1', price: '103', fee: '0.103', time: 3_000, tag: 'more' }),
    fill({ side: 'sell', quantity: '2', price: '104', fee: '0.208', time: 61_000, tag: 'out' }),
    fill({ side: 'sell', quantity: '1', price: '90', fee: '0', time: 62_000, tag: 'short' }),
    fill({ side: 'buy', quantity: '1', price: '93', fee: '0', time: 63_000, tag: 'cover' }),
    fill({ side: 'buy', quantity: '5', price: '93', fee: '0', time: 64_000, tag: 'open' }),
  ];
  const { closed } = tradesOf(
    runRecord({ fills, notes: new Map([[fills[3]!, { reason: 'takeProfit', range: undefined, onPath: true }]]) }),
  );
  writeTables(folder, { recorder: new Told('spot', [SPOT]).recorder, trades: closed, equity: [], futures: false });
  const [long, short, ...more] = readCsv(join(folder, 'trades.csv'));
  expect(more).toEqual([]);
  // Entries 200 + 103, exits 106 + 208: 11 before fees of 0.617. At 106, one coin has gained 6 and the other 6 too.
  expect(long).toEqual({
    ...{ strategy: 's', symbol: 'BTC-USDT', side: 'long', entryTime: '1000', exitTime: '61000', durationMs: '60000' },
    ...{ maxQuantity: '2', entryQuantity: '3', entryPrice: '101', exitQuantity: '3', exitPrice: '104.66666666666666667' },
    ...{ entryValue: '303', fees: '0.617', funding: '0', profitBeforeCosts: '11', netProfit: '10.383' },
    ...{ returnOnEntry: String(10_383 / 303_000), mae: '0', mfe: '12', maeShare: '0', mfeShare: String(12 / 303) },
    ...{ tag: 'in', exitTag: 'out', exitReason: 'takeProfit', fills: '4', pathFills: '1', group: '' },
  });
  expect(short).toMatchObject({
    side: 'short',
    netProfit: '-3',
    mae: '-3',
    mfe: '0',
    tag: 'short',
    exitTag: 'cover',
    exitReason: 'signal',
  });
});
