import { afterEach, describe, expect, test } from '@jest/globals';
import { World } from './world.ts';

// The lag is 2 s: a look-up counts from 2 s after the reply, and three must, over another 2 s.

let world: World;
afterEach(() => world.close());

/** The next order is answered by a gateway, and never reaches the exchange. It would open at 90, below the price. */
async function phantom(): Promise<string> {
  world = await World.start();
  world.local.exchange.control.setFaults({ rules: [{ fault: 'phantom', times: 1 }] });
  const id = world.place({ triggerTicks: 900 });
  await world.rounds(1);
  return id;
}

const told = () =>
  world.events.flatMap((event) => {
    if (event.kind === 'healthChanged') return [`${event.symbol} ${event.condition} ${event.reason}`];
    return event.kind.startsWith('order') || event.kind === 'cancelRejected' ? [event.kind] : [];
  });

describe('a futures order that was confirmed, and that neither lists nor the records of ended triggers show', () => {
  const HALT = 'BTC-USDT-PERP halted order bot-1 has vanished: the exchange had confirmed it, and does not show it any more';

  test('vanishes after three looks, which halts its contract', async () => {
    await phantom();
    await world.rounds(2, true);
    expect(told()).toEqual(['orderAccepted']);
    await world.rounds(12, true);
    expect(told()).toEqual(['orderAccepted', 'orderVanished', HALT]);
    const [event] = world.of('orderVanished');
    expect(Number(event!.reason.looks)).toBeGreaterThanOrEqual(3);
    expect(world.state.openOrders.size).toBe(0);
  });

  test('does so while it is being canceled, too', async () => {
    world.cancel(await phantom());
    await world.rounds(15, true);
    expect(told()).toEqual(['orderAccepted', 'orderVanished', HALT]);
  });

  test('does so over a restart', async () => {
    await phantom();
    await world.rounds(2);
    await world.boot();
    await world.rounds(15, true);
    expect(told().filter((one) => one.startsWith('order'))).toEqual(['orderAccepted', 'orderVanished']);
  });
});

test('an order that somebody has canceled before a list showed it has a trace: it has ended, and nothing halts', async () => {
  world = await World.start();
  const id = world.place({ triggerTicks: 900 });
  await world.answered();
  const [entry] = world.account.orders.all;
  await world.local.client('bot').cancelFuturesOrder({ symbol: 'cmt_btcusdt', orderId: entry!.orderId });
  await world.rounds(15, true);
  expect(id).toBe('bot-1');
  expect(told()).toEqual(['orderAccepted', 'orderCanceled']);
});

test('an order whose reply names an id that no order has is canceled under its own id', async () => {
  world = await World.start();
  const rules = (['phantom', 'duplicate'] as const).map((fault) => ({ fault, times: 1, operation: 'triggerOrder' }));
  world.local.exchange.control.setFaults({ rules });
  const id = world.place({ triggerTicks: 900 });
  await world.rounds(5);
  world.cancel(id);
  await world.rounds(10);
  const [order] = world.account.orders.all;
  expect(world.of('orderAccepted').map(({ orderId }) => orderId)).toEqual([expect.stringMatching(/^9{8}/), order!.orderId]);
  expect(told().at(-1)).toBe('orderCanceled');
});
