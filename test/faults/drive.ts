import { rmSync } from 'node:fs';
import type { FaultKind, FaultRule } from '../../src/local-exchange/faults/fault-settings.ts';
import type { Log } from '../../src/ports/log.ts';
import { Random } from '../../src/recording/random.ts';
import { T0 } from '../builders.ts';
import { check, type Findings } from './invariants.ts';
import { INSTRUMENTS, type Life, World } from './world.ts';

/** The exchange misbehaves and the strategy trades for so long, then both are quiet until everything must have been found out. */
const TRADE_MS = 120_000;
const QUIET_MS = 100_000;
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
  readonly orders: number;
  readonly fills: number;
  readonly kills: number;
  readonly struck: ReadonlyMap<FaultKind, number>;
}

/** One seed, from nothing to the last comparison. The same seed gives the same run. */
export async function runSeed(seed: number, journal: string, log?: Log): Promise<SeedResult> {
  const random = new Random(seed, 'scenario');
  const kinds = Object.keys(RATES) as FaultKind[];
  const chosen = kinds.filter(() => random.uniform() < 0.4);
  const rules: FaultRule[] = chosen.map((fault) => ({ fault, ...RATES[fault] }));
  const visibilityLagMs = random.uniform() < 0.5 ? 0 : Math.floor(random.between(100, 4_000));
  const clockSkewMs = random.uniform() < 0.5 ? 0 : Math.floor(random.between(10, 900));
  const world = new World({ seed, faults: { rules, visibilityLagMs, clockSkewMs }, journal, log });
  prices(world, new Random(seed, 'prices'));
  const kills = Array.from({ length: Math.floor(random.between(0, 4)) }, () => random.between(T0 + 2_000, T0 + TRADE_MS)).sort(
    (a, b) => a - b,
  );
  let life = await started(world);
  for (const at of kills) {
    await world.clock.runTo(at, () => life.over);
    if (life.over) break;
    world.kill(life);
    await world.clock.runTo(at + random.between(10, 5_000));
    life = await started(world);
  }
  await world.clock.runTo(T0 + TRADE_MS, () => life.over);
  while (!life.over && world.account.orders.all.length < ORDERS && world.clock.now() < T0 + LONGEST_MS) {
    await world.clock.runTo(world.clock.now() + 10_000, () => life.over);
  }
  world.resting = true;
  world.faults.set({ rules: [] });
  await world.clock.runTo(world.clock.now() + QUIET_MS, () => life.over);
  if (!life.over) {
    life.bot.stop();
    await world.clock.runTo(world.clock.now() + 70_000, () => life.over);
  }
  const findings = check(world, life);
  const entries = world.account.orders.all;
  const result = {
    seed,
    orders: entries.length,
    fills: world.account.orders.fills.length,
    kills: kills.length,
    struck: world.struck,
    ...findings,
  };
  if (!life.over) world.kill(life);
  else life.journal.close();
  for (const end of ['', '-wal', '-shm', '.lock', '.lock-wal', '.lock-shm', '.lock-journal']) rmSync(`${journal}${end}`, { force: true });
  return result;
}

/** A bot that the exchange does not let start is started again, as a process manager does. */
async function started(world: World): Promise<Life> {
  for (;;) {
    const life = world.start();
    let ready = false;
    void life.ended.catch(() => {});
    await world.clock.runTo(world.clock.now() + 1, () => life.over);
    ready = !life.over;
    if (ready) return life;
    world.kill(life);
    await world.clock.runTo(world.clock.now() + 1_000);
  }
}

/** Trades of small size around a walk: resting orders fill in part. */
function prices(world: World, random: Random): void {
  const ticks = [6_000_000, 300_000];
  const move = () => {
    for (const { index } of INSTRUMENTS) {
      ticks[index] = Math.round(ticks[index]! * (1 + (random.uniform() - 0.5) * 0.0012));
      const steps = Math.ceil(random.uniform() * 120);
      world.core.act('price', ['trade', index, ticks[index]!, steps, random.uniform() < 0.5 ? 1 : -1]);
    }
    if (!world.resting) world.clock.schedule(world.clock.now() + PRICE_EVERY_MS, move);
  };
  move();
}
