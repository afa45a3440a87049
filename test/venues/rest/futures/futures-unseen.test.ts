import { afterEach, expect, test } from '@jest/globals';
import type { PriceInput } from '../../../../src/local-exchange/core/market.ts';
import { BTC, ETH, World, type WorldOptions } from './world.ts';

// What happens between two looks at the account, and leaves only sums.
let world: World;
const start = async (options?: WorldOptions) => {
  world = await World.start(options);
};
afterEach(() => world.close());

/** Somebody buys so many steps at this price, or sells them: an order of ours that stands there fills in part. */
function trade(taker: 'buy' | 'sell', ticks: number, steps: number): void {
  price('trade', BTC.index, ticks, steps, taker === 'buy' ? 1 : -1);
}

function price(...what: PriceInput): void {
  const { exchange, clock } = world.local;
  exchange.exchange.perform('price', what, clock.now());
}

function expectAllReported(): void {
  const { total, steps, filled } = world.truth;
  expect(world.told).toMatchObject({ total, steps, filled, unexplained: '0' });
  expect(world.warnings).toEqual([]);
}

test('takes a separated position that was closed and opened again for a new one, with an isolated margin of its own', async () => {
  await start({ margin: { mode: 'isolated', separated: true } });
  const opener = world.place({ positionSide: 'long', type: 'limit', priceTicks: 990 });
  await world.rounds(2);
  trade('sell', 990, 300);
  await world.rounds(3, true);
  expect(world.told.steps).toEqual([300, 0, 0, 0]);
  const closer = world.place({
    side: 'sell',
    positionSide: 'long',
    type: 'limit',
    steps: 300,
    priceTicks: 1_010,
  });
  await world.answered();
  trade('buy', 1_010, 300);
  trade('sell', 990, 200);
  await world.rounds(10, true);
  expect(world.told).toMatchObject({ steps: [200, 0, 0, 0], filled: { [opener]: 500, [closer]: 300 } });
  expectAllReported();
});

// Seed 88123456948: of a forced close, a part was taken for our own.
test('distinguishes an own close from the liquidation right after it, for which the insurance fund paid', async () => {
  await start({ margin: { mode: 'isolated' } });
  world.place({ side: 'sell', positionSide: 'short', steps: 10_000 });
  await world.rounds(2);
  const fires = world.place({ side: 'buy', positionSide: 'short', steps: 4_000, triggerTicks: 1_050 });
  const stands = world.place({ side: 'buy', positionSide: 'short', steps: 5_000, triggerTicks: 1_200 });
  await world.rounds(2);
  // A margin of 100, of which a loss of 11 for each BTC leaves nothing: no fee is taken for the liquidation.
  world.price(BTC, '111');
  await world.rounds(10, true);
  expect(world.told).toMatchObject({ steps: [0, 0, 0, 0], filled: { [fires]: 4_000, [stands]: 0 }, liquidationFees: '0' });
  expect(world.of('positionLiquidated')).toMatchObject([{ fill: { steps: 6_000, priceTicks: 1_110 } }]);
  expectAllReported();
});

test('finds how much of an order was opened and liquidated unseen, by the price that its size must have', async () => {
  await start({ deposit: '25' });
  world.place({ side: 'sell', positionSide: 'short' });
  const unseen = world.place({ side: 'sell', positionSide: 'short', type: 'limit', steps: 1_400, priceTicks: 1_010 });
  await world.rounds(3);
  expect(world.told.steps).toEqual([0, 1_000, 0, 0]);
  trade('buy', 1_010, 701);
  price('mark', BTC.index, 1_200, 1);
  await world.rounds(20, true);
  expect(world.of('positionLiquidated')).toMatchObject([{ fill: { steps: 1_701 } }]);
  expect(world.told).toMatchObject({ steps: [0, 0, 0, 0], filled: { [unseen]: 701 } });
  expectAllReported();
});

test('attributes an unseen opening to the order whose limit gives exactly its value', async () => {
  await start({ deposit: '40' });
  const opens = { side: 'sell', positionSide: 'short', type: 'limit' } as const;
  world.place({ side: 'sell', positionSide: 'short' });
  const unseen = world.place({ ...opens, steps: 1_400, priceTicks: 1_010 });
  // 0.9 BTC at 102 are nearer to the 0.701 at 101 than all of the other order is.
  const other = world.place({ ...opens, steps: 900, priceTicks: 1_020 });
  const closer = world.place({ side: 'buy', positionSide: 'short', type: 'limit', steps: 500, priceTicks: 990 });
  await world.rounds(3);
  expect(world.told.steps).toEqual([0, 1_000, 0, 0]);
  trade('sell', 990, 300);
  trade('buy', 1_010, 701);
  price('mark', BTC.index, 1_500, 1);
  await world.rounds(20, true);
  expect(world.of('positionLiquidated')).toMatchObject([{ fill: { steps: 1_401 } }]);
  expect(world.told).toMatchObject({ steps: [0, 0, 0, 0], filled: { [unseen]: 701, [other]: 0, [closer]: 300 } });
  // A maker's fees on 70.801 and 29.7.
  const feeOf = (id: string) => world.of('orderFilled').flatMap(({ fill }) => (fill.clientOrderId === id ? [fill.fee.toFixed()] : []));
  expect([feeOf(unseen), feeOf(closer)]).toEqual([['0.0141602'], ['0.00594']]);
  expectAllReported();
});

test.each(['isolated', 'shared'] as const)(
  'gives a liquidation fee to the close that it is whole for, of two at once on %s margin',
  async (mode) => {
    await start({ margin: { mode }, deposit: '20', lists: { keepTerminalOrders: false, keepFlatPositions: false } });
    world.place({ positionSide: 'long' });
    world.place({ instrument: ETH, side: 'sell', positionSide: 'short' });
    const closer = world.place({ side: 'sell', positionSide: 'long', type: 'limit', priceTicks: 1_010 });
    await world.rounds(3);
    expect(world.told.steps).toEqual([1_000, 0, 0, 1_000]);
    trade('buy', 1_010, 1_000);
    // More than there is; it is closed at the last price.
    price('mark', ETH.index, 1_500, 1);
    await world.rounds(20, true);
    expect(world.of('positionLiquidated')).toMatchObject([{ fill: { instrument: ETH, steps: 1_000 } }]);
    expect(world.told.filled[closer]).toBe(1_000);
    expect(world.told.liquidationFees).toBe('0.05');
    expectAllReported();
  },
);

test('counts as forced the trades that a list shows so, if fees of two contracts in one prove nothing', async () => {
  // The fifth order never arrives.
  const faults = { rules: [{ fault: 'drop', operations: ['triggerOrder'], chance: 1, after: 4, times: 1 }] } as const;
  await start({ deposit: '20', lists: { keepTerminalOrders: true, keepFlatPositions: false }, faults });
  const closes = { side: 'buy', positionSide: 'short' } as const;
  world.place({ side: 'sell', positionSide: 'short' });
  world.place({ instrument: ETH, side: 'sell', positionSide: 'short' });
  const rests = world.place({ ...closes, type: 'limit', steps: 500, priceTicks: 990 });
  const fires = world.place({ ...closes, instrument: ETH, steps: 900, triggerTicks: 490 });
  await world.rounds(3);
  const lost = world.place({ ...closes, triggerTicks: 1_100 });
  await world.answered();
  trade('sell', 990, 300);
  world.price(ETH, '49');
  for (const { index } of [BTC, ETH]) price('mark', index, 9_000, 1);
  await world.rounds(60, true);
  const forced = world.of('positionLiquidated').map(({ fill: { instrument, steps } }) => `${instrument.symbol} ${steps}`);
  expect(forced.sort()).toEqual(['BTC-USDT-PERP 700', 'ETH-USDT-PERP 100']);
  expect(world.told.filled).toMatchObject({ [rests]: 300, [fires]: 900, [lost]: 0 });
});
