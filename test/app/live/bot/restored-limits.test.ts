import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { readKnown } from '../../../../src/app/live/bot/journal-history.ts';
import { BotJournal } from '../../../../src/journal/bot-journal.ts';
import type { AccountEvent } from '../../../../src/model/account-events.ts';
import { Decimal } from '../../../../src/model/decimal.ts';
import type { RiskLimits } from '../../../../src/risk/limits.ts';
import { marginSettings } from '../../../builders.ts';
import { replayed, wrongInReplay } from '../../../faults/replayed.ts';
import { type Life, World, type WorldOptions } from '../../../faults/world.ts';
import { troubleOf } from '../../../journal/builders.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const folder = temporaryFolder('restored-limits');
let worlds = 0;
const opened: Life[] = [];
afterEach(() => {
  for (const life of opened.splice(0)) if (!life.clock.dead) life.journal.close();
});

/** A random trader with these limits, that crashes every few seconds. */
async function crashLoop(limits: Partial<RiskLimits>, lives: number, more: Partial<WorldOptions> = {}): Promise<World> {
  const world = new World({
    seed: 5,
    markets: { kind: 'spot', lists: { keepTerminalOrders: false, keepFlatPositions: false }, margin: marginSettings(), deposit: '0' },
    faults: {},
    journal: join(folder, `${worlds++}.journal`),
    idle: 0,
    bot: { limits: { maxPosition: new Map(), ...limits } },
    ...more,
  });
  for (let life = 0; life < lives; life++) {
    const now = world.start();
    opened.push(now);
    for (let second = 0; second < 6; second++) {
      world.core.act('price', ['trade', 0, 6_000_000 - 10_000 * second, 100, 1]);
      world.core.act('price', ['trade', 1, 300_000 + second, 100, 1]);
      await world.clock.runTo(world.clock.now() + 1_000);
    }
    if (life < lives - 1) world.kill(now);
  }
  return world;
}

const eventsOf = ({ journal }: Life): AccountEvent[] =>
  [...journal.records()].flatMap(({ kind, value }) => (kind === 'event' ? [(value as { event: AccountEvent }).event] : []));

/** The journal tells the same when its runs are decided again, with the same memory. */
async function replaysTheSame(world: World): Promise<void> {
  const last = opened.at(-1)!;
  last.bot.stop();
  await world.clock.runTo(world.clock.now() + 5_000);
  last.journal.close();
  expect(wrongInReplay(await replayed(world.options.journal, world.plan))).toEqual([]);
}

test('a rate of orders counts over the restarts of a bot that crashes in a loop', async () => {
  const world = await crashLoop({ orderRate: { orders: 4, perMs: 3_600_000 } }, 6);
  const events = eventsOf(opened.at(-1)!);
  const asked = events.flatMap((event) => (event.kind === 'orderSubmitted' && !event.again ? [event.clientOrderId] : []));
  const held = new Set(events.flatMap((event) => (event.kind === 'orderAccepted' && event.held ? [event.clientOrderId] : [])));
  expect(asked.filter((id) => !held.has(id))).toHaveLength(4);
  const late = events.flatMap((event) => (event.kind === 'orderDenied' ? [event.reason.code] : []));
  expect(late).toContain('orderRateAboveLimit');
  await replaysTheSame(world);
});

test('a rate of orders frees up after its window, also if its orders were before a restart', async () => {
  const world = await crashLoop({ orderRate: { orders: 4, perMs: 10_000 } }, 1);
  world.kill(opened.at(-1)!);
  await world.clock.runTo(world.clock.now() + 10_000);
  const known = () => readKnown(world.plan, life.journal).past.recent.sent.filter(({ time }) => time > world.clock.now() - 10_000);
  const life = world.start();
  opened.push(life);
  expect(known()).toEqual([]);
});

test('errors of the exchange count over restarts', async () => {
  // Every order is refused: one a second, six a life.
  const faults = { rules: [{ fault: 'failBefore', rate: 1, operations: ['batchOrders', 'placeOrder'] }] } as never;
  const world = await crashLoop({ errorBudget: { errors: 20, perMs: 3_600_000 } }, 6, { faults });
  const latched = eventsOf(opened.at(-1)!).filter(({ kind }) => kind === 'riskLatched');
  expect(latched).toMatchObject([{ rule: 'venueErrors', count: 20, limit: 20 }]);
  await replaysTheSame(world);
});

test('drawdown, the loss of the day and losses in a row are measured over restarts', async () => {
  const limits: Partial<RiskLimits> = {
    maxDrawdown: { share: 0.9, onBreach: 'cancel' },
    dailyLoss: { share: 0.9, onBreach: 'cancel' },
    cooldown: { losses: 1_000, forMs: 1_000 },
    stopLossGuard: { stops: 1_000, withinMs: 86_400_000, forMs: 1_000, scope: 'all' },
    strategies: new Map([
      ['random', { maxPosition: new Map(), capital: new Decimal(1000), maxDrawdown: { share: 0.9, onBreach: 'cancel' } }],
    ]),
  };
  const world = await crashLoop(limits, 5);
  const { state } = opened.at(-1)!.bot;
  const standing = ({ portfolio, ownEquities, results }: typeof state) => {
    const own = ownEquities.get('random')!;
    return [
      portfolio.drawdown.peak,
      portfolio.drawdown.depth,
      portfolio.day?.start,
      portfolio.day?.current,
      own.drawdown.peak,
      own.drawdown.depth,
      results?.lossesInARow(),
      results?.losingStops(0),
    ];
  };
  expect(portfolioMoved(state)).toBe(true);
  expect(standing(readKnown(world.plan, opened.at(-1)!.journal).state)).toEqual(standing(state));
});

function portfolioMoved({ portfolio }: Life['bot']['state']): boolean {
  return portfolio.drawdown.depth > 0;
}

test('a journal that a second process has written to gives a message with the remedy', async () => {
  const world = await crashLoop({}, 1);
  world.kill(opened.at(-1)!);
  const { journal: path } = world.options;
  const second = BotJournal.open(path, { bot: 'bot', now: () => world.clock.now(), instruments: world.instruments });
  second.event(1, {
    kind: 'orderAccepted',
    time: world.clock.now(),
    clientOrderId: 'bot-random-of-the-other-1',
    orderId: '7',
    held: false,
  });
  second.commit();
  second.close();
  const journal = BotJournal.open(path, { bot: 'bot', now: () => world.clock.now(), instruments: world.instruments });
  expect(troubleOf(() => readKnown(world.plan, journal))).toMatch(
    /^JOURNAL_DAMAGED: journal .*\.journal has records that contradict each other at record \d+ of 20\S+ \(.*\), as if two processes of the bot had written it: check/,
  );
  journal.close();
});
