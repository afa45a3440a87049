import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { pendingCommands, WaitingBot } from '../../../../src/app/live/bot/waiting-bot.ts';
import { BotJournal } from '../../../../src/journal/bot-journal.ts';
import type { AccountEvent } from '../../../../src/model/account-events.ts';
import { Decimal } from '../../../../src/model/decimal.ts';
import type { SteerCommand } from '../../../../src/ports/market-feed.ts';
import { marginSettings } from '../../../builders.ts';
import { replayed, wrongInReplay } from '../../../faults/replayed.ts';
import { type Life, World, type WorldOptions } from '../../../faults/world.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const folder = temporaryFolder('steering');
let worlds = 0;
const opened: { close(): void }[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

/** A spot exchange with prices, and the plan of a random trader with this in it. */
function newWorld(bot: WorldOptions['bot'] = {}): World {
  const world = new World({
    seed: 3,
    markets: { kind: 'spot', lists: { keepTerminalOrders: false, keepFlatPositions: false }, margin: marginSettings(), deposit: '0' },
    faults: {},
    journal: join(folder, `${worlds++}.journal`),
    bot,
  });
  price(world, 0);
  return world;
}

interface Watched extends Life {
  /** All events of this life so far. */
  readonly events: AccountEvent[];
}

function begin(world: World): Watched {
  const life = world.start();
  opened.push(life.journal);
  const events: AccountEvent[] = [];
  life.bot.engine.account$.subscribe((event) => events.push(event));
  return Object.assign(life, { events });
}

/** Prices of both symbols, around 60000 and 3000. */
function price(world: World, shift: number): void {
  world.core.act('price', ['trade', 0, 6_000_000 + 1_000 * shift, 100, 1]);
  world.core.act('price', ['trade', 1, 300_000 + 50 * shift, 100, 1]);
}

/** Lets time pass, with a new price in each second. */
async function pass(world: World, ms: number): Promise<void> {
  for (let second = 0; second < ms / 1_000; second++) {
    price(world, second % 7);
    await world.clock.runTo(world.clock.now() + 1_000);
  }
}

/** Sides of the orders that were submitted since the last look, without repetition. */
function sidesOf({ events }: Watched): string[] {
  return [...new Set(events.splice(0).flatMap((event) => (event.kind === 'orderSubmitted' ? [event.request.side] : [])))].sort();
}

/** Stops the bot, and replays its journal. */
async function expectSameInReplay(world: World, life: Life, ends: readonly string[]): Promise<void> {
  life.bot.stop();
  await pass(world, 5_000);
  expect([life.over, life.failure]).toEqual([true, undefined]);
  life.journal.close();
  const result = await replayed(world.options.journal, world.plan);
  expect([wrongInReplay(result), result.runs.map(({ end }) => end)]).toEqual([[], ends]);
}

const PAUSE: SteerCommand = { kind: 'command', command: 'pause', strategyId: 'random', reason: 'news' };
const RESUME: SteerCommand = { kind: 'command', command: 'resume', strategyId: 'random' };

test('a pause survives a crash and a reset, a spot bot buys nothing meanwhile, and a replay decides the same', async () => {
  const world = newWorld();
  const first = begin(world);
  await pass(world, 10_000);
  expect(sidesOf(first)).toContain('buy');
  first.bot.steer(PAUSE);
  await pass(world, 15_000);
  const denied = first.events.filter((event) => event.kind === 'orderDenied' && event.reason.code === 'paused');
  // Its hooks run: they go on asking.
  expect(denied.length).toBeGreaterThan(2);
  expect(sidesOf(first)).toEqual(['sell']);
  world.kill(first);
  const second = begin(world);
  await pass(world, 10_000);
  second.bot.reset();
  await pass(world, 10_000);
  expect([[...second.bot.state.latches.keys()], sidesOf(second)]).toEqual([['paused/random'], ['sell']]);
  second.bot.steer(RESUME);
  await pass(world, 15_000);
  expect([second.bot.state.latches.size, sidesOf(second)]).toEqual([0, ['buy', 'sell']]);
  await expectSameInReplay(world, second, ['cut', 'stopped']);
});

test('a pause of a bot that still waits for its exchange is durable at once, and takes effect in its first turns', async () => {
  const world = newWorld();
  const { journal: path } = world.options;
  const journal = BotJournal.open(path, { bot: 'bot', now: () => world.clock.now(), instruments: world.instruments });
  new WaitingBot(world.plan, journal, world.clock).steer(PAUSE);
  journal.close();
  const life = begin(world);
  expect(pendingCommands(life.journal)).toEqual([PAUSE]);
  await pass(world, 30_000);
  expect([[...life.bot.state.latches.keys()], sidesOf(life)]).toEqual([['paused/random'], []]);
});

test('one position is closed by command, at the exchange too, and a replay decides the same', async () => {
  const world = newWorld();
  const life = begin(world);
  await pass(world, 15_000);
  const { bot } = life;
  const [btc, eth] = bot.state.instruments.map((instrument) => () => bot.state.books.get('random')!.position(instrument, 'net').steps);
  expect([btc!() > 0, eth!() > 0]).toEqual([true, true]);
  bot.steer(PAUSE);
  const before = eth!();
  bot.steer({ kind: 'command', command: 'close', symbol: 'BTC-USDT', strategyId: 'random', side: 'long', reason: 'news' });
  await pass(world, 5_000);
  expect([btc!(), bot.closes, eth!() === 0 && before > 0]).toEqual([0, [], false]);
  const closes = life.events.flatMap((event) => (event.kind === 'orderFilled' && event.fill.tag === 'closeByCommand' ? [event.fill] : []));
  expect(new Set(closes.map(({ symbol, side }) => `${side} ${symbol}`))).toEqual(new Set(['sell BTC-USDT']));
  await expectSameInReplay(world, life, ['stopped']);
});

test('a limit that is changed holds from its turn on, the journal remembers it, and a replay decides the same', async () => {
  const world = newWorld();
  const life = begin(world);
  await pass(world, 8_000);
  const change = { setting: 'risk.orders.maxNotional', value: '1', was: 'null' };
  life.events.splice(0);
  const limits = { ...world.plan.limits, maxNotional: new Decimal(1) };
  life.bot.steer({ kind: 'command', command: 'limit', change, limits });
  await pass(world, 8_000);
  const { events, bot } = life;
  expect([bot.limits.maxNotional, bot.changes]).toEqual([new Decimal(1), [change]]);
  expect(events.some((event) => event.kind === 'orderDenied' && event.reason.code === 'notionalAboveMaximum')).toBe(true);
  expect(events.filter(({ kind }) => kind === 'orderSubmitted')).toEqual([]);
  await expectSameInReplay(world, life, ['stopped']);
});
