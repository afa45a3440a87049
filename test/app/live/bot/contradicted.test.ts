import { join } from 'node:path';
import { afterEach, expect, jest, test } from '@jest/globals';
import { OrderLife } from '../../../../src/venues/reconcile/order-life.ts';
import { marginSettings } from '../../../builders.ts';
import { World } from '../../../faults/world.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const folder = temporaryFolder('contradicted');

afterEach(() => {
  jest.restoreAllMocks();
});

// No answer is known that gets past the checks of records: a defect that counts one fill twice stands for it.
test('a fill of an order that is filled already does not end the bot: it halts the pair until a reset, and a stop still cancels', async () => {
  const { filled } = OrderLife.prototype;
  let left = 1;
  jest.spyOn(OrderLife.prototype, 'filled').mockImplementation(function (this: OrderLife, order, fill, complete) {
    filled.call(this, order, fill, complete);
    if (complete && left-- > 0) filled.call(this, order, fill, complete);
  });
  const lists = { keepTerminalOrders: false, keepFlatPositions: false };
  const markets = { kind: 'spot', lists, margin: marginSettings(), deposit: '100000' } as const;
  const world = new World({ seed: 5, markets, faults: {}, journal: join(folder, 'bot.journal') });
  const { core, clock, instruments } = world;
  const prices = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      for (const { index, base } of instruments)
        core.act('price', ['trade', index, (base === 'BTC' ? 6_000_000 : 300_000) + (second % 9) * 200, 1_000, 1]);
      await clock.runTo(clock.now() + 1_000);
    }
  };
  const life = world.start();
  const halts = () => [...life.bot.state.health.values()].filter(({ condition }) => condition === 'halted').map(({ reason }) => reason);
  for (let tries = 0; left > 0 && tries < 60; tries++) await prices(1);
  await prices(5);
  expect([life.over, life.failure]).toEqual([false, undefined]);
  expect(halts()).toEqual([
    expect.stringMatching(/^answers of the exchange contradict order bot-random-\S+: it is filled, and they would make it orderFilled$/),
  ]);
  life.bot.reset();
  await prices(20);
  expect(halts()).toEqual([]);
  life.bot.stop();
  await prices(70);
  expect([life.over, life.failure, world.account.orders.live.length]).toEqual([true, undefined, 0]);
  life.journal.close();
});
