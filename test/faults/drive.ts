import { rmSync } from 'node:fs';
import type { FaultKind, FaultRule } from '../../src/local-exchange/faults.ts';
import { Decimal } from '../../src/model/decimal.ts';
import { Random } from '../../src/model/random.ts';
import type { Log } from '../../src/ports/log.ts';
import { marginSettings, T0 } from '../builders.ts';
import type { Markets } from './exchange-side.ts';
import { check, type Findings } from './invariants.ts';
import { replayed, wrongInReplay } from './replayed.ts';
import { type Life, World } from './world.ts';

/**
 * The exchange misbehaves and the strategy trades for so long. Then both are quiet: until what was held up has arrived,
 * and on until no order's fate is open, at most until everything must have been found out; then a little longer.
 */
const TRADE_MS = 60_000;
const ARRIVED_MS = 30_000;
const QUIET_MS = 100_000;
const CALM_MS = 10_000;
const PRICE_EVERY_MS = 500;
/** Trading goes on until there are so many orders at the exchange, or for so long. */
const ORDERS = 20;
const LONGEST_MS = 3_600_000;

const RATES: Readonly<Record<FaultKind, { chance: number; ms?: [number, number] }>> = {
  drop: { chance: 0.08 },
  delay: { chance: 0.04, ms: [100, 29_000] },
  tooMany: { chance: 0.05 },
  failBefore: { chance: 0.08 },
  duplicate: { chance: 0.1 },
  failAfter: { chance: 0.08 },
  malformed: { chance: 0.06 },
  truncated: { chance: 0.06 },
  dropReply: { chance: 0.08 },
  drip: { chance: 0.05, ms: [1, 400] },
};

export interface SeedResult extends Findings {
  readonly seed: number;
  readonly markets: Markets;
  readonly orders: number;
  readonly fills: number;
  readonly kills: number;
  readonly struck: ReadonlyMap<FaultKind, number>;
}

/** One seed, from nothing to the last comparison. The same seed gives the same run. @param replays its journal is replayed, too. */
export async function runSeed(seed: number, journal: string, log?: Log, only?: Markets['kind'], replays = false): Promise<SeedResult> {
  const random = new Random(seed, 'scenario');
  const kinds = Object.keys(RATES) as FaultKind[];
  const chosen = kinds.filter(() => random.uniform() < 0.4);
  const rules: FaultRule[] = chosen.map((fault) => ({ fault, ...RATES[fault] }));
  const visibilityLagMs = random.uniform() < 0.5 ? 0 : Math.floor(random.between(100, 4_000));
  const clockSkewMs = random.uniform() < 0.5 ? 0 : Math.floor(random.between(10, 900));
  const markets = marketsOf(seed, only);
  const world = new World({ seed, markets, faults: { rules, visibilityLagMs, clockSkewMs }, journal, log });
  prices(world, new Random(seed, 'prices'), markets.deposit === POOR ? WILD : 1);
  const kills = Math.floor(random.between(0, 4));
  let life = await started(world, kills > 0 ? deathOf(random) : undefined);
  for (let left = kills; left > 0; left--) {
    await world.clock.runTo(Math.min(T0 + TRADE_MS, world.clock.now() + random.between(1_000, TRADE_MS / 2)), () => life.over);
    if (!life.clock.dead) world.kill(life);
    await world.clock.runTo(world.clock.now() + random.between(10, 5_000));
    life = await started(world, left > 1 ? deathOf(random) : undefined);
  }
  await world.clock.runTo(T0 + TRADE_MS, () => life.over);
  while (!life.over && world.account.orders.all.length < ORDERS && world.clock.now() < T0 + LONGEST_MS) {
    await world.clock.runTo(world.clock.now() + 10_000, () => life.over);
  }
  world.restsFrom = world.clock.now();
  world.faults.set({ rules: [] });
  const quietFrom = world.clock.now();
  await world.clock.runTo(quietFrom + ARRIVED_MS, () => life.over);
  while (!life.over && fateOpen(life) && world.clock.now() < quietFrom + QUIET_MS)
    await world.clock.runTo(world.clock.now() + 1_000, () => life.over);
  await world.clock.runTo(world.clock.now() + CALM_MS, () => life.over);
  if (!life.over) {
    life.bot.stop();
    await world.clock.runTo(world.clock.now() + 70_000, () => life.over);
  }
  const findings = check(world, life, markets);
  const { length: orders } = world.account.orders.all;
  const wrong = [...findings.wrong, ...(orders < ORDERS ? [`${orders} orders are too few to prove anything`] : [])];
  const result = {
    seed,
    markets,
    orders,
    fills: world.account.orders.fills.length,
    kills,
    struck: world.struck,
    swapped: findings.swapped,
    inferred: findings.inferred,
    wrong,
  };
  if (!life.over) world.kill(life);
  else life.journal.close();
  if (replays) wrong.push(...wrongInReplay(await replayed(journal, world.plan)));
  for (const end of ['', '-wal', '-shm', '.lock', '.lock-wal', '.lock-shm', '.lock-journal']) rmSync(`${journal}${end}`, { force: true });
  return result;
}

/** Something is not known yet: whether an order lives, whether its cancel arrived, what halts an instrument. */
function fateOpen({ bot: { state } }: Life): boolean {
  const open = ['unknown', 'submitted', 'cancelPending'];
  return (
    [...state.openOrders.values()].some(({ status }) => open.includes(status)) ||
    [...state.health.values()].some(({ condition }) => condition !== 'fresh')
  );
}

type Death = Parameters<World['start']>[0];

/** Some die in a commit, others at any time. */
function deathOf(random: Random): Death {
  return random.uniform() < 0.5 ? { commit: Math.ceil(random.uniform() * 80), durable: random.uniform() < 0.5 } : undefined;
}

/** What ends by itself is started again, as a process manager does. */
async function started(world: World, death: Death): Promise<Life> {
  for (let again = false; ; again = true) {
    const life = world.start(again ? undefined : death);
    await world.clock.runTo(world.clock.now() + 1, () => life.over);
    if (!life.over) return life;
    if (!life.clock.dead) world.kill(life);
    await world.clock.runTo(world.clock.now() + 1_000);
  }
}

/** A futures wallet that a bad turn of the market takes: its prices move so many times as far. */
const POOR = '400';
const WILD = 6;

/** What the seed trades. @param only that, whatever the seed says. */
function marketsOf(seed: number, only: Markets['kind'] | undefined): Markets {
  const random = new Random(seed, 'markets');
  const drawn = random.uniform();
  const kind = only ?? (drawn < 0.3 ? 'spot' : drawn < 0.65 ? 'futures' : 'both');
  const lists = { keepTerminalOrders: random.uniform() < 0.5, keepFlatPositions: random.uniform() < 0.5 };
  const isolated = random.uniform() < 0.25;
  const separated = random.uniform() < 0.15;
  const poor = random.uniform() < 0.12;
  const leverage = new Decimal(poor ? 25 : 10);
  const mode = isolated ? 'isolated' : 'shared';
  return {
    kind,
    lists,
    margin: marginSettings({ mode, separated, longLeverage: leverage, shortLeverage: leverage }),
    deposit: poor ? POOR : '100000',
  };
}

/** Trades of small size around a walk, so that resting orders fill in part; of contracts marks and funding now and then too. */
function prices(world: World, random: Random, wildness: number): void {
  const { instruments, core } = world;
  const ticks = instruments.map(({ base, contract }) => (base === 'BTC' ? 6_000_000 : 300_000) / (contract === undefined ? 1 : 10));
  const move = () => {
    for (const { index, contract } of instruments) {
      ticks[index] = Math.round(ticks[index]! * (1 + (random.uniform() - 0.5) * 0.0012 * wildness));
      const steps = Math.ceil(random.uniform() * 120);
      core.act('price', ['trade', index, ticks[index]!, steps, random.uniform() < 0.5 ? 1 : -1]);
      if (contract === undefined) continue;
      if (random.uniform() < 0.1) core.act('price', ['mark', index, ticks[index]! + Math.round((random.uniform() - 0.5) * 20), 1]);
      if (random.uniform() < 0.01) core.act('price', ['funding', index, ((random.uniform() - 0.5) * 0.001).toFixed(6)]);
    }
    if (world.restsFrom > world.clock.now()) world.clock.schedule(world.clock.now() + PRICE_EVERY_MS, move);
  };
  move();
}
