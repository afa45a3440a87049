import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { loadModule } from '../../src/app/loader/load-module.ts';
import type { StrategyClass } from '../../src/app/loader/load-strategy.ts';
import { Decimal } from '../../src/model/decimal.ts';
import { Random } from '../../src/model/random.ts';
import { marginSettings } from '../builders.ts';
import { ROOT } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type Life, World } from './world.ts';

const MINUTE_MS = 60_000;
const PRICE_EVERY_MS = 1_000;
const LIVES = 6;
const QUANTITY = 0.01;
const PARAMS = { cells: 10, below: 6, spacing: 0.0008, quantity: QUANTITY, pauseMs: 60_000 };

/** A price that swings over several cells within minutes, in trades that fill orders in part. */
function swing(world: World, random: Random): void {
  let ticks = 6_000_000;
  const move = () => {
    ticks = Math.round(ticks * (1 + (random.uniform() - 0.5) * 0.0012) + (6_000_000 - ticks) * 0.01);
    world.core.act('price', ['trade', 0, ticks, Math.ceil(random.uniform() * 90), random.uniform() < 0.5 ? 1 : -1]);
    world.clock.schedule(world.clock.now() + PRICE_EVERY_MS, move);
  };
  move();
}

async function living(world: World): Promise<Life> {
  for (;;) {
    const life = world.start();
    await world.clock.runTo(world.clock.now() + 10, () => life.over);
    if (!life.over) return life;
    world.kill(life);
    await world.clock.runTo(world.clock.now() + 1_000);
  }
}

/** At the exchange: one order a line and side, and no cell holds more than it buys once, fees and dust apart. */
function expectCells({ account }: World): void {
  const placed = account.orders.all.filter(({ orderId, clientOrderId }) => orderId !== '' && clientOrderId !== '');
  const lines = placed.filter(({ live }) => live).map(({ request }) => `${request.side} at ${request.priceTicks}`);
  expect(lines).toEqual([...new Set(lines)]);
  const floors = [...new Set(placed.filter(({ request }) => request.side === 'buy').map(({ request }) => request.priceTicks!))];
  const held = new Map<number, number>();
  for (const { request, fills } of placed) {
    const floor = request.side === 'buy' ? request.priceTicks! : request.priceTicks! / (1 + PARAMS.spacing);
    const cell = floors.reduce((near, one) => (Math.abs(one - floor) < Math.abs(near - floor) ? one : near));
    const steps = fills.reduce((sum, { fill }) => sum + fill.steps, 0);
    held.set(cell, (held.get(cell) ?? 0) + (request.side === 'buy' ? steps : -steps));
  }
  const most = QUANTITY / 0.0001;
  expect([...held.values()].filter((steps) => steps < 0 || steps > most * 1.5)).toEqual([]);
}

test.each([1, 2])('a grid that is killed and started again never has two orders in a cell, nor buys one twice, seed %d', async (seed) => {
  const { exports } = await loadModule(join(ROOT, 'strategies/grid.ts'));
  const Grid = exports.Grid as StrategyClass;
  const random = new Random(seed, 'grid');
  const rules = [
    { fault: 'dropReply' as const, chance: 0.03 },
    { fault: 'failAfter' as const, chance: 0.03 },
    { fault: 'drop' as const, chance: 0.03 },
  ];
  const leverage = new Decimal(1);
  const world = new World({
    seed,
    markets: {
      kind: 'spot',
      lists: { keepTerminalOrders: true, keepFlatPositions: true },
      margin: marginSettings({ mode: 'shared', separated: false, longLeverage: leverage, shortLeverage: leverage }),
      deposit: '0',
    },
    faults: { rules },
    journal: join(temporaryFolder('grid'), 'bot.journal'),
    bot: {
      strategies: [{ id: 'grid', symbols: ['BTC-USDT'], params: PARAMS, create: (context) => new Grid(context) }],
      bars: { from: 'ticker', intervals: [[MINUTE_MS], []], graceMs: 2_000 },
    },
  });
  swing(world, random);
  for (let n = 0; n < LIVES; n++) {
    const life = await living(world);
    await world.clock.runTo(world.clock.now() + random.between(2, 5) * MINUTE_MS, () => life.over);
    world.kill(life);
    await world.clock.runTo(world.clock.now() + random.between(1, 30) * 1_000);
    expectCells(world);
  }
  const { orders } = world.account;
  // It has traded both ways, or this proves nothing.
  expect(orders.fills.length).toBeGreaterThan(20);
});
