import { expect, test } from '@jest/globals';
import { holdingsOf } from '../../../../src/app/backtest/results/summarise.ts';
import { PERP, SPOT, Told } from '../builders.ts';

test('a futures account shows its spot wallet and both sides apart, none of them negative', () => {
  const told = new Told();
  told.deposit('futures', 'USDT', '1000.5');
  told.deposit('spot', 'USDT', '20');
  told.deposit('spot', 'BTC', '2.75');
  told.fill('a', { steps: 3 }, 100);
  told.fill('b', { side: 'sell', positionSide: 'short', steps: 5 }, 100);
  expect(holdingsOf(told.state)).toEqual({
    finalBalances: { USDT: '1000.5', 'spot:USDT': '20', 'spot:BTC': '2.75' },
    finalPositions: { 'BTC-USDT': '2', 'BTC-USDT-PERP:long': '3', 'BTC-USDT-PERP:short': '5' },
  });
});

test('a side that is flat again is left out', () => {
  const told = new Told('futures', [SPOT, PERP]);
  told.fill('a', { steps: 3 }, 100);
  told.fill('b', { side: 'sell', positionSide: 'long', steps: 3 }, 100);
  expect(holdingsOf(told.state).finalPositions).toEqual({});
});

test('a spot account shows its balances and net positions by their plain names', () => {
  const told = new Told('spot', [SPOT]);
  told.deposit('spot', 'USDT', '10');
  told.deposit('spot', 'BTC', '1.5');
  expect(holdingsOf(told.state)).toEqual({ finalBalances: { USDT: '10', BTC: '1.5' }, finalPositions: { 'BTC-USDT': '1' } });
});
