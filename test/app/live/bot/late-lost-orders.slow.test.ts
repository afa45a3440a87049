import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { marginSettings } from '../../../builders.ts';
import { replayed, wrongInReplay } from '../../../faults/replayed.ts';
import { World } from '../../../faults/world.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const folder = temporaryFolder('late-lost-orders');

test('an order of a lost run that arrives late halts everything, and a new era of client ids begins at once, also in the replay', async () => {
  const journal = join(folder, 'bot.journal');
  const lists = { keepTerminalOrders: false, keepFlatPositions: false };
  const world = new World({
    seed: 5,
    markets: { kind: 'futures', lists, margin: marginSettings(), deposit: '100000' },
    faults: {},
    journal,
  });
  const { core, account, clock, instruments } = world;
  const prices = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      for (const { index, base } of instruments)
        core.act('price', ['trade', index, (base === 'BTC' ? 600_000 : 30_000) + (second % 9) * 20, 1_000, 1]);
      await clock.runTo(clock.now() + 1_000);
    }
  };
  const life = world.start();
  await prices(30);
  const ids = () => account.orders.all.map(({ clientOrderId }) => clientOrderId);
  const [, era] = /^bot-random-([0-9a-z]+)-\d+$/.exec(ids()[0]!)!;
  const given = new Set(ids());
  // Beyond what it has given: sent by a process whose journal is not this one.
  const lost = `bot-random-${era}-900`;
  const { symbol } = instruments[0]!;
  core.act('placeTrigger', {
    uid: account.uid,
    symbol,
    order: { clientOid: lost, size: '0.01', type: '1', price: '59000', triggerPrice: '59000' },
  });
  await prices(40);
  const halted = () => [...life.bot.state.health.values()].filter(({ condition }) => condition === 'halted').map((one) => one.symbol);
  expect(halted().sort()).toEqual(instruments.map((one) => one.symbol).sort());
  expect(life.journal.era).not.toBe(life.journal.createdAt);
  const before = new Set([...given, ...ids()]);
  core.cancel(account.uid, account.orders.live.find(({ clientOrderId }) => clientOrderId === lost)!);
  life.bot.reset();
  await prices(200);
  expect(halted()).toEqual([]);
  const later = ids().filter((id) => !before.has(id));
  expect(later.length).toBeGreaterThan(0);
  expect(later.filter((id) => id.includes(`-${era}-`))).toEqual([]);
  // A reset that finds nothing more keeps them.
  const eraOf = (id: string) => id.split('-')[2];
  life.bot.reset();
  await prices(30);
  expect(
    new Set(
      ids()
        .filter((id) => !before.has(id))
        .map(eraOf),
    ).size,
  ).toBe(1);
  life.bot.stop();
  await prices(70);
  life.journal.close();
  expect(wrongInReplay(await replayed(journal, world.plan))).toEqual([]);
});
