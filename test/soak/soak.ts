import { join } from 'node:path';
import type { FaultKind, FaultRule } from '../../src/local-exchange/faults.ts';
import { Random } from '../../src/model/random.ts';
import { marginSettings, T0 } from '../builders.ts';
import { ExchangeSide, type Markets } from '../faults/exchange-side.ts';
import { check } from '../faults/invariants.ts';
import { SimClock } from '../faults/sim-clock.ts';
import { type Life, World } from '../faults/world.ts';
import { heapMb } from './heap.ts';
import { ExchangeThread } from './remote-exchange.ts';

const HOUR_MS = 3_600_000;
const POLL_MS = 30_000;
/** Share of prices at which the strategy does nothing. */
const IDLE = 0.7;
/** The bot is killed so often, and started again. */
const LIFE_HOURS = 8;
/** Until everything that hung on a fault must have been found out, and no fault any more. */
const QUIET_MS = 130_000;
const FAULTS: Readonly<Partial<Record<FaultKind, Omit<FaultRule, 'fault'>>>> = {
  drop: { chance: 0.004 },
  delay: { chance: 0.002, ms: [100, 29_000] },
  tooMany: { chance: 0.002 },
  failBefore: { chance: 0.004 },
  duplicate: { chance: 0.01 },
  failAfter: { chance: 0.004 },
  malformed: { chance: 0.003 },
  truncated: { chance: 0.003 },
  dropReply: { chance: 0.004 },
  drip: { chance: 0.003, ms: [1, 400] },
  redirect: { chance: 0.002 },
  page: { chance: 0.002 },
  unlisted: { chance: 0.002 },
  reset: { chance: 0.003 },
  wrongLength: { chance: 0.003 },
  oversized: { chance: 0.001 },
};

/** Of the bot alone: what its heap holds after a full collection. */
export interface HeapSample {
  readonly hours: number;
  readonly mb: number;
}

export interface SoakResult {
  readonly wrong: readonly string[];
  readonly hours: number;
  readonly requests: number;
  readonly orders: number;
  readonly fills: number;
  readonly kills: number;
  readonly struck: Readonly<Record<string, number>>;
  readonly heap: readonly HeapSample[];
}

export interface SoakOptions {
  readonly hours: number;
  readonly seed: number;
  readonly folder: string;
  /** The bundled thread of the exchange. */
  readonly program: string;
  /** Told once an hour of simulated time. */
  readonly progress?: ((hours: number, requests: number, heap: HeapSample) => void) | undefined;
}

/** A bot that trades spot and futures for so many hours of simulated time, through faults and kills. The same seed gives the same run. */
export async function soak({ hours, seed, folder, program, progress }: SoakOptions): Promise<SoakResult> {
  const rules = (Object.keys(FAULTS) as FaultKind[]).map((fault) => ({ fault, ...FAULTS[fault] }));
  const faults = { rules, visibilityLagMs: 1_000, clockSkewMs: 300 };
  const lists = { keepTerminalOrders: false, keepFlatPositions: false };
  const markets: Markets = { kind: 'both', lists, margin: marginSettings(), deposit: '100000' };
  const stateFile = join(folder, 'exchange.jsonl');
  const thread = await ExchangeThread.start(program, { seed, markets: { ...markets, margin: undefined } as never, faults, stateFile }, () =>
    world.clock.now(),
  );
  let requests = 0;
  const remote = {
    credentials: thread.credentials,
    arrive: (...request: Parameters<typeof thread.arrive>) => {
      requests++;
      return thread.arrive(...request);
    },
  };
  const poll = { tickerMs: POLL_MS, accountMs: POLL_MS, lookupMs: 20_000, idleMs: 5_000, staleMs: 180_000 };
  const world: World = new World({ seed, markets, faults, journal: join(folder, 'bot.journal'), bot: { poll }, idle: IDLE, remote });
  const random = new Random(seed, 'kills');
  const heap: HeapSample[] = [];
  let kills = 0;
  let life = await living(world);
  for (let hour = 1; hour <= hours; hour++) {
    await world.clock.runTo(T0 + hour * HOUR_MS, () => life.over);
    if (life.over) break;
    const sample = { hours: hour, mb: heapMb() };
    heap.push(sample);
    progress?.(hour, requests, sample);
    if (hour % LIFE_HOURS !== 0 || hour === hours) continue;
    kills++;
    await world.clock.runTo(world.clock.now() + random.between(1, POLL_MS), () => life.over);
    world.kill(life);
    await world.clock.runTo(world.clock.now() + random.between(10, 5_000));
    life = await living(world);
  }
  world.restsFrom = world.clock.now();
  world.faults.set({ rules: [] });
  await world.clock.runTo(world.clock.now() + QUIET_MS, () => life.over);
  if (!life.over) {
    life.bot.stop();
    await world.clock.runTo(world.clock.now() + 70_000, () => life.over);
  }
  await thread.close();
  // What the exchange has become, from what it kept of itself.
  const side = new ExchangeSide({
    seed,
    markets,
    faults,
    clock: new SimClock(world.clock.now()),
    instruments: world.instruments,
    stateFile,
  });
  world.adopt(side);
  const { wrong } = check(world, life, markets);
  const { orders } = world.account;
  side.core.close();
  life.journal.close();
  return {
    wrong,
    hours,
    requests,
    orders: orders.all.length,
    fills: orders.fills.length,
    kills,
    struck: Object.fromEntries(world.struck),
    heap,
  };
}

/** What ends by itself is started again, as a process manager does. */
async function living(world: World): Promise<Life> {
  for (;;) {
    const life = world.start();
    await world.clock.runTo(world.clock.now() + 1, () => life.over);
    if (!life.over) return life;
    world.kill(life);
    await world.clock.runTo(world.clock.now() + 1_000);
  }
}
