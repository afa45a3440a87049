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
    const closes = { side: 'sell', positionSide: 'long', type: 'limit' } as const;
    world.place({ positionSide: 'long' });
    world.place({ instrument: ETH, positionSide: 'long', steps: 2_000 });
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
      ends: ends.map(({ kind, fill: { instrument, steps, notional } }) => [kind, instrument.symbol, steps, `${notional}`]),
      sums: [told.steps, told.total === truth.total, told.unexplained],
    };
  } finally {
    await world.close();
  }
}

test.each([true, false])('two histories that leave the same sums are reported correctly (ended orders stay listed: %s)', async (keeps) => {
  for (const ours of [BTC, ETH]) {
    const { truth, told, ends } = await history(ours, { ...LISTS, keepTerminalOrders: keeps });
    expect(told).toEqual(truth);
    expect(ends.map(([kind, symbol]) => [kind, symbol])).toEqual([
      ['orderFilled', ours.symbol],
      ['positionLiquidated', ours === BTC ? ETH.symbol : BTC.symbol],
    ]);
  }
});
