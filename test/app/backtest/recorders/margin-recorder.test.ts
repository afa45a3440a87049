import { expect, test } from '@jest/globals';
import { Subject } from 'rxjs';
import { MarginRecorder } from '../../../../src/app/backtest/recorders/margin-recorder.ts';
import type { AccountEvent } from '../../../../src/model/account-events.ts';
import type { ReadonlyState } from '../../../../src/state/state.ts';
import { IN_BTC, PERP, SPOT, Told } from '../builders.ts';

const EVERY_MS = 1_000;

function recorded(told: Told) {
  const margin = new MarginRecorder(told.state.instruments, EVERY_MS);
  const account$ = new Subject<AccountEvent>();
  const state$ = new Subject<ReadonlyState>();
  margin.observe({ account$, state$ });
  const turn = (filled = false) => {
    if (filled) account$.next({ kind: 'orderFilled' } as AccountEvent);
    state$.next(told.state);
  };
  return { margin, turn };
}

test('leverage is the value of both sides at the mark over equity; margin use is the frozen margin over the collateral', () => {
  const told = new Told();
  told.price(PERP, 100);
  told.fill('a', { steps: 30 }, 100);
  told.fill('b', { side: 'sell', positionSide: 'short', steps: 10 }, 100);
  told.deposit('futures', 'USDT', '1000', '450');
  const { margin, turn } = recorded(told);
  turn();
  // (30 + 10) x 100 / 1000
  expect([margin.maxLeverage, margin.maxMarginUse]).toEqual([4, 0.45]);

  told.price(PERP, 150, EVERY_MS);
  turn();
  // Equity 1000 + 30 x 50 - 10 x 50 = 2000: 6000 / 2000 is less, and so is 450 / 2000.
  expect([margin.maxLeverage, margin.maxMarginUse]).toEqual([4, 0.45]);

  told.price(PERP, 80, 2 * EVERY_MS);
  turn();
  // 1000 - 600 + 200 = 600: 3200 / 600 and 450 / 600.
  expect([margin.maxLeverage, margin.maxMarginUse]).toEqual([3_200 / 600, 0.75]);
});

test('margin use at a leverage of 2 or more is that of one moment', () => {
  const told = new Told();
  told.price(PERP, 100);
  told.fill('a', { steps: 18 }, 100);
  // Leverage 1.8: opening orders hold most of the margin.
  told.deposit('futures', 'USDT', '1000', '950');
  const { margin, turn } = recorded(told);
  turn();
  expect([margin.maxMarginUse, margin.leveragedUse]).toEqual([0.95, { marginUse: 0, leverage: 0 }]);
  told.deposit('futures', 'USDT', '1000', '400');
  told.fill('b', { steps: 12 }, 100);
  turn(true);
  expect([margin.maxLeverage, margin.maxMarginUse, margin.leveragedUse]).toEqual([3, 0.95, { marginUse: 0.4, leverage: 3 }]);
});

test('margin is measured once per equityEvery, and after each fill', () => {
  const told = new Told();
  told.deposit('futures', 'USDT', '1000');
  const { margin, turn } = recorded(told);
  told.price(PERP, 100, 0);
  turn();
  told.fill('a', { steps: 10 }, 100);
  told.price(PERP, 100, EVERY_MS - 1);
  turn();
  expect(margin.maxLeverage).toBe(0);
  turn(true);
  expect(margin.maxLeverage).toBe(1);
  told.fill('b', { steps: 10 }, 100);
  told.price(PERP, 100, EVERY_MS);
  turn();
  expect(margin.maxLeverage).toBe(2);
});

test('a contract in another currency counts at its rate, the spot wallet is equity but no position', () => {
  const told = new Told();
  told.price(SPOT, 50);
  told.price(IN_BTC, 4);
  told.deposit('futures', 'BTC', '10', '2');
  told.deposit('spot', 'BTC', '10');
  told.fill('a', { instrument: IN_BTC, steps: 5 }, 4);
  const { margin, turn } = recorded(told);
  turn();
  // 5 x 4 BTC at 50 over 20 BTC at 50; 2 of 10 BTC.
  expect([margin.maxLeverage, margin.maxMarginUse]).toEqual([1, 0.2]);
});

test('with nothing left, nothing is divided by it', () => {
  const told = new Told();
  told.price(PERP, 100);
  told.fill('a', { steps: 10 }, 100);
  told.deposit('futures', 'USDT', '0', '10');
  const { margin, turn } = recorded(told);
  turn();
  expect([margin.maxLeverage, margin.maxMarginUse]).toEqual([0, 0]);
});

test('the smallest distance between mark and liquidation price, as a share of the mark', () => {
  const told = new Told();
  told.price(PERP, 100);
  told.deposit('futures', 'USDT', '1000');
  const { margin, turn } = recorded(told);
  turn();
  expect(margin.nearestLiquidation).toBe(Number.POSITIVE_INFINITY);
  told.fill('a', { steps: 50 }, 100);
  const liquidation = told.state.margin.liquidationPrice(PERP, 'long')!.toNumber();
  // What 50 at 100 lose before 1000 are gone is 20 a piece; maintenance ends it somewhat earlier.
  expect(liquidation).toBeGreaterThan(80);
  expect(liquidation).toBeLessThan(90);
  told.price(PERP, 90, EVERY_MS);
  turn();
  told.price(PERP, 100, 2 * EVERY_MS);
  turn();
  expect(margin.nearestLiquidation).toBeCloseTo((90 - liquidation) / 90, 12);
});

test('a mark beyond the liquidation price, where nothing is liquidated, is as near as can be', () => {
  const told = new Told();
  told.price(PERP, 100);
  told.deposit('futures', 'USDT', '1000');
  const { margin, turn } = recorded(told);
  told.fill('a', { steps: 50 }, 100);
  told.price(PERP, 70, EVERY_MS);
  turn();
  expect(margin.nearestLiquidation).toBe(0);
});
