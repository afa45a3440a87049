import { expect, test } from '@jest/globals';
import { worthInQuote } from '../../../src/app/backtest/summary.ts';
import { Decimal } from '../../../src/model/decimal.ts';
import { Fill } from '../../../src/model/fill.ts';
import { Instrument } from '../../../src/model/instrument.ts';

const BTC = new Instrument(0, { symbol: 'BTC-USDT', tickSize: '0.5', stepSize: '0.001' });
// 2 BTC at 100: ticks of 0.5, steps of 0.001.
const FILL = new Fill(
  'f',
  'o',
  'c',
  's',
  BTC,
  'buy',
  'net',
  200,
  2000,
  BTC.notional(200, 2000),
  new Decimal('0.002'),
  'BTC',
  'taker',
  '',
  0,
  0,
  0,
  0,
);

test.each([
  ['BTC', '0.002', '0.2'],
  ['USDT', '200', '200'],
])('an amount of %s is worth its base at the fill price, or itself in quote', (asset, amount, worth) => {
  expect(worthInQuote(asset, new Decimal(amount), FILL).toFixed()).toBe(worth);
});
