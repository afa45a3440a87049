import { afterEach, expect, test } from '@jest/globals';
import { World, type WorldOptions } from './world.ts';

let world: World;
const start = async (options?: WorldOptions) => {
  world = await World.start(options);
};
afterEach(() => world.close());

const entries = () => world.account.orders.all.map(({ clientOrderId, end }) => [clientOrderId, end?.how]);
const cancels = () => world.requests.filter((operation) => operation === 'cancelFuturesOrder');

test('a cancel without a reply is sent again after the first list that shows the order', async () => {
  const rules = [{ fault: 'failBefore', operations: ['cancelFuturesOrder'], chance: 1, times: 1 }] as const;
  await start({ faults: { rules } });
  const id = world.place({ triggerTicks: 1_100 });
  await world.rounds(1, true);
  world.cancel(id);
  await world.answered();
  expect(cancels()).toHaveLength(1);
  expect(entries()).toEqual([[id, undefined]]);
  await world.trading.round(true);
  await world.answered();
  expect(cancels()).toHaveLength(2);
  expect(entries()).toEqual([[id, 'canceled']]);
  await world.rounds(2, true);
  expect(world.of('orderCanceled')).toMatchObject([{ clientOrderId: id, reason: 'requested' }]);
});

test('a cancel without an answer ends no order that no list shows yet', async () => {
  const rules = [{ fault: 'failBefore', operations: ['cancelFuturesOrder'], chance: 1, times: 1 }] as const;
  // Lists may show it four seconds late, as the bot counts with; this seed makes it more than one.
  await start({ faults: { seed: 1, visibilityLagMs: 4_000, rules }, settings: { visibilityLagMs: 4_000 } });
  const id = world.place({ triggerTicks: 1_100 });
  await world.answered();
  world.cancel(id);
  await world.rounds(2, true);
  expect(world.of('orderCanceled')).toEqual([]);
  await world.rounds(8, true);
  expect(entries()).toEqual([[id, 'canceled']]);
  expect(world.of('orderCanceled')).toMatchObject([{ clientOrderId: id, reason: 'requested' }]);
});

test('an order that nothing shows for long has vanished, and is open again when a list shows it', async () => {
  // This seed shows it half a minute late, and not within the 2 s that the bot counts with.
  await start({ faults: { visibilityLagMs: 60_000 } });
  const id = world.place({ triggerTicks: 1_100 });
  await world.rounds(26, true);
  expect(world.state.order(id)!.status).toBe('vanished');
  await world.rounds(26, true);
  expect(world.state.order(id)!.status).toBe('accepted');
  expect(entries()).toEqual([[id, undefined]]);
});

test('an order that counts as never placed and is open at the exchange is canceled', async () => {
  const rules = [{ fault: 'failAfter', operations: ['triggerOrder'], chance: 1, times: 1 }] as const;
  // This seed shows it after a minute, and not within the 33 s in which the bot waits for it.
  await start({ faults: { visibilityLagMs: 120_000, rules } });
  const id = world.place({ triggerTicks: 1_100 });
  await world.rounds(45, true);
  expect(world.of('orderRejected')).toMatchObject([{ clientOrderId: id, reason: { code: 'neverArrived' } }]);
  expect(entries()).toEqual([[id, undefined]]);
  await world.rounds(40, true);
  expect(entries()).toEqual([[id, 'canceled']]);
  expect(world.warnings.join('\n')).toMatch(`order ${id} counted as ended`);
});

test("an order that is shown as canceling is not canceled again, and ends with the bot's reason", async () => {
  // The exchange cancels it, and its answer is lost.
  const rules = [{ fault: 'failAfter', operations: ['cancelFuturesOrder'], chance: 1, times: 1 }] as const;
  await start({ lists: { cancelingMs: 10_000 }, faults: { rules } });
  const id = world.place({ type: 'limit', priceTicks: 900 });
  await world.rounds(1, true);
  world.cancel(id);
  await world.rounds(8, true);
  expect(cancels()).toHaveLength(1);
  expect(world.state.order(id)).toMatchObject({ status: 'cancelPending' });
  await world.rounds(8, true);
  expect(world.of('cancelRejected')).toEqual([]);
  expect(world.of('orderCanceled')).toMatchObject([{ clientOrderId: id, reason: 'requested' }]);
});

test('an order that is shown as pending counts as accepted, and is canceled like any other', async () => {
  await start({ lists: { pendingMs: 60_000 } });
  const id = world.place({ type: 'limit', priceTicks: 900 });
  await world.rounds(5, true);
  expect(world.state.order(id)).toMatchObject({ status: 'accepted', filledSteps: 0 });
  world.cancel(id);
  await world.rounds(4, true);
  expect(world.of('orderCanceled')).toMatchObject([{ clientOrderId: id, reason: 'requested' }]);
});

test('an order that has not left is canceled without a word to the exchange', async () => {
  await start();
  const id = world.place();
  world.cancel(id);
  expect(world.of('orderCanceled')).toMatchObject([{ clientOrderId: id, reason: 'requested' }]);
  await world.rounds(2, true);
  expect(entries()).toEqual([]);
  expect(world.requests).toEqual([]);
  expect(world.state.openOrders.size).toBe(0);
});
