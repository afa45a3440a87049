import { afterEach, expect, test } from '@jest/globals';
import { World, type WorldOptions } from './world.ts';

let world: World;
const start = async (options?: WorldOptions, prepare?: (world: World) => Promise<void>) => {
  world = await World.start(options, prepare);
};
afterEach(() => world.close());

test('reports a market order that was triggered at once and is in no list as filled, with its exact money', async () => {
  await start();
  const id = world.place({});
  await world.rounds(2);
  expect(world.of('orderFilled')).toMatchObject([{ clientOrderId: id, complete: true, fill: { steps: 1_000, priceTicks: 1_000 } }]);
  // 1 BTC at 100, 0.06 %.
  expect(world.told).toMatchObject({ total: '9999.94', fees: '0.06', steps: [1_000, 0, 0, 0] });
  expect(world.told.frozen).toBe(world.truth.frozen);
});
