import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { writeTables } from '../../../../src/app/backtest/results/out-folder.ts';
import { readCsv } from '../../../support/cli.ts';
import { IN_BTC, PERP, SPOT, Told } from '../builders.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidegate-tables-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const head = (name: string) => readFileSync(join(folder, name), 'utf8').split('\n')[0]!.split(',');

describe('of a futures account', () => {
  beforeEach(() => {
    const told = new Told();
    told.deposit('futures', 'USDT', '1000');
    told.price(SPOT, 60_000);
    told.fill('a', { side: 'sell', positionSide: 'short', steps: 2 }, 100);
    told.fund(PERP, 'short', '0.0201');
    told.fill('b', { instrument: IN_BTC, steps: 3 }, 2);
    told.price(SPOT, 50_000);
    told.fund(IN_BTC, 'long', '-0.5');
    told.fill('liq-9-s', { side: 'buy', positionSide: 'short', steps: 2, tag: 'liquidation' }, 120, { type: 'burstLiquidation' });
    writeTables(folder, { recorder: told.recorder, equity: [], futures: true });
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
  const told = new Told('spot', [SPOT]);
  told.fill('a', { instrument: SPOT }, 100);
  writeTables(folder, { recorder: told.recorder, equity: [], futures: false });
  expect(head('fills.csv').at(-1)).toBe('pricedTime');
  expect(head('orders.csv').at(-1)).toBe('orderId');
  expect(() => readFileSync(join(folder, 'funding.csv'))).toThrow('ENOENT');
});
