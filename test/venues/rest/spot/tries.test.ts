import { expect, test } from '@jest/globals';
import { T0 } from '../../../builders.ts';
import { Scripted } from './scripted.ts';

test('a start asks a question twice before it fails', async () => {
  const scripted = Scripted.unopened();
  scripted.orders.set('a', { status: 'new', filled: 0 });
  scripted.lookFails = 'timedOut';
  const none = new Map();
  const known = { request: scripted.request('a'), orderId: 'v-a', filledSteps: 0, triggered: false, cancelRequested: false };
  const resumed = { again: true, balances: none, frozen: none, fillIds: none, lastTime: T0, halts: none };
  scripted.trading.resume({ ...resumed, orders: [{ ...known, status: 'accepted' }] });
  await expect(scripted.trading.open()).rejects.toThrow('as scripted');
  expect(scripted.looks).toHaveLength(2);
});

test('a round asks a question twice before it fails, and counts only what was answered', async () => {
  const scripted = await Scripted.open();
  await scripted.place('a');
  await scripted.round(1_000);
  scripted.looks.length = 0;
  scripted.lookFails = 'timedOut';
  const { answers } = scripted.trading;
  await scripted.round(30_000);
  expect(scripted.looks).toHaveLength(2);
  // Fills and balances.
  expect(scripted.trading.answers - answers).toBe(2);
});

test('a question that fails once has its answer in the same round', async () => {
  const scripted = await Scripted.open();
  await scripted.place('a');
  await scripted.round(1_000);
  scripted.orders.set('a', { status: 'cancelled', filled: 0 });
  scripted.looks.length = 0;
  scripted.lookFailures = 1;
  await scripted.round(30_000);
  expect(scripted.looks).toHaveLength(2);
  expect(scripted.told.at(-1)).toBe('orderCanceled a');
});
