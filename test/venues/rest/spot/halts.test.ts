import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import type { ExchangeClient } from '../../../../src/exchange/client/exchange-client.ts';
import type { OrderSubmitted, VenueEvent } from '../../../../src/model/account-events.ts';
import { RECONCILE_DEFAULTS, type ReconcileSettings } from '../../../../src/venues/reconcile/settings.ts';
import { RequestQueue } from '../../../../src/venues/rest/request-queue.ts';
import { spotHalf } from '../../../../src/venues/rest/spot/spot-half.ts';
import { marginSettings, T0 } from '../../../builders.ts';
import { replayed, wrongInReplay } from '../../../faults/replayed.ts';
import { SimClock } from '../../../faults/sim-clock.ts';
import { type Life, SILENT, World } from '../../../faults/world.ts';
import { BTC, submitted } from '../../../state/builders.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const folder = temporaryFolder('halts');
let worlds = 0;
let lives: Life[] = [];
afterEach(() => {
  for (const life of lives) if (!life.clock.dead) life.journal.close();
  lives = [];
});

/** A bot that trades nothing, beside a quiet exchange. */
async function quietWorld(rest: Partial<ReconcileSettings>): Promise<{ world: World; life: Life }> {
  const lists = { keepTerminalOrders: false, keepFlatPositions: false };
  const world = new World({
    seed: 1,
    markets: { kind: 'spot', lists, margin: marginSettings(), deposit: '0' },
    faults: {},
    journal: join(folder, `${worlds++}.journal`),
    rest,
  });
  world.restsFrom = 0;
  world.core.act('price', ['trade', 0, 6_000_000, 100, 1]);
  world.core.act('price', ['trade', 1, 300_000, 100, 1]);
  return { world, life: await begin(world) };
}

async function begin(world: World, ms = 3_000): Promise<Life> {
  const life = world.start();
  lives.push(life);
  await pass(world, ms);
  return life;
}

const pass = (world: World, ms: number) => world.clock.runTo(world.clock.now() + ms);

/** Killed and started again: how it is after its first looks. */
async function again(world: World, life: Life): Promise<Life> {
  world.kill(life);
  return begin(world);
}

/** What is halted, by symbol. */
const halted = ({ bot }: Life) =>
  Object.fromEntries([...bot.state.health.values()].map(({ symbol, condition, reason }) => [symbol, `${condition}: ${reason}`]));

let byHands = 0;
/** By hand, on the same account. @returns the key of the order. */
function byHand(world: World, quantity: string, price: string): string {
  const order = { side: 'buy', orderType: 'limit', force: 'normal', price, quantity, clientOrderId: `by-hand-${++byHands}` } as const;
  const [placed] = world.core.act('placeSpot', { uid: world.account.uid, symbol: 'BTC-USDT', orders: [order] });
  return (placed as { readonly entry: { readonly key: string } }).entry.key;
}

const TRADED = { 'BTC-USDT': 'halted: orders that are not ours trade it' };

test('a halt for foreign trades survives restarts until a reset, and returns with the next such trade', async () => {
  const { world, life } = await quietWorld({ foreign: 'block' });
  byHand(world, '0.01', '60100');
  await pass(world, 60_000);
  expect(halted(life)).toEqual(TRADED);
  const since = life.bot.state.health.get('instrument/BTC-USDT')!.time;
  let now = await again(world, life);
  now = await again(world, now);
  await pass(world, 60_000);
  expect([halted(now), now.bot.state.health.get('instrument/BTC-USDT')!.time]).toEqual([TRADED, since]);
  now.bot.reset();
  await pass(world, 60_000);
  expect(halted(now)).toEqual({});
  now = await again(world, now);
  expect(halted(now)).toEqual({});
  world.core.act('price', ['trade', 0, 6_000_000, 100, 1]);
  byHand(world, '0.01', '60100');
  await pass(world, 60_000);
  expect(halted(now)).toEqual(TRADED);
});

test("a reset of a strategy's latch by name does not lift halts", async () => {
  const { world, life } = await quietWorld({ foreign: 'block' });
  byHand(world, '0.01', '60100');
  await pass(world, 60_000);
  life.bot.reset('random');
  expect(halted(life)).toEqual(TRADED);
});

const RESERVED = Object.fromEntries(['BTC-USDT', 'ETH-USDT'].map((one) => [one, 'halted: orders that are not ours have reserved USDT']));

test('a halt for foreign reserves survives a restart and another such order, and ends with the last of them', async () => {
  const { world, life } = await quietWorld({ foreign: 'block' });
  const first = byHand(world, '0.1', '50000');
  await pass(world, 60_000);
  expect(halted(life)).toEqual(RESERVED);
  const second = byHand(world, '0.1', '40000');
  await pass(world, 3_000);
  expect(halted(life)).toEqual(RESERVED);
  const next = await again(world, life);
  expect(halted(next)).toEqual(RESERVED);
  for (const key of [first, second]) world.core.act('cancel', { uid: world.account.uid, key });
  await pass(world, 60_000);
  expect(halted(next)).toEqual({});
});

test('how long others have reserved something counts over the restarts of a bot that crashes in a loop', async () => {
  const { world, life } = await quietWorld({ foreign: 'block' });
  byHand(world, '0.1', '50000');
  let now = life;
  for (let i = 0; i < 6; i++) now = await again(world, now);
  expect(halted(now)).toEqual(RESERVED);
});

test('a reset lifts it, and a reservation that stays halts again', async () => {
  const { world, life } = await quietWorld({ foreign: 'block' });
  byHand(world, '0.1', '50000');
  await pass(world, 60_000);
  life.bot.reset();
  await pass(world, 2_000);
  expect(halted(life)).toEqual({});
  await pass(world, 60_000);
  expect(halted(life)).toEqual(RESERVED);
});

const deposit = (world: World, amount: string) =>
  world.core.act('deposit', { uid: world.account.uid, wallet: 'spot', coin: 'ETH', amount });
const unexplained = (amount: string) =>
  Object.fromEntries(['BTC-USDT', 'ETH-USDT'].map((one) => [one, `halted: ${amount} ETH that no record explains`]));

test('a halt for an unexplained balance survives a restart, and ends when the balance is right again', async () => {
  const { world, life } = await quietWorld({ unexplained: 'halt' });
  deposit(world, '0.25');
  await pass(world, 60_000);
  expect(halted(life)).toEqual(unexplained('0.25'));
  const next = await again(world, life);
  expect(halted(next)).toEqual(unexplained('0.25'));
  deposit(world, '-0.25');
  await pass(world, 60_000);
  expect(halted(next)).toEqual({});
});

test('a reset takes the balance as it is, over restarts, and the next difference halts again', async () => {
  const { world, life } = await quietWorld({ unexplained: 'halt' });
  deposit(world, '0.25');
  await pass(world, 60_000);
  life.bot.reset();
  await pass(world, 120_000);
  expect(halted(life)).toEqual({});
  const next = await again(world, life);
  await pass(world, 60_000);
  expect(halted(next)).toEqual({});
  expect(next.bot.state.portfolio.balance('ETH').total.toFixed()).toBe('10.25');
  deposit(world, '0.5');
  await pass(world, 60_000);
  expect(halted(next)).toEqual(unexplained('0.5'));
  next.bot.stop();
  await pass(world, 5_000);
  next.journal.close();
  expect(wrongInReplay(await replayed(world.options.journal, world.plan))).toEqual([]);
});

/** A spot half whose one order the exchange shows as half filled, and whose fills it lists or not. */
function shownHalf(clock: SimClock, memory: Map<string, unknown>, told: VenueEvent[]) {
  const shown: { fills: unknown[]; info: unknown[] } = { fills: [], info: [] };
  const { request } = submitted({ clientOrderId: 'bot-1', instrument: BTC, steps: 4, priceTicks: 90 }) as OrderSubmitted;
  const settings = { ...RECONCILE_DEFAULTS, fillGapMs: 30_000, unknownLimitMs: 60_000, visibilityLagMs: 1_000 };
  const client = {
    serverTime: () => clock.now(),
    orderInfo: async () => shown.info,
    fills: async () => ({ fillsOrderResultList: shown.fills, nextPage: false }),
    exchangeInfo: async () => [],
    accountAssets: async () => [],
    transferRecords: async () => [],
  };
  const context = {
    clock,
    log: SILENT,
    memory: {
      remember: (key: string, value: unknown) => void memory.set(key, value),
      recall: (key: string) => memory.get(key),
      request() {},
      reply() {},
    },
    report: (event: VenueEvent) => void told.push(event),
    settled() {},
    fail(error: unknown) {
      throw error;
    },
  };
  const half = spotHalf({
    client: client as unknown as ExchangeClient,
    instruments: [BTC],
    queue: new RequestQueue(clock, 1_000, context.fail),
    settings,
    context: context,
    isOwn: () => true,
    adopterOf: () => undefined,
  });
  const resume = (status: 'accepted' | 'unknown', unknownSince?: number) => {
    const halts = new Map<string, string>();
    for (const event of told) {
      if (event.kind !== 'healthChanged') continue;
      if (event.condition === 'halted') halts.set(event.symbol, event.reason);
      else halts.delete(event.symbol);
    }
    const order = {
      request,
      orderId: status === 'unknown' ? '' : '77',
      filledSteps: 0,
      status,
      triggered: false,
      cancelRequested: false,
      unknownSince,
    };
    half.resume({ again: true, orders: [order], balances: new Map(), frozen: new Map(), fillIds: new Map(), lastTime: clock.now(), halts });
  };
  return { half, shown, resume };
}

const healths = (told: readonly VenueEvent[]) =>
  told.flatMap((event) => (event.kind === 'healthChanged' ? [`${event.condition}: ${event.reason}`] : []));

test('fills that no record shows halt after their time, restarts in between counted, until a record shows them', async () => {
  const clock = new SimClock(T0);
  const memory = new Map<string, unknown>();
  const told: VenueEvent[] = [];
  const unsaid = { side: '', orderType: '', price: '', quantity: '', cTime: '' };
  const info = { orderId: '77', clientOrderId: 'bot-1', status: 'partial_fill', fillQuantity: '2', symbol: 'BTCUSDT_SPBL', ...unsaid };
  // Ten lives of five seconds.
  for (let life = 0; life < 10; life++) {
    const { half, shown, resume } = shownHalf(clock, memory, told);
    shown.info = [info];
    resume('accepted');
    await half.round(true);
    if (life === 5) expect(healths(told)).toEqual([]);
    await clock.runTo(clock.now() + 5_000);
  }
  const gap = 'halted: order bot-1 reports fills that no record shows';
  expect(healths(told)).toEqual([gap]);
  const { half, shown, resume } = shownHalf(clock, memory, told);
  shown.info = [info];
  resume('accepted');
  half.lift();
  expect(healths(told)).toEqual([gap, 'fresh: reset']);
  await half.round(true);
  await clock.runTo(clock.now() + 31_000);
  await half.round(true);
  expect(healths(told).slice(2)).toEqual([gap]);
  shown.info = [{ ...info, fillQuantity: '0' }];
  await clock.runTo(clock.now() + 31_000);
  await half.round(true);
  expect(healths(told).slice(3)).toEqual(['fresh: known again']);
});

test('an order with an unknown outcome halts by its own time, over any restarts', async () => {
  const clock = new SimClock(T0);
  const told: VenueEvent[] = [];
  const first = shownHalf(clock, new Map(), told);
  first.resume('unknown', T0 - 61_000);
  await first.half.round(true);
  expect(healths(told)).toEqual(['halted: the outcome of order bot-1 is unknown']);
  const second = shownHalf(clock, new Map(), told);
  second.resume('unknown', T0 - 61_000);
  await second.half.round(true);
  expect(healths(told)).toHaveLength(1);
});
