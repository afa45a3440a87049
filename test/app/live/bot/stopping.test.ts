import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import type { BotPlan } from '../../../../src/app/planning/run-plans.ts';
import { type Intents, place } from '../../../../src/index.ts';
import { Strategy } from '../../../../src/strategy/strategy.ts';
import { marginSettings } from '../../../builders.ts';
import { type Life, World } from '../../../faults/world.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const folder = temporaryFolder('stopping');
let worlds = 0;
let lives: Life[] = [];
afterEach(() => {
  for (const life of lives) if (!life.clock.dead) life.journal.close();
  lives = [];
});

/** Leaves one bid far below its first price. */
class Rester extends Strategy {
  static override needs = { tickers: true };
  onTicker(): Intents {
    if (this.orders().length > 0) return undefined;
    return place({ symbol: 'BTC-USDT', side: 'buy', type: 'limit', quantity: '0.01', price: '50000' });
  }
}

function begin(world: World): Life {
  const life = world.start();
  lives.push(life);
  return life;
}

/** Its bot is gone with an order open, and another begins. */
async function restarted(onStop: BotPlan['onStop'] = 'cancel'): Promise<{ world: World; life: Life }> {
  const world = new World({
    seed: 1,
    markets: { kind: 'spot', lists: { keepTerminalOrders: false, keepFlatPositions: false }, margin: marginSettings(), deposit: '0' },
    faults: {},
    journal: join(folder, `${worlds++}.journal`),
    bot: { strategies: [{ id: 's', symbols: ['BTC-USDT'], params: undefined, create: (context) => new Rester(context) }], onStop },
  });
  world.core.act('price', ['trade', 0, 6_000_000, 100, 1]);
  world.core.act('price', ['trade', 1, 300_000, 100, 1]);
  const first = begin(world);
  await pass(world, 5_000);
  expect([...first.bot.state.openOrders.values()].map(({ status }) => status)).toEqual(['accepted']);
  world.kill(first);
  return { world, life: begin(world) };
}

const pass = (world: World, ms: number) => world.clock.runTo(world.clock.now() + ms);
const open = ({ bot }: Life) => bot.state.openOrders.size;

test('a stop before the first replies waits for them, cancels open orders, and then ends', async () => {
  const { world, life } = await restarted();
  await pass(world, 5);
  life.bot.stop();
  await pass(world, 10_000);
  expect([life.over, life.failure, life.bot.reconciled, open(life), life.bot.leavesNothing]).toEqual([true, undefined, true, 0, true]);
});

test.each<[BotPlan['onStop'], number, boolean]>([
  ['cancel', 60_000, false],
  ['keep', 0, true],
])(
  'where no answer comes, a stop that is to %s what is open ends after %i ms, and says whether that is done',
  async (onStop, after, done) => {
    const { world, life } = await restarted(onStop);
    life.link.cut = true;
    await pass(world, 5);
    const asked = world.clock.now();
    life.bot.stop();
    await world.clock.runTo(asked + 120_000, () => life.over);
    expect(world.clock.now() - asked).toBe(after);
    expect([life.over, life.failure, life.bot.reconciled, open(life), life.bot.leavesNothing]).toEqual([true, undefined, false, 1, done]);
  },
);

test('if the exchange fails, it is not queried again', async () => {
  const { world, life } = await restarted();
  world.faults.set({ rules: [{ fault: 'failBefore', operations: ['fills'] }] });
  await pass(world, 5_000);
  const asked = world.clock.now();
  life.bot.stop();
  await world.clock.runTo(asked + 120_000, () => life.over);
  expect(world.clock.now() - asked).toBeLessThan(1_000);
  expect([life.bot.reconciled, open(life), life.bot.leavesNothing]).toEqual([false, 1, false]);
});

test('an error before the run ends the bot as its run would', async () => {
  const { world, life } = await restarted();
  life.bot.fail(new Error('overtaken'));
  await pass(world, 1);
  expect([life.over, life.failure]).toEqual([true, new Error('overtaken')]);
});
