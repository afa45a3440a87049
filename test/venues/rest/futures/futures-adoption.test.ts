import { afterEach, expect, test } from '@jest/globals';
import { trigger } from '../../../local-exchange/local.ts';
import { BTC, ETH, World, type WorldOptions } from './world.ts';

let world: World;
const start = async (options: WorldOptions = {}, prepare?: (world: World) => Promise<void>) => {
  world = await World.start({ adopterOf: () => 's', ...options }, prepare);
};
afterEach(() => world.close());

/** Somebody opens one BTC long at 99 by the account's own keys; it fires at once and rests, unless said otherwise. @returns its id. */
async function byHand(order: Parameters<typeof trigger>[0] = {}): Promise<string> {
  const terms = { symbol: 'cmt_btcusdt', match_type: '0' as const, execute_price: '99', trigger_price: '100' };
  const { order_id: orderId } = await world.local.client('bot').triggerOrder(trigger({ ...terms, ...order }));
  // An order fires with the first price after it has come.
  world.price(BTC, '100');
  return orderId;
}

const held = () => world.state.books.get('s')!.position(BTC, 'long').steps;
/** What was told is what the exchange has; fees of before the first start are no part of it. */
const agree = (fees = world.truth.fees) => {
  const { total, frozen, steps, value } = world.truth;
  expect(world.told).toMatchObject({ total, frozen, steps, fees, value, unexplained: '0' });
};

test('takes a listed order of somebody else for its own, over restarts once, and its fills for the strategy', async () => {
  await start();
  const orderId = await byHand();
  await world.rounds(2, true);
  await world.boot();
  await world.rounds(2, true);
  const clientOrderId = `adopted-${orderId}`;
  expect(world.of('orderAdopted')).toMatchObject([{ clientOrderId, orderId, filledSteps: 0 }]);
  expect(world.state.openOrders.get(clientOrderId)).toMatchObject({
    status: 'accepted',
    request: {
      strategyId: 's',
      instrument: BTC,
      side: 'buy',
      positionSide: 'long',
      type: 'limit',
      priceTicks: 990,
      steps: 1_000,
      tag: 'adopted',
    },
  });
  agree();

  world.trade(BTC, 990, 400);
  await world.rounds(2, true);
  expect(world.state.order(clientOrderId)).toMatchObject({ status: 'partiallyFilled', filledSteps: 400 });
  world.trade(BTC, 990, 600);
  await world.rounds(2, true);
  expect(world.of('orderFilled')).toMatchObject([
    { clientOrderId, complete: false, fill: { strategyId: 's', steps: 400, priceTicks: 990 } },
    { clientOrderId, complete: true, fill: { strategyId: 's', steps: 600, priceTicks: 990 } },
  ]);
  expect(held()).toBe(1_000);
  expect(world.of('positionFound')).toEqual([]);
  agree();
});

const MODES: readonly [mode: string, margin: NonNullable<WorldOptions['margin']>][] = [
  ['in one position', {}],
  ['in a position of its own', { mode: 'isolated', separated: true }],
];

test.each(MODES)('leaves earlier fills to no strategy, %s', async (_, margin) => {
  await start({ margin });
  const orderId = await byHand();
  world.trade(BTC, 990, 400);
  await world.rounds(2, true);
  expect(world.of('positionFound')).toMatchObject([{ steps: 400, action: 'opened' }]);
  expect(world.of('orderAdopted')).toMatchObject([{ orderId, filledSteps: 400, request: { steps: 1_000 } }]);
  expect(world.of('orderAdopted')[0]!.filledNotional.toFixed()).toBe('39.6');
  world.trade(BTC, 990, 600);
  await world.rounds(2, true);
  await world.boot();
  await world.rounds(2, true);
  expect(world.of('orderFilled')).toMatchObject([{ complete: true, fill: { steps: 600 } }]);
  expect(held()).toBe(600);
  agree();
});

test('adopts orders that are open at its first start, filled in part', async () => {
  await start({}, async (before) => {
    world = before;
    await byHand();
    before.trade(BTC, 990, 400);
  });
  await world.rounds(2, true);
  expect(world.of('orderAdopted')).toMatchObject([{ filledSteps: 400 }]);
  expect(world.of('positionFound')).toMatchObject([{ steps: 400 }]);
  expect(held()).toBe(0);
  agree('0');
});

test('cancels it by the name that the exchange has for it', async () => {
  await start();
  const orderId = await byHand({ client_oid: '' });
  await world.rounds(2, true);
  world.cancel(`adopted-${orderId}`);
  await world.rounds(3);
  expect(world.of('orderCanceled')).toMatchObject([{ clientOrderId: `adopted-${orderId}`, reason: 'requested' }]);
  expect(world.account.orders.all[0]!.end).toMatchObject({ how: 'canceled' });
  agree();
});

test('reports an order that a person cancels as canceled from outside', async () => {
  await start();
  const orderId = await byHand();
  await world.rounds(2, true);
  await world.local.client('bot').cancelFuturesOrder({ symbol: 'cmt_btcusdt', orderId });
  await world.rounds(6, true);
  expect(world.of('orderCanceled')).toMatchObject([{ clientOrderId: `adopted-${orderId}`, reason: 'external' }]);
});

test('closes no more of the strategy than it holds: the rest belonged to no strategy', async () => {
  await start({}, async (before) => {
    world = before;
    await byHand({ match_type: '1', execute_price: '0' });
  });
  world.place({ steps: 300 });
  await world.rounds(2);
  expect(held()).toBe(300);
  const orderId = await byHand({ type: '3', size: '1.1', execute_price: '110' });
  await world.rounds(2, true);
  expect(world.state.order(`adopted-${orderId}`)).toMatchObject({ request: { side: 'sell', positionSide: 'long', reduceOnly: true } });
  world.price(BTC, '110');
  await world.rounds(3, true);
  expect(world.of('orderFilled').at(-1)).toMatchObject({ complete: true, fill: { steps: 1_100 } });
  expect(held()).toBe(0);
  // 300 of 1300 were bought at 100 by the strategy: (110 - 100) x 0.3.
  expect(world.state.books.get('s')!.position(BTC, 'long').realizedProfit.toFixed()).toBe('3');
  expect(world.told.steps).toEqual([200, 0, 0, 0]);
  // 0.06 % of 30, then 0.02 % of 121: the limit rested.
  agree('0.0422');
});

test('counts no margin for one that waits for its trigger', async () => {
  await start();
  await byHand({ trigger_price: '120', execute_price: '121' });
  await world.rounds(2, true);
  expect(world.of('orderAdopted')).toMatchObject([{ request: { type: 'limit', priceTicks: 1_210 } }]);
  expect(world.told.frozen).toBe('0');
  agree();
});

test('does not adopt orders where no strategy trades', async () => {
  await start({ adopterOf: (instrument) => (instrument === ETH ? 's' : undefined) });
  await byHand();
  await world.rounds(3, true);
  expect(world.of('orderAdopted')).toEqual([]);
  expect(world.warnings).toHaveLength(1);
});
