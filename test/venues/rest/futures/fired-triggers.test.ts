import { afterEach, describe, expect, test } from '@jest/globals';
import { BTC, World } from './world.ts';

// The order that a trigger becomes has another id and no client id: its terms and its time name it. The lag is 2 s.

let world: World;
const start = async () => {
  world = await World.start({ behaviour: { firedTriggerId: 'new' } });
};
afterEach(() => world.close());

/** Long 2 BTC. */
async function long(): Promise<void> {
  world.place({ steps: 2_000 });
  await world.rounds(2);
}

const stop = (triggerTicks: number, more: Partial<Parameters<World['place']>[0]> = {}) =>
  world.place({ side: 'sell', positionSide: 'long', reduceOnly: true, triggerTicks, steps: 1_000, ...more });

const fillsOf = (id: string) =>
  world.of('orderFilled').flatMap(({ clientOrderId, fill }) => (clientOrderId === id ? [fill.priceTicks] : []));

describe('a fired trigger whose order has no client id', () => {
  test('gets its fills, and of two with the same side and size each its own', async () => {
    await start();
    await long();
    const [first, second] = [stop(950), stop(900)];
    await world.rounds(3);
    world.price(BTC, '94');
    await world.rounds(8);
    expect(fillsOf(first)).toEqual([940]);
    expect(fillsOf(second)).toEqual([]);
    world.price(BTC, '89');
    await world.rounds(8);
    expect(fillsOf(second)).toEqual([890]);
    expect(world.state.openOrders.size).toBe(0);
    expect(world.told).toMatchObject({ total: world.truth.total, steps: [0, 0, 0, 0] });
  });

  test('of two that fire at once is the one whose price the order has', async () => {
    await start();
    await long();
    const [limit, market] = [stop(950, { type: 'limit', priceTicks: 960 }), stop(950)];
    await world.rounds(3);
    world.price(BTC, '94');
    await world.rounds(8);
    world.price(BTC, '96.1');
    await world.rounds(8);
    expect(fillsOf(market)).toEqual([940]);
    expect(fillsOf(limit)).toEqual([960]);
  });

  test('is not the order that somebody else placed with its terms before it fired', async () => {
    await start();
    await long();
    const id = stop(950);
    await world.rounds(3);
    await world.local
      .client('bot')
      .placeFuturesOrder({ symbol: 'cmt_btcusdt', client_oid: '', size: '1', type: '3', order_type: '0', match_price: '1' } as never);
    // Both fills are listed for the first time after it has fired.
    world.local.step(3_000);
    world.price(BTC, '94');
    await world.rounds(8);
    expect(fillsOf(id)).toEqual([940]);
    expect(world.of('positionFound')).toMatchObject([{ action: 'closed', steps: 1_000 }]);
  });

  test('ends without a fill once no list shows it and the fills up to then are known', async () => {
    await start();
    await long();
    const id = stop(950, { type: 'limit', priceTicks: 990 });
    await world.rounds(3);
    world.price(BTC, '94');
    await world.rounds(3);
    const entry = world.account.orders.all.find(({ clientOrderId }) => clientOrderId === id)!;
    await world.local.client('bot').cancelFuturesOrder({ symbol: 'cmt_btcusdt', orderId: entry.orderId });
    await world.rounds(20, true);
    expect(world.state.order(id)).toMatchObject({ status: 'canceled', filledSteps: 0 });
    expect(world.state.openOrders.size).toBe(0);
  });
});
