import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { loadModule } from '../../src/app/loader/load-module.ts';
import type { Intent } from '../../src/model/intents.ts';
import { Bar } from '../../src/model/market-events.ts';
import { applyAccount } from '../../src/state/apply.ts';
import type { Strategy } from '../../src/strategy/strategy.ts';
import { BTC, filled, open, state } from '../state/builders.ts';
import { ROOT } from '../support/cli.ts';

interface Breakout extends Strategy {
  restore(saved: unknown): void;
  save(): unknown;
  guard(bar: Bar, range: number, quantity: number): readonly Intent[];
}

const { exports } = await loadModule(join(ROOT, 'strategies/volatility-breakout.ts'));
const Class = exports.VolatilityBreakout as new (context: unknown) => Breakout;

/** Long 10 at 100, its stop canceled when the bot was stopped; the highest high by then was 130, the distance 6. */
function restarted({ guarded = false } = {}): Breakout {
  const target = state();
  open(target, { strategyId: 's' });
  applyAccount(target, filled({ strategyId: 's' }, 10, 100, true));
  if (guarded) open(target, { strategyId: 's', clientOrderId: 'stop', side: 'sell' }, true);
  const log = { debug() {}, info() {}, warn() {} };
  const params = { length: 14, breakout: 1.5, trail: 3, risk: 0.005, share: 0.3 };
  const strategy = new Class({ id: 's', params, symbols: ['BTC-USDT'], state: target, log, now: () => 0, history: () => [] });
  strategy.restore([['BTC-USDT', { trailBy: 6, highest: 130 }]]);
  return strategy;
}

function barTo(high: number): Bar {
  return new Bar(BTC, 900_000, 1, 900_000, 110, high, 110, 115, 1);
}

test.each([
  ['at its old level where the price went no higher', 120, 124],
  ['below the new high where it did', 140, 134],
])('after a restart the stop that was canceled is put back, %s', (_, high, stopLoss) => {
  const [, put] = restarted().guard(barTo(high), 1, 10);
  expect(put).toMatchObject({ kind: 'protect', symbol: 'BTC-USDT', side: 'sell', quantity: 10, stopLoss, trailBy: 6 });
});

test('where a stop waits already, the engine moves it, and the highest high is kept for a restart', () => {
  const strategy = restarted({ guarded: true });
  expect(strategy.guard(barTo(140), 1, 10)).toEqual([]);
  expect(strategy.save()).toEqual([['BTC-USDT', { trailBy: 6, highest: 140 }]]);
});
