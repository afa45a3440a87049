import { expect, test } from '@jest/globals';
import type { Instrument } from '../../../../src/model/instrument.ts';
import { BTC, ETH, World } from './world.ts';

const LISTS = { keepTerminalOrders: false, keepFlatPositions: false };

/**
 * Longs of 1 BTC at 100 and 2 ETH at 50, and an order to close each at 101 in all. One look later both positions and both orders are
 * gone: the one was closed by us, the other by the exchange at 100.
 */
async function history(ours: Instrument, lists: typeof LISTS) {
  const forced = ours === BTC ? ETH : BTC;
  const world = await World.start({ deposit: '30', lists });
  try {
    const closes = { side: 'sell', positionSide: 'long', type: 'limit', atLast: true } as const;
    world.place({ positionSide: 'long', atLast: true });
    world.place({ instrument: ETH, positionSide: 'long', steps: 2_000, triggerTicks: 500, atLast: true });
    const closers = [
      world.place({ ...closes, priceTicks: 1_010 }),
      world.place({ ...closes, instrument: ETH, steps: 2_000, priceTicks: 505, triggerTicks: 500 }),
    ];
    await world.rounds(3);
    const { exchange, clock } = world.local;
    exchange.exchange.perform('price', ['trade', ours.index, ours === BTC ? 1_010 : 505, ours === BTC ? 1_000 : 2_000, 1], clock.now());
    exchange.exchange.perform('price', ['mark', forced.index, 1, 1], clock.now());
    const records = world.account.futures.collateralRecords().map(({ amount, cumulative }) => [amount, cumulative]);
    await world.rounds(20, true);
    const { truth, told } = world;
    const ends = [...world.of('orderFilled').slice(2), ...world.of('positionLiquidated')];
    return {
      records: JSON.stringify(records),
      truth: closers.map((id) => truth.filled[id]),
      told: closers.map((id) => told.filled[id]),
      ends: ends.map(({ kind, fill: { instrument, steps, notional }, inferred }) => [
        kind,
        instrument.symbol,
        steps,
        `${notional}`,
        inferred,
      ]),
      sums: [told.steps, told.total === truth.total, told.unexplained],
    };
  } finally {
    await world.close();
  }
}

test('if lists drop ended orders, two histories can leave the same records: own fills are then reported as inferred', async () => {
  const [btc, eth] = [await history(BTC, LISTS), await history(ETH, LISTS)];
  expect([btc.truth, eth.truth]).toEqual([
    [1_000, 0],
    [0, 2_000],
  ]);
  expect(eth.records).toBe(btc.records);
  expect(eth.ends).toEqual(btc.ends);
  expect(eth.told).toEqual(btc.told);
  expect(btc.ends.map(([, , , , inferred]) => inferred)).toEqual(btc.ends.map(() => true));
  for (const { sums } of [btc, eth]) expect(sums).toEqual([[0, 0, 0, 0], true, '0']);
});

test('if lists keep ended orders, the same two histories are reported correctly, and nothing is inferred', async () => {
  for (const ours of [BTC, ETH]) {
    const { truth, told, ends } = await history(ours, { ...LISTS, keepTerminalOrders: true });
    expect(told).toEqual(truth);
    expect(ends.map(([kind, symbol, , , inferred]) => [kind, symbol, inferred])).toEqual([
      ['orderFilled', ours.symbol, undefined],
      ['positionLiquidated', ours === BTC ? ETH.symbol : BTC.symbol, undefined],
    ]);
  }
});
