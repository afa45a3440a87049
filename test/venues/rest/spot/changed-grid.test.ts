import { expect, test } from '@jest/globals';
import { RECONCILE_DEFAULTS } from '../../../../src/venues/reconcile/settings.ts';
import { Scripted } from './scripted.ts';

const HOUR_MS = 3_600_000;

test('a pair whose step has changed is halted within an hour, with the new grid, until the exchange has the old one again', async () => {
  const spot = Scripted.unopened();
  const { tick, step, symbol } = spot.request('s-1').instrument;
  const listing = { symbol: 'BTCUSDT_SPBL', tickSize: tick.text, stepSize: step.text, minTradeAmount: '', enableTrade: true };
  spot.listings = [listing];
  await spot.begin([]);
  const health = () => spot.events.filter(({ kind }) => kind === 'healthChanged').map((event) => ({ ...event, time: 0 }));
  const round = async () => {
    await spot.pass(RECONCILE_DEFAULTS.idleMs);
    await spot.trading.round(true);
  };
  listing.stepSize = step.toText(10);
  await round();
  expect(health()).toEqual([]);
  await spot.pass(HOUR_MS - RECONCILE_DEFAULTS.idleMs);
  await round();
  const shared = { kind: 'healthChanged', time: 0, subject: 'instrument', symbol };
  const halted = { ...shared, condition: 'halted', grid: { ticks: 1, steps: 10, leastSteps: 10 } };
  expect(health()).toMatchObject([halted]);
  await round();
  expect(health()).toHaveLength(1);
  listing.stepSize = step.text;
  await spot.pass(HOUR_MS);
  await round();
  expect(health()).toMatchObject([halted, { ...shared, condition: 'fresh', reason: 'known again' }]);
  expect(health()[1]).not.toHaveProperty('grid');
});
