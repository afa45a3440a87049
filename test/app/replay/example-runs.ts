import { join } from 'node:path';
import { loadConfig } from '../../../src/app/config/load-config.ts';
import { plannedStrategies } from '../../../src/app/planning/planned-strategies.ts';
import { riskLimits } from '../../../src/app/planning/risk-limits.ts';
import { Decimal } from '../../../src/model/decimal.ts';
import { Bar } from '../../../src/model/market-events.ts';
import { Random } from '../../../src/model/random.ts';
import { marginSettings, T0 } from '../../builders.ts';
import { type Life, World } from '../../faults/world.ts';
import { ROOT } from '../../support/cli.ts';

/** How an example is run: what makes it trade soon, and in what time. */
export interface Example {
  readonly name: string;
  readonly params: string;
  /** Between two looks at prices and account, in ms. */
  readonly pollMs: number;
  /** Looks of one life of the bot. */
  readonly looks: number;
}

const LIVES = 3;
const BARS = 24;
const RULES = (['dropReply', 'failAfter', 'drop', 'failBefore', 'malformed'] as const).map((fault) => ({ fault, chance: 0.04 }));
const [TICKS, WIDTH, PULL] = [{ BTC: 6_000_000, ETH: 300_000 }, 0.004, 0.02];

/** A config that makes the plan of a world's spot bot: for commands, which know no world. */
export const CONFIG_FILE = (file: string, params: string) => `name: bot
dataDir: data
account: { kind: spot, balances: { USDT: "100000" } }
instruments:
  BTC-USDT: { tickSize: "0.01", stepSize: "0.0001", makerFee: "0.001", takerFee: "0.0015" }
  ETH-USDT: { tickSize: "0.01", stepSize: "0.0001", makerFee: "0.001", takerFee: "0.0015" }
strategies: [{ id: grid, file: ${file}, symbols: [BTC-USDT], params: ${params} }]
backtest: { data: [none] }
paper: { prices: { recording: none } }
`;

/**
 * A bot that runs an example against an exchange that fails, is killed twice in the middle, told to reduce and to go on
 * again, and in the end stops.
 */
export async function runExample({ name, params, pollMs, looks }: Example, seed: number, journal: string, config?: string): Promise<World> {
  const loaded = loadConfig(config ?? join(ROOT, 'configs', `${name}.yaml`), { set: [`strategies.0.params=${params}`] });
  const { strategies, needs } = await plannedStrategies(loaded, 'paper');
  const isFutures = loaded.config.account.kind === 'futures';
  const leverage = new Decimal(5);
  const margin = marginSettings({ mode: 'shared', separated: false, longLeverage: leverage, shortLeverage: leverage });
  const lists = { keepTerminalOrders: true, keepFlatPositions: true };
  const { intervals, symbols } = needs[0]!;
  const world: World = new World({
    seed,
    markets: { kind: isFutures ? 'futures' : 'spot', lists, margin, deposit: '20000' },
    faults: { rules: RULES },
    journal,
    beatMs: 10 * pollMs,
    bot: {
      ...(config !== undefined && { origin: { version: 'test', mode: 'paper', text: loaded.text, file: loaded.file } }),
      strategies,
      // The account begins with coins of its own, which limits of a config would count.
      limits: { ...riskLimits(loaded.config.risk), maxPosition: new Map(), maxExposure: undefined },
      poll: { tickerMs: pollMs, accountMs: pollMs, lookupMs: 2 * pollMs, idleMs: 5_000, staleMs: 10 * pollMs },
      bars: {
        from: 'ticker',
        intervals: ['BTC', 'ETH'].map((base) => (symbols.some((symbol) => symbol.startsWith(base)) ? intervals : [])),
        graceMs: 2_000,
      },
      history: (_, symbol, intervalMs = intervals[0]!) => warmUp(world, symbol, intervalMs as number),
    },
  });
  const random = new Random(seed, name);
  swing(world, random, pollMs / 2);
  let left = LIVES;
  for (let life = await living(world, pollMs); ; life = await living(world, pollMs)) {
    const half = (looks * pollMs) / 2;
    await world.clock.runTo(world.clock.now() + half * (0.5 + random.uniform()), () => life.over);
    if (left === 2) life.bot.reduce('a look at latches');
    await world.clock.runTo(world.clock.now() + pollMs * 3, () => life.over);
    if (left === 2) life.bot.reset();
    await world.clock.runTo(world.clock.now() + half, () => life.over);
    if (--left === 0) {
      life.bot.stop();
      await world.clock.runTo(world.clock.now() + 10 * 60_000, () => life.over);
      if (life.failure !== undefined) throw life.failure;
      life.journal.close();
      return world;
    }
    world.kill(life);
    await world.clock.runTo(world.clock.now() + random.between(1, 30) * 1_000);
  }
}

/** A start that the exchange's faults ended is tried again, as a process manager does. */
async function living(world: World, pollMs: number): Promise<Life> {
  for (;;) {
    const life = world.start();
    await world.clock.runTo(world.clock.now() + pollMs, () => life.over);
    if (!life.over) return life;
    world.kill(life);
    await world.clock.runTo(world.clock.now() + 1_000);
  }
}

/** Prices that swing widely around where they began, in trades that fill orders in part. */
function swing(world: World, random: Random, everyMs: number): void {
  const ticks = world.instruments.map(({ base, contract }) => TICKS[base as 'BTC'] / (contract === undefined ? 1 : 10));
  const home = [...ticks];
  const move = () => {
    for (const { index } of world.instruments) {
      ticks[index] = Math.round(ticks[index]! * (1 + (random.uniform() - 0.5) * WIDTH) + (home[index]! - ticks[index]!) * PULL);
      world.core.act('price', ['trade', index, ticks[index]!, Math.ceil(random.uniform() * 9_000), random.uniform() < 0.5 ? 1 : -1]);
    }
    world.clock.schedule(world.clock.now() + everyMs, move);
  };
  move();
}

/** Bars of before the start: strategies that ask for more begin half warm. */
function warmUp({ instruments }: World, symbol: string, intervalMs: number): Bar[] {
  const instrument = instruments.find((one) => one.symbol === symbol)!;
  const ticks = TICKS[instrument.base as 'BTC'] / (instrument.contract === undefined ? 1 : 10);
  const last = Math.floor(T0 / intervalMs) * intervalMs;
  return Array.from({ length: BARS }, (_, index) => {
    const time = last - (BARS - 1 - index) * intervalMs;
    return new Bar(instrument, time, 0, intervalMs, ticks, ticks + 900, ticks - 900, ticks + (index % 7) * 100, 1);
  });
}
