import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import type { AccountEvent } from '../../../../src/model/account-events.ts';
import type { LedgerReason } from '../../../../src/model/ledger.ts';
import type { ReconcileSettings } from '../../../../src/venues/reconcile/settings.ts';
import { marginSettings } from '../../../builders.ts';
import type { Markets } from '../../../faults/exchange-side.ts';
import { type Life, World } from '../../../faults/world.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const SPOT_ONLY: Markets = {
  kind: 'spot',
  lists: { keepTerminalOrders: false, keepFlatPositions: false },
  margin: marginSettings(),
  deposit: '0',
};
const folder = temporaryFolder('reconcile');
let lives: Life[] = [];
let worlds = 0;

afterEach(() => {
  for (const life of lives) if (!life.clock.dead) life.journal.close();
  lives = [];
});

/** A bot that trades nothing, beside a quiet exchange. */
async function quietWorld(rest?: Partial<ReconcileSettings>, before?: (world: World) => void): Promise<{ world: World; life: Life }> {
  const world = new World({ seed: 1, markets: SPOT_ONLY, faults: {}, journal: join(folder, `${worlds++}.journal`), rest });
  world.restsFrom = 0;
  world.core.act('price', ['trade', 0, 6_000_000, 100, 1]);
  world.core.act('price', ['trade', 1, 300_000, 100, 1]);
  before?.(world);
  return { world, life: await begin(world) };
}

async function begin(world: World): Promise<Life> {
  const life = world.start();
  lives.push(life);
  await world.clock.runTo(world.clock.now() + 3_000);
  return life;
}

const pass = (world: World, ms: number) => world.clock.runTo(world.clock.now() + ms);

/** What moved an asset, beside orders. */
function entries({ journal }: Life, asset: string): [reason: LedgerReason, amount: string][] {
  const found: [LedgerReason, string][] = [];
  for (const { kind, value } of journal.records()) {
    const event = kind === 'event' ? (value as { event: AccountEvent }).event : undefined;
    if (event?.kind === 'balanceChanged' && event.entry?.asset === asset) found.push([event.entry.reason, event.entry.amount.toFixed()]);
  }
  return found;
}

test('the balances at the very first start are the baseline, and belong to no strategy', async () => {
  const { life } = await quietWorld();
  expect(entries(life, 'BTC')).toEqual([['deposit', '1']]);
  expect(life.bot.state.books.get('random')!.position(life.bot.state.instruments[0]!, 'net').steps).toBe(0);
});

test('a transfer explains a balance and moves the baseline, not the profit', async () => {
  const { world, life } = await quietWorld();
  world.account.funding.deposit(world.clock.now(), 'USDT', world.core.exchange.accounts.all[0]!.spot.ledger.balance('USDT').total);
  world.core.act('transfer', { uid: world.account.uid, coin: 'USDT', amount: '250.5', from: 'funding', to: 'spot' });
  await pass(world, 60_000);
  expect(entries(life, 'USDT')).toEqual([
    ['deposit', '100000'],
    ['transfer', '250.5'],
  ]);
  world.core.act('transfer', { uid: world.account.uid, coin: 'USDT', amount: '1000', from: 'spot', to: 'funding' });
  await pass(world, 60_000);
  expect(entries(life, 'USDT').at(-1)).toEqual(['transfer', '-1000']);
  expect(life.bot.state.portfolio.drawdown.depth).toBe(0);
});

test('a difference that no record explains is unexplained, once', async () => {
  const { world, life } = await quietWorld();
  world.core.act('deposit', { uid: world.account.uid, wallet: 'spot', coin: 'ETH', amount: '0.25' });
  await pass(world, 120_000);
  expect(entries(life, 'ETH')).toEqual([
    ['deposit', '10'],
    ['unexplained', '0.25'],
  ]);
});

test('a difference that is gone after 15 s has left nothing', async () => {
  const { world, life } = await quietWorld();
  const deposit = (amount: string) => world.core.act('deposit', { uid: world.account.uid, wallet: 'spot', coin: 'ETH', amount });
  deposit('1000000');
  await pass(world, 15_000);
  deposit('-1000000');
  await pass(world, 60_000);
  expect(entries(life, 'ETH')).toEqual([['deposit', '10']]);
});

test('reconciling twice changes nothing', async () => {
  const { world, life } = await quietWorld();
  world.core.act('transfer', { uid: world.account.uid, coin: 'BTC', amount: '0.5', from: 'spot', to: 'funding' });
  await pass(world, 60_000);
  const before = entries(life, 'BTC');
  expect(before.at(-1)).toEqual(['transfer', '-0.5']);
  world.kill(life);
  const second = await begin(world);
  await pass(world, 60_000);
  world.kill(second);
  const third = await begin(world);
  await pass(world, 60_000);
  expect(second.bot.differences).toEqual([]);
  expect(third.bot.differences).toEqual([]);
  expect(entries(third, 'BTC')).toEqual(before);
});

test('money that moved while the bot was away is explained after its start', async () => {
  const { world, life } = await quietWorld();
  world.kill(life);
  world.core.act('transfer', { uid: world.account.uid, coin: 'USDT', amount: '77', from: 'spot', to: 'funding' });
  await pass(world, 300_000);
  const second = await begin(world);
  await pass(world, 60_000);
  expect(entries(second, 'USDT').at(-1)).toEqual(['transfer', '-77']);
});

/** By hand, on the same account. */
function byHand(world: World, quantity: string, price: string, clientOrderId = 'by-hand'): void {
  const order = { side: 'buy', orderType: 'limit', force: 'normal', price, quantity, clientOrderId } as const;
  const [placed] = world.core.act('placeSpot', { uid: world.account.uid, symbol: 'BTC-USDT', orders: [order] });
  expect(placed).toHaveProperty('entry');
}

test("fills of orders that are not ours move the wallet, and no strategy's position", async () => {
  const { world, life } = await quietWorld({ foreign: 'ignore' });
  byHand(world, '0.01', '60100');
  await pass(world, 60_000);
  expect(entries(life, 'BTC')).toEqual([
    ['deposit', '1'],
    ['foreign', '0.01'],
    ['foreign', '-0.000015'],
  ]);
  expect(life.bot.state.books.get('random')!.position(life.bot.state.instruments[0]!, 'net').steps).toBe(0);
  expect([...life.bot.state.health.keys()]).toEqual([]);
});

test('a fill of before the very first start is in the baseline, and a restart right after it does not count it again', async () => {
  const { world, life } = await quietWorld({ foreign: 'ignore' }, (made) => byHand(made, '0.01', '60100'));
  expect(entries(life, 'BTC')).toEqual([['deposit', '1.009985']]);
  world.kill(life);
  life.journal.close();
  const again = await begin(world);
  await pass(world, 60_000);
  expect(entries(again, 'BTC')).toEqual([['deposit', '1.009985']]);
});

test('so are the fills that a first start skips at its first try and at a later one', async () => {
  const { world, life } = await quietWorld({ foreign: 'ignore' }, (made) => {
    byHand(made, '0.01', '60100');
    made.faults.set({ rules: [{ fault: 'failBefore', operations: ['accountAssets'], chance: 1 }] });
  });
  world.core.act('price', ['trade', 0, 6_000_000, 100, 1]);
  byHand(world, '0.01', '60100', 'by-hand-2');
  expect(entries(life, 'BTC')).toEqual([]);
  world.faults.set({ rules: [] });
  await pass(world, 20_000);
  // Less 0.15 % of both.
  expect(entries(life, 'BTC')).toEqual([['deposit', '1.01997']]);
  world.kill(life);
  life.journal.close();
  const again = await begin(world);
  await pass(world, 60_000);
  expect(entries(again, 'BTC')).toEqual([['deposit', '1.01997']]);
});

test('foreign trades are noticed within the idle period, with nothing open', async () => {
  const { world, life } = await quietWorld();
  await pass(world, 20_000);
  byHand(world, '0.01', '60100');
  const asked = () => world.clock.now();
  const from = asked();
  while (entries(life, 'BTC').length === 1 && asked() < from + 15_000) await pass(world, 250);
  // At the latest at the grid's first look after the period.
  expect(asked() - from).toBeLessThanOrEqual(6_250);
});

test('if configured, nothing is traded while there are foreign orders', async () => {
  const { world, life } = await quietWorld({ foreign: 'block' });
  byHand(world, '0.1', '50000');
  await pass(world, 60_000);
  expect([...life.bot.state.health.values()].map(({ symbol, condition, reason }) => ({ symbol, condition, reason }))).toEqual(
    ['BTC-USDT', 'ETH-USDT'].map((symbol) => ({
      symbol,
      condition: 'halted',
      reason: 'orders that are not ours have reserved USDT',
    })),
  );
});

test('if configured, a first start with amounts frozen by others is refused', async () => {
  const world = new World({
    seed: 1,
    markets: SPOT_ONLY,
    faults: {},
    journal: join(folder, `${worlds++}.journal`),
    rest: { foreign: 'block' },
  });
  world.restsFrom = 0;
  world.core.act('price', ['trade', 0, 6_000_000, 100, 1]);
  byHand(world, '0.1', '50000');
  const life = await begin(world);
  expect(String(life.failure)).toMatch(/5000 USDT of the spot wallet is frozen by orders that are in no journal of this bot/);
});

test('an unexplained balance halts trading if configured', async () => {
  const { world, life } = await quietWorld({ unexplained: 'halt' });
  world.core.act('deposit', { uid: world.account.uid, wallet: 'spot', coin: 'ETH', amount: '0.25' });
  await pass(world, 60_000);
  expect(life.bot.state.health.get('instrument/BTC-USDT')?.reason).toBe('0.25 ETH that no record explains');
});
