import { afterEach, expect, test } from '@jest/globals';
import { BTC, World, type WorldOptions } from './world.ts';

// What was wrong in seeds of the faults, while fills were inferred from sums: each history alone.
let world: World;
const start = async (options?: WorldOptions) => {
  world = await World.start(options);
};
afterEach(() => world.close());

const LONG = { positionSide: 'long' } as const;
const CLOSE = { ...LONG, side: 'sell' } as const;

function expectTheTruth(): void {
  const { total, steps, filled, fees } = world.truth;
  expect(world.told).toMatchObject({ total, steps, filled, fees, unexplained: '0' });
}

function trade(ticks: number, steps: number): void {
  world.trade(BTC, ticks, steps);
}

// Seeds 800000789, 800003336, 800003738 and 800004044.
test('a close by agreement is not taken for a fill of our own close of the same size and price', async () => {
  await start({ lists: { keepTerminalOrders: true, keepFlatPositions: false } });
  world.place({ ...LONG, steps: 1_000 });
  await world.rounds(3);
  const close = world.place({ ...CLOSE, type: 'limit', steps: 1_000, priceTicks: 1_030 });
  await world.rounds(2);
  world.agree(BTC, 'long', '103');
  await world.rounds(10, true);
  expectTheTruth();
  expect(world.told.filled[close]).toBe(0);
  expect(world.of('positionLiquidated')).toMatchObject([{ type: 'agreementClose', fill: { steps: 1_000, priceTicks: 1_030 } }]);
});

test('a close by agreement after a part of our own close is the rest, and no part of it is ours', async () => {
  await start({ lists: { keepTerminalOrders: false, keepFlatPositions: false } });
  world.place({ ...LONG, steps: 1_000 });
  await world.rounds(3);
  const close = world.place({ ...CLOSE, type: 'limit', steps: 1_000, priceTicks: 1_030 });
  await world.rounds(2);
  trade(1_030, 400);
  world.agree(BTC, 'long', '103');
  await world.rounds(10, true);
  expectTheTruth();
  expect(world.told.filled[close]).toBe(400);
  expect(world.of('positionLiquidated')).toMatchObject([{ type: 'agreementClose', fill: { steps: 600, priceTicks: 1_030 } }]);
});

// Seeds 800001190 and 800003763; 350743 of an earlier search.
test('a position that was opened and closed between two looks has the size that it had', async () => {
  await start();
  const opener = world.place({ positionSide: 'short', side: 'sell', type: 'limit', steps: 3_606, priceTicks: 1_013 });
  await world.rounds(2);
  trade(1_013, 3_606);
  const closer = world.place({ positionSide: 'short', side: 'buy', steps: 3_606 });
  await world.answered();
  trade(1_013, 4_000);
  await world.rounds(10, true);
  expectTheTruth();
  expect(world.told.filled).toEqual({ [opener]: 3_606, [closer]: 3_606 });
});

// Seeds 610000522 and 610000815: orders of one side and size, of which one fills.
test('of two orders of one side, size and price the one that filled is told as filled', async () => {
  await start({ lists: { keepTerminalOrders: false, keepFlatPositions: false } });
  const orders = [1, 2].map(() => world.place({ ...LONG, type: 'limit', steps: 500, priceTicks: 990 }));
  await world.rounds(2);
  trade(990, 500);
  await world.rounds(2);
  world.cancel(orders[1]!);
  await world.rounds(10, true);
  expectTheTruth();
  expect(world.told.filled).toEqual({ [orders[0]!]: 500, [orders[1]!]: 0 });
});

// Seed 500002789: pages that are not in the order of their times, and a fill that moves to a page that was read.
test.each(['newestFirst', 'oldestFirst', 'mixed'] as const)(
  'more fills than one page are all told, in a list that is %s',
  async (listOrder) => {
    await start({ behaviour: { listOrder } });
    const order = world.place({ ...LONG, type: 'limit', steps: 1_000, priceTicks: 990 });
    await world.rounds(2);
    for (let fill = 0; fill < 250; fill++) {
      trade(990, 4);
      if (fill % 50 === 49) world.local.step(1);
    }
    await world.rounds(6);
    expectTheTruth();
    expect(world.told.filled[order]).toBe(1_000);
    expect(world.of('orderFilled')).toHaveLength(250);
  },
);
