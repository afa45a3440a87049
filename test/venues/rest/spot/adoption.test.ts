import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import type { AccountEvent } from '../../../../src/model/account-events.ts';
import { marginSettings } from '../../../builders.ts';
import { type Life, World } from '../../../faults/world.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const folder = temporaryFolder('adoption');
let lives: Life[] = [];
let worlds = 0;

afterEach(() => {
  for (const life of lives) if (!life.clock.dead) life.journal.close();
  lives = [];
});

const pass = (world: World, ms: number) => world.clock.runTo(world.clock.now() + ms);

/** A bot that places nothing, at an exchange where 60000 was paid for a BTC last. */
async function quiet(): Promise<{ world: World; life: Life }> {
  const world = new World({
    seed: 1,
    markets: { kind: 'spot', lists: { keepTerminalOrders: false, keepFlatPositions: false }, margin: marginSettings(), deposit: '0' },
    faults: {},
    journal: join(folder, `${worlds++}.journal`),
    rest: { foreign: 'adopt' },
  });
  world.restsFrom = 0;
  trade(world, 60_000, 0.01);
  return { world, life: await begin(world) };
}

async function begin(world: World): Promise<Life> {
  const life = world.start();
  lives.push(life);
  await pass(world, 3_000);
  return life;
}

/** Others trade so much at this price. */
function trade(world: World, price: number, quantity: number): void {
  world.core.act('price', ['trade', 0, price * 100, Math.round(quantity * 10_000), 0]);
}

/** By hand, on the same account. @returns the exchange's id. */
function byHand(world: World, side: 'buy' | 'sell', quantity: string, price: string): string {
  const order = { side, orderType: 'limit', force: 'normal', price, quantity, clientOrderId: `by-hand-${side}` } as const;
  const [placed] = world.core.act('placeSpot', { uid: world.account.uid, symbol: 'BTC-USDT', orders: [order] });
  return (placed as { entry: { orderId: string } }).entry.orderId;
}

function told<K extends AccountEvent['kind']>({ journal }: Life, kind: K): Extract<AccountEvent, { kind: K }>[] {
  const events = [...journal.records()].flatMap((record) =>
    record.kind === 'event' ? [(record.value as { event: AccountEvent }).event] : [],
  );
  return events.filter((event): event is Extract<AccountEvent, { kind: K }> => event.kind === kind);
}

const held = ({ bot }: Life) => bot.state.books.get('random')!.position(bot.state.instruments[0]!, 'net').steps;
const balances = ({ bot: { state } }: Life, world: World) =>
  ['BTC', 'USDT'].map((coin) => {
    const [here, there] = [state.portfolio.balance(coin, 'spot'), world.account.spot.ledger.balance(coin)];
    return [here.total.minus(there.total).toFixed(), here.frozen.minus(there.frozen).toFixed()];
  });

test('adopts an order once a fill has named it: its earlier fills belong to no strategy, its later fills are own', async () => {
  const { world, life } = await quiet();
  const orderId = byHand(world, 'buy', '0.1', '59000');
  await pass(world, 60_000);
  expect(told(life, 'orderAdopted')).toEqual([]);

  trade(world, 59_000, 0.04);
  await pass(world, 40_000);
  const clientOrderId = `adopted-${orderId}`;
  expect(told(life, 'orderAdopted')).toMatchObject([
    { clientOrderId, orderId, filledSteps: 400, request: { strategyId: 'random', side: 'buy', priceTicks: 5_900_000, steps: 1_000 } },
  ]);
  expect(life.bot.state.order(clientOrderId)).toMatchObject({ status: 'partiallyFilled', filledSteps: 400 });
  expect(held(life)).toBe(0);
  expect(balances(life, world)).toEqual([
    ['0', '0'],
    ['0', '0'],
  ]);

  world.kill(life);
  trade(world, 59_000, 0.05);
  const second = await begin(world);
  await pass(world, 40_000);
  trade(world, 59_000, 0.01);
  await pass(world, 40_000);
  expect(told(second, 'orderAdopted')).toHaveLength(1);
  expect(told(second, 'orderFilled')).toMatchObject([
    { clientOrderId, complete: false, fill: { strategyId: 'random', steps: 500, priceTicks: 5_900_000 } },
    { clientOrderId, complete: true, fill: { strategyId: 'random', steps: 100, priceTicks: 5_900_000 } },
  ]);
  // 0.06 BTC less a fee of 0.1 %: 599.4 steps.
  expect(held(second)).toBe(599);
  expect(balances(second, world)).toEqual([
    ['0', '0'],
    ['0', '0'],
  ]);
  world.kill(second);
  const third = await begin(world);
  await pass(world, 40_000);
  expect(third.bot.differences).toEqual([]);
  expect(told(third, 'orderFilled')).toHaveLength(2);
  expect(held(third)).toBe(599);
});

test('sells no more of the strategy than it holds: the rest belonged to no strategy', async () => {
  const { world, life } = await quiet();
  byHand(world, 'sell', '0.1', '61000');
  trade(world, 61_000, 0.01);
  await pass(world, 40_000);
  trade(world, 61_000, 0.09);
  await pass(world, 40_000);
  expect(told(life, 'orderFilled')).toMatchObject([{ complete: true, fill: { side: 'sell', steps: 900 } }]);
  expect(held(life)).toBe(0);
  expect(balances(life, world)).toEqual([
    ['0', '0'],
    ['0', '0'],
  ]);
});

test('a kill cancels it, and adopts nothing until it is taken back', async () => {
  const { world, life } = await quiet();
  const orderId = byHand(world, 'buy', '0.1', '59000');
  trade(world, 59_000, 0.04);
  await pass(world, 40_000);
  life.bot.kill(false, 'enough');
  await pass(world, 10_000);
  expect(told(life, 'orderCanceled')).toMatchObject([{ clientOrderId: `adopted-${orderId}`, reason: 'killed' }]);
  expect(world.account.orders.all[0]!.end).toMatchObject({ how: 'canceled' });

  byHand(world, 'sell', '0.1', '61000');
  trade(world, 61_000, 0.01);
  await pass(world, 40_000);
  expect(told(life, 'orderAdopted')).toHaveLength(1);
  life.bot.reset();
  await pass(world, 1_000);
  trade(world, 61_000, 0.01);
  await pass(world, 40_000);
  expect(told(life, 'orderAdopted').at(-1)).toMatchObject({ filledSteps: 200, request: { side: 'sell' } });
});

test('does not adopt an order that filled completely before it was seen', async () => {
  const { world, life } = await quiet();
  byHand(world, 'buy', '0.01', '60100');
  trade(world, 60_000, 0.01);
  await pass(world, 60_000);
  expect(world.account.orders.all[0]!.end).toMatchObject({ how: 'filled' });
  expect(told(life, 'orderAdopted')).toEqual([]);
  expect(held(life)).toBe(0);
});
