import { rmSync } from 'node:fs';
import type { OperationName } from '../../src/exchange/operations/operation-table.ts';
import type { Behaviour } from '../../src/local-exchange/behaviour.ts';
import type { FaultKind, FaultRule } from '../../src/local-exchange/faults.ts';
import { FUTURES_LISTS } from '../../src/local-exchange/options.ts';
import { Decimal } from '../../src/model/decimal.ts';
import { Random } from '../../src/model/random.ts';
import type { Log } from '../../src/ports/log.ts';
import { marginSettings, T0 } from '../builders.ts';
import type { Markets } from './exchange-side.ts';
import { check, type Findings } from './invariants.ts';
import { Liar, type Lies } from './liar.ts';
import type { LinkFault } from './link.ts';
import { type Deed, forgetBackup, People } from './people.ts';
import { Rare } from './rare.ts';
import { replayed, wrongInReplay } from './replayed.ts';
import { type Life, World, type WorldOptions } from './world.ts';

/**
 * The exchange misbehaves and the strategy trades for so long. Then both are quiet: until what was held up has arrived,
 * and on until no order's fate is open, at most until everything must have been found out; then a little longer.
 */
const TRADE_MS = 60_000;
const ARRIVED_MS = 30_000;
const QUIET_MS = 100_000;
const CALM_MS = 10_000;
/** The same after lies: what they have made wrong is right, or halts, within so many ms of honest answers. */
const HONEST_MS = 60_000;
const PRICE_EVERY_MS = 500;
/** Share of the seeds that want more at each price than the exchange's weights allow, and how many times as much. */
const BURSTS = 0.08;
const BURST = 5;
/** Share of the seeds in which some answers take some 10 s, and the share of their answers. */
const SLOW_SEEDS = 0.1;
const SLOW = 0.02;
/** Trading goes on until there are so many orders at the exchange, or for so long. */
const ORDERS = 20;
const LONGEST_MS = 10_800_000;

interface Rate {
  readonly chance: number;
  readonly ms?: [number, number];
  readonly operations?: readonly OperationName[];
}

const RATES: Readonly<Partial<Record<FaultKind, Rate>>> = {
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

/** Reads that may be old. */
const STALE: readonly OperationName[] = [
  'exchangeInfo',
  'ticker',
  'tickers',
  'orderInfo',
  'fills',
  'accountAssets',
  'transferRecords',
  'spotTime',
  'futuresAccount',
  'futuresBills',
  'futuresFills',
  'futuresHistory',
  'futuresOrder',
  'futuresOrders',
  'triggerHistory',
  'triggers',
];

/** The wire's own faults, drawn from a stream of their own: the draws of the others are what they were before. */
const WIRE_RATES: Readonly<Partial<Record<FaultKind, Rate>>> = {
  redirect: { chance: 0.03 },
  page: { chance: 0.03 },
  unlisted: { chance: 0.03 },
  reset: { chance: 0.04 },
  wrongLength: { chance: 0.04 },
  oversized: { chance: 0.02 },
  stale: { chance: 0.15, ms: [0, 3_000], operations: STALE },
};
const LONGEST_JUMP_MS = 20_000;

/** What of the wire the seed draws beside the older faults. */
function wireOf(seed: number): { readonly rules: FaultRule[]; readonly clockJumpMs: number } {
  const random = new Random(seed, 'wire');
  const rules = rulesOf(WIRE_RATES, () => random.uniform() < 0.35);
  return { rules, clockJumpMs: random.uniform() < 0.25 ? Math.floor(random.between(1_000, LONGEST_JUMP_MS)) : 0 };
}

function rulesOf(rates: Readonly<Partial<Record<FaultKind, Rate>>>, isChosen: () => boolean): FaultRule[] {
  const chosen = (Object.keys(rates) as FaultKind[]).filter(isChosen);
  return chosen.map((fault) => ({ fault, chance: 1, ...rates[fault] }));
}

/** What each behaviour may be: one of these, drawn by the seed. The first is the default. */
export const BEHAVIOURS: { readonly [B in keyof Behaviour]?: readonly Behaviour[B][] } = {
  marketBuyByQuote: [true, false],
  batchLimit: [10, 1, 3, 50],
  clientIdRestMs: [60_000, 5_000, 86_400_000],
  repeatedId: ['refused', 'answered'],
  failedCancel: ['result', 'refused'],
  cancelMs: [0, 1_500],
  postOnlyTaking: ['canceled', 'refused'],
  refusalStatus: ['documented', 'ok'],
  shownFirst: ['together', 'order', 'fills', 'end'],
  listOrder: ['newestFirst', 'oldestFirst', 'mixed'],
  pageLimit: [100, 20, 7],
  nextPage: ['both', 'flag', 'total'],
  periodEnds: ['inside', 'outside'],
  historyMs: [0, 3_600_000],
  emptyFields: ['sampled', 'empty', 'null'],
  zeroBalances: ['omitted', 'listed'],
  statusWords: ['open', 'new', 'capitals'],
  nameCase: ['upper', 'lower'],
  decimals: ['short', 'padded', 'numbers'],
  ids: ['documented', 'quoted', 'bare'],
  feePlaces: [-1, 8, 4],
  firedTriggerId: ['kept', 'newWithClientId', 'new'],
  currentListsTriggers: [true, false],
  createDate: ['either', 'days', 'time'],
  fillWords: ['documented', 'empty', 'odd'],
  batchReply: ['whole', 'part'],
  futuresCancelMs: [0, 1_500],
  endedCancel: ['over', 'notFound'],
};

/** How the exchange of a seed does what no document settles. */
export function behaviourOf(seed: number): Partial<Behaviour> {
  // Each from a stream of its own: one more behaviour moves no draw of the others.
  const drawn = Object.entries(BEHAVIOURS).map(([name, values]) => {
    const random = new Random(seed, `behaviour ${name}`);
    return [name, values[Math.floor(random.uniform() * values.length)]];
  });
  return Object.fromEntries(drawn) as Partial<Behaviour>;
}

/** Share of the seeds whose bot has too little weight for what it decides: orders and cancels wait, are taken back and withdrawn. */
const SCARCE = 0.25;

/** How much weight the bot of a seed has; drawn apart, so that it shifts no other draw. */
export function weightsOf(seed: number): WorldOptions['budget'] {
  const random = new Random(seed, 'weights');
  if (random.uniform() >= SCARCE) return undefined;
  const whole = (from: number, to: number) => Math.floor(random.between(from, to));
  return { ipWeight: whole(80, 200), uidWeight: whole(60, 150), actionsPerSecond: whole(2, 6) };
}

export interface SeedResult extends Findings {
  readonly seed: number;
  readonly markets: Markets;
  readonly orders: number;
  readonly fills: number;
  readonly kills: number;
  /** What people did around the bot. */
  readonly deed: Deed | undefined;
  /** It wanted more than the exchange's weights allow. */
  readonly bursts: boolean;
  /** Exits that somebody canceled at the exchange. */
  readonly canceledExits: number;
  /** Ticks or steps changed at the exchange. */
  readonly changedGrids: boolean;
  /** The exchange lied. */
  readonly lied: boolean;
  readonly struck: ReadonlyMap<FaultKind | LinkFault, number>;
}

interface SeedOptions {
  readonly log?: Log | undefined;
  /** Whatever the seed says of markets. */
  readonly only?: Markets['kind'] | undefined;
  /** Its journal is replayed, too. */
  readonly replays?: boolean;
  /** Whether the exchange may close positions by agreement; default true. */
  readonly agreements?: boolean | undefined;
  /** Whether people act around the bot; default true. */
  readonly people?: boolean | undefined;
  /** Whether the exchange lies; in some seeds by default. */
  readonly lies?: Lies | undefined;
}

/** One seed, from nothing to the last comparison. The same seed and options give the same run. */
export async function runSeed(
  seed: number,
  journal: string,
  { log, only, replays = false, agreements = true, people: arePeople = true, lies }: SeedOptions = {},
): Promise<SeedResult> {
  const random = new Random(seed, 'scenario');
  const older = rulesOf(RATES, () => random.uniform() < 0.4);
  const { rules: wire, clockJumpMs } = wireOf(seed);
  const rare = new Rare(seed);
  const liar = new Liar(seed, lies);
  const rules = [...older, ...wire, ...rare.rules];
  const visibilityLagMs = random.uniform() < 0.5 ? 0 : Math.floor(random.between(100, 4_000));
  const clockSkewMs = random.uniform() < 0.5 ? 0 : Math.floor(random.between(10, 900));
  const markets = marketsOf(seed, only, agreements);
  const people = new People(seed, markets.kind, journal, arePeople);
  // Where the exchange sets its clock back, what others fill then is stamped before what is known already: it shows in balances alone.
  const faults = { rules, visibilityLagMs, clockSkewMs, clockJumpMs: people.deed === 'hands' ? 0 : clockJumpMs };
  // Nobody else trades on the account: what halts for orders of others is wrong.
  const foreign = markets.kind === 'spot' && new Random(seed, 'foreign').uniform() < 0.5 ? 'block' : 'ignore';
  const burst = new Random(seed, 'burst').uniform() < BURSTS ? BURST : undefined;
  const behaviour = behaviourOf(seed);
  const slow = new Random(seed, 'slow').uniform() < SLOW_SEEDS ? SLOW : 0;
  const budget = weightsOf(seed);
  const world = new World({ seed, markets, faults, behaviour, budget, burst, slow, liar, rest: { foreign }, journal, log });
  prices(world, new Random(seed, 'prices'), markets.deposit === POOR ? WILD : 1);
  const kills = Math.max(Math.floor(random.between(0, 4)), people.kills);
  let life = await started(world, kills > 0 ? deathOf(random) : undefined);
  people.begin(world, () => life);
  rare.begin(world, () => life);
  liar.begin(world, () => life);
  for (let left = kills; left > 0; left--) {
    await world.clock.runTo(Math.min(T0 + TRADE_MS, world.clock.now() + random.between(1_000, TRADE_MS / 2)), () => life.over);
    if (!life.clock.dead) world.kill(life);
    await world.clock.runTo(world.clock.now() + random.between(10, 5_000));
    await people.between(world);
    life = await started(world, left > 1 ? deathOf(random) : undefined);
    await people.after(world, life);
  }
  await world.clock.runTo(T0 + TRADE_MS, () => life.over);
  // Once ticks or steps have changed, nothing opens any more, nor where something stays halted.
  while (
    !life.over &&
    !rare.hasChanged &&
    !liar.deceives &&
    world.account.orders.all.length < ORDERS &&
    world.clock.now() < T0 + LONGEST_MS
  ) {
    await world.clock.runTo(world.clock.now() + 10_000, () => life.over);
  }
  world.restsFrom = world.clock.now();
  world.faults.set({ rules: [] });
  liar.end();
  const quietFrom = world.clock.now();
  await world.clock.runTo(quietFrom + ARRIVED_MS, () => life.over);
  // A bot with little weight needs several times as long for its questions.
  const quietMs = QUIET_MS * (rare.isThere || liar.isThere ? 2 : 1) * (budget === undefined ? 1 : 3);
  const isSettling = () => !life.over && fateOpen(world, life, rare) && world.clock.now() < quietFrom + quietMs;
  do {
    while (isSettling()) {
      await world.clock.runTo(world.clock.now() + 1_000, () => life.over);
      people.see(world, life);
      rare.see(life);
      liar.see(life);
    }
    await world.clock.runTo(world.clock.now() + (liar.isThere ? HONEST_MS : CALM_MS), () => life.over);
    // What people did, or what vanished, may halt the bot late: they look at it once more.
  } while ((people.deed !== undefined || rare.isThere || liar.isThere) && isSettling());
  if (!life.over) {
    life.bot.stop();
    await world.clock.runTo(world.clock.now() + world.plan.graceMs + 10_000, () => life.over);
  }
  const findings = check(world, life, markets, people, rare, liar);
  const { length: orders } = world.account.orders.all;
  const wrong = [
    ...findings.wrong,
    ...people.check(world, life),
    ...(orders < ORDERS / 2 && !rare.hasChanged && !liar.deceives ? [`${orders} orders are too few to prove anything`] : []),
  ];
  const result = {
    seed,
    markets,
    orders,
    fills: world.account.orders.fills.length,
    kills,
    deed: people.deed,
    bursts: burst !== undefined,
    canceledExits: rare.canceled.size,
    changedGrids: rare.hasChanged,
    lied: liar.isThere,
    struck: world.struck,
    replaced: findings.replaced,
    wrong,
  };
  if (!life.over) world.kill(life);
  else life.journal.close();
  if (replays) wrong.push(...wrongInReplay(await replayed(journal, world.plan)));
  forgetBackup(journal);
  for (const end of ['', '-wal', '-shm', '.mark', '.lock', '.lock-wal', '.lock-shm', '.lock-journal'])
    rmSync(`${journal}${end}`, { force: true });
  return result;
}

/** Something is not known yet: whether an order lives, whether its cancel arrived, what halts an instrument. */
function fateOpen({ account }: World, { bot: { state } }: Life, rare: Rare): boolean {
  const open = ['unknown', 'submitted', 'cancelPending'];
  const live = rare.isThere
    ? new Set(account.orders.all.flatMap(({ clientOrderId, orderId }) => (orderId === '' ? [] : [clientOrderId])))
    : undefined;
  return (
    // What a gateway made up is noticed as missing some time later.
    [...state.openOrders.values()].some(({ held, clientOrderId }) => !held && live?.has(clientOrderId) === false) ||
    [...state.openOrders.values()].some(({ status }) => open.includes(status)) ||
    [...state.health.values()].some(({ condition, reason }) => condition !== 'fresh' && !rare.explains(reason))
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

/** What the seed trades. @param only that, whatever the seed says. @param agreements whether positions may be closed by agreement. */
function marketsOf(seed: number, only: Markets['kind'] | undefined, agreements: boolean): Markets {
  const random = new Random(seed, 'markets');
  const drawn = random.uniform();
  const kind = only ?? (drawn < 0.3 ? 'spot' : drawn < 0.65 ? 'futures' : 'both');
  const kept = { keepTerminalOrders: random.uniform() < 0.5, keepFlatPositions: random.uniform() < 0.5 };
  const lists = { ...kept, ...shownBy(seed) };
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
    agreements: agreements && kind !== 'spot' && new Random(seed, 'agreeing').uniform() < AGREEING,
  };
}

/** Share of the seeds in which the exchange closes positions by agreement. */
const AGREEING = 0.1;
/** How often it does there, at each price of a contract. */
const AGREES = 0.004;

/** How far a list of futures is behind the others, in ms. */
const LONGEST_LAG_MS = 2_500;

/** What the lists of futures show where the document leaves it open; drawn apart, so that it shifts no other draw. */
function shownBy(seed: number): Pick<Markets['lists'], 'pendingMs' | 'cancelingMs' | 'sharedMode' | 'lagMs'> {
  const random = new Random(seed, 'futures lists');
  const forMs = () => (random.uniform() < 0.5 ? 0 : Math.floor(random.between(100, 3_000)));
  const shown = { pendingMs: forMs(), cancelingMs: forMs(), sharedMode: random.uniform() < 0.5 ? ('SHARED' as const) : ('CROSS' as const) };
  const lags = new Random(seed, 'lags of futures lists');
  const lagMs = FUTURES_LISTS.map((list) => [list, lags.uniform() < 0.7 ? 0 : Math.floor(lags.between(100, LONGEST_LAG_MS))] as const);
  return { ...shown, lagMs: Object.fromEntries(lagMs) };
}

/** Trades of small size around a walk, so that resting orders fill in part; of contracts marks and funding now and then too. */
function prices(world: World, random: Random, wildness: number): void {
  const { instruments, core } = world;
  const ticks = instruments.map(({ base, contract }) => (base === 'BTC' ? 6_000_000 : 300_000) / (contract === undefined ? 1 : 10));
  const agreements = new Random(world.options.seed, 'agreements');
  const agrees = world.options.markets.agreements ? AGREES : 0;
  const move = () => {
    for (const { index, contract, symbol } of instruments) {
      ticks[index] = Math.round(ticks[index]! * (1 + (random.uniform() - 0.5) * 0.0012 * wildness));
      const steps = Math.ceil(random.uniform() * 120);
      core.act('price', ['trade', index, ticks[index]!, steps, random.uniform() < 0.5 ? 1 : -1]);
      if (contract === undefined) continue;
      if (random.uniform() < 0.1) core.act('price', ['mark', index, ticks[index]! + Math.round((random.uniform() - 0.5) * 20), 1]);
      if (agreements.uniform() < agrees) {
        const side = agreements.uniform() < 0.5 ? 'long' : 'short';
        const price = instruments[index]!.tick.toText(ticks[index]! + Math.round((agreements.uniform() - 0.5) * 50));
        core.act('agree', { uid: world.account.uid, symbol, side, price });
      }
      if (random.uniform() < 0.01) core.act('price', ['funding', index, ((random.uniform() - 0.5) * 0.001).toFixed(6)]);
    }
    if (world.restsFrom > world.clock.now()) world.clock.schedule(world.clock.now() + PRICE_EVERY_MS, move);
  };
  move();
}
