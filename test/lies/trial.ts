import { rmSync } from 'node:fs';
import type { OrderEntry } from '../../src/local-exchange/core/order-store.ts';
import type { AccountEvent } from '../../src/model/account-events.ts';
import type { Decimal } from '../../src/model/decimal.ts';
import type { Ticker } from '../../src/model/market-events.ts';
import type { OrderRequest } from '../../src/model/order.ts';
import { isTerminal } from '../../src/model/order-state.ts';
import { Random } from '../../src/model/random.ts';
import type { Log } from '../../src/ports/log.ts';
import type { Intents } from '../../src/strategy/strategy.ts';
import { marginSettings, T0 } from '../builders.ts';
import { ExchangeSide, type Markets } from '../faults/exchange-side.ts';
import { EXIT } from '../faults/lost-exits.ts';
import { RandomTrader } from '../faults/random-trader.ts';
import { type Life, World } from '../faults/world.ts';
import { Liar, type Lie, type Moment } from './lie.ts';

// The trial of one lie, in ms of simulated time: a bot trades, one field lies, and it is honest again.
const TIMES: Readonly<Record<Moment, { readonly liesAt: number; readonly forMs: number; readonly restsAt: number }>> = {
  trading: { liesAt: T0 + 10_000, forMs: 10_000, restsAt: T0 + 23_000 },
  resting: { liesAt: T0 + 12_000, forMs: 18_000, restsAt: T0 + 9_000 },
  starting: { liesAt: T0 + 10_000, forMs: 10_000, restsAt: T0 + 23_000 },
  minute: { liesAt: T0 + 58_000, forMs: 10_000, restsAt: T0 + 71_000 },
};
/** The bot agrees with the exchange so long after the last lie, or is halted. */
const WITHIN_MS = 60_000;
/** Prices move for so long after the last lie: what they cause is known in the end. From then on, figures that agree for some time do. */
const MOVES_MS = 20_000;
const AGREES_MS = 6_000;
const PRICE_EVERY_MS = 500;
/** Figures may differ for so long without a word: records are late. */
const SILENT_MS = 20_000;
/** From one look at the figures to the next. */
const LOOK_MS = 1_000;

const SEED = 4;
const MARKETS: Markets = {
  kind: 'both',
  lists: { keepTerminalOrders: false, keepFlatPositions: true },
  margin: marginSettings({ mode: 'shared' }),
  deposit: '100000',
};

export interface Outcome {
  readonly name: string;
  /** How many replies lied. */
  readonly told: number;
  readonly orders: number;
  /** Empty: all as required. */
  readonly wrong: readonly string[];
  /** How it ended: equal, or halted. */
  readonly halts: readonly string[];
}

/** Trades by a seed, and remembers what it asked for. */
class Witnessed extends RandomTrader {
  override onTicker(ticker: Ticker): Intents {
    const intents = super.onTicker(ticker);
    const { asked } = this.params as { asked: Map<string, number> };
    for (const intent of intents === undefined ? [] : [intents].flat()) {
      if (intent.kind !== 'place') continue;
      const { symbol, side, positionSide = 'net' } = intent as { symbol: string; side: string; positionSide?: string };
      const key = `${symbol} ${side} ${positionSide}`;
      asked.set(key, (asked.get(key) ?? 0) + 1);
    }
    return intents;
  }
}

/** @param lie undefined: the exchange is honest all the time. */
export async function trial(lie: Lie | undefined, journal: string, log?: Log): Promise<Outcome> {
  const { moment = 'trading', operation: lying } = lie ?? {};
  const { liesAt, forMs, restsAt } = TIMES[moment];
  const honestAt = liesAt + forMs;
  const warnings: number[] = [];
  const asked = new Map<string, number>();
  const remote = { arrive: undefined as never as ExchangeSide['arrive'], credentials: undefined as never };
  const world: World = new World({
    seed: SEED,
    markets: MARKETS,
    faults: {},
    journal,
    remote,
    log: {
      debug: (...said) => log?.debug(...said),
      info: (...said) => log?.info(...said),
      warn: (...said) => {
        warnings.push(world.clock.now());
        log?.warn(...said);
      },
    },
    bot: {
      strategies: [
        {
          id: 'random',
          symbols: ['BTC-USDT', 'ETH-USDT', 'BTC-USDT-PERP', 'ETH-USDT-PERP'],
          params: { seed: SEED, resting: (now: number) => now > restsAt, idle: 0.4, asked },
          create: (context) => new Witnessed(context),
        },
      ],
      onStop: 'keep',
    },
  });
  const { clock, instruments } = world;
  const side = new ExchangeSide({ seed: SEED, markets: MARKETS, faults: {}, clock, instruments });
  world.adopt(side);
  remote.credentials = side.account.identity.credentials as never;
  const liar = lie === undefined ? undefined : new Liar(lie);
  remote.arrive = (operation, request, fate) => {
    const reply = side.arrive(operation, request, fate);
    if (liar === undefined || operation.name !== lying || reply.status !== 200) return reply;
    const key = `${request.target} ${Buffer.from(request.body).toString()}`.replaceAll(/\d{13}/g, '');
    const now = clock.now();
    if (now < liesAt) liar.hear(key, reply.body);
    if (now < liesAt || now >= honestAt) return reply;
    return { ...reply, body: liar.tell(key, reply.body) };
  };
  moveMarket(world, liesAt, honestAt + MOVES_MS);
  let life = world.start();
  await clock.runTo(liesAt, () => life.over);
  if (moment === 'starting' && !life.over) {
    world.kill(life);
    life = world.start();
  }
  const wrong: string[] = [];
  const differsSince = new Map<string, number>();
  let isSilent = false;
  let agreesSince = Number.NaN;
  while (!life.over && clock.now() < honestAt + WITHIN_MS && !(clock.now() - agreesSince >= AGREES_MS)) {
    await clock.runTo(clock.now() + LOOK_MS, () => life.over);
    const now = clock.now();
    const differences = differencesOf(world, life);
    const agrees = differences.length === 0 && healthOf(life).length === 0 && now >= honestAt + MOVES_MS;
    agreesSince = !agrees ? Number.NaN : Number.isNaN(agreesSince) ? now : agreesSince;
    for (const text of differsSince.keys()) if (!differences.includes(text)) differsSince.delete(text);
    for (const text of differences) {
      const since = differsSince.get(text) ?? now;
      differsSince.set(text, since);
      const isSaid = healthOf(life).length > 0 || (warnings.at(-1) ?? 0) >= Math.min(since, liesAt);
      if (now - since < SILENT_MS || isSaid || isSilent) continue;
      isSilent = true;
      wrong.push(`nothing was said for ${SILENT_MS} ms: ${text}`);
    }
  }
  if (life.over) wrong.push(`the bot ended with ${String(life.failure)}`);
  const halts = healthOf(life);
  if (halts.length === 0) wrong.push(...differencesOf(world, life));
  wrong.push(...orderSurplus(world, life, asked));
  const outcome = { name: lie?.name ?? 'honest', told: liar?.told ?? 0, orders: side.account.orders.all.length, wrong, halts };
  if (!life.over) world.kill(life);
  else life.journal.close();
  for (const end of ['', '-wal', '-shm', '.mark', '.lock', '.lock-wal', '.lock-shm', '.lock-journal'])
    rmSync(`${journal}${end}`, { force: true });
  return outcome;
}

/** Trades of small size around a walk; funding and transfers about the time of the lies. */
function moveMarket({ instruments, core, clock, account }: World, liesAt: number, until: number): void {
  const random = new Random(SEED, 'prices');
  const ticks = instruments.map(({ base, contract }) => (base === 'BTC' ? 6_000_000 : 300_000) / (contract === undefined ? 1 : 10));
  const move = () => {
    for (const { index, contract } of instruments) {
      ticks[index] = Math.round(ticks[index]! * (1 + (random.uniform() - 0.5) * 0.0012));
      const most = contract === undefined ? 300 : 6_000;
      core.act('price', ['trade', index, ticks[index]!, Math.ceil(random.uniform() * most), random.uniform() < 0.5 ? 1 : -1]);
      if (contract !== undefined && random.uniform() < 0.1) core.act('price', ['mark', index, ticks[index]!, 1]);
    }
    if (clock.now() < until) clock.schedule(clock.now() + PRICE_EVERY_MS, move);
  };
  move();
  for (const { index, contract } of instruments)
    if (contract !== undefined) clock.schedule(liesAt + 3_000 + index, () => core.act('price', ['funding', index, '0.0001']));
  const { uid } = account;
  clock.schedule(liesAt - 1_000, () => core.act('transfer', { uid, coin: 'USDT', from: 'spot', to: 'futures', amount: '250' }));
}

/** What the bot says of itself, where it is not well. */
function healthOf({ bot: { state } }: Life): string[] {
  return [...state.health.values()].flatMap(({ condition, subject, symbol, reason }) =>
    condition === 'fresh' ? [] : [`${subject} ${symbol} is ${condition}: ${reason}`],
  );
}

/** What the bot has otherwise than the exchange: balances, frozen amounts, positions, orders, and what its strategy holds. */
function differencesOf(world: World, { bot: { state } }: Life): string[] {
  const { account, core, instruments } = world;
  const found: string[] = [];
  const unlike = (what: string, here: Decimal | number | string, there: Decimal | number | string) => {
    if (String(here) !== String(there)) found.push(`${what}: ${String(here)} here, ${String(there)} there`);
  };
  for (const { name } of core.exchange.coins) {
    const [here, there] = [state.portfolio.balance(name, 'spot'), account.spot.ledger.balance(name)];
    unlike(name, here.total.toFixed(), there.total.toFixed());
    unlike(`${name} frozen`, here.frozen.toFixed(), there.frozen.toFixed());
  }
  const [here, there] = [state.portfolio.balance('USDT', 'futures'), account.futures.ledger.balance('USDT')];
  unlike('futures USDT', here.total.toFixed(), there.total.toFixed());
  unlike('futures USDT frozen', here.frozen.toFixed(), there.frozen.toFixed());
  const book = state.bookOf('random');
  for (const instrument of instruments) {
    if (instrument.contract === undefined) continue;
    for (const side of ['long', 'short'] as const) {
      const steps = account.futures.heldSteps(instrument, side);
      unlike(`${instrument.symbol} ${side}`, Math.abs(state.position(instrument, side).steps), steps);
      unlike(`${instrument.symbol} ${side} of the strategy`, Math.abs(book.position(instrument, side).steps), steps);
    }
  }
  for (const entry of account.orders.all) {
    const { clientOrderId, orderId, end, fills } = entry;
    if (orderId === '' || clientOrderId === '') continue;
    const order = state.order(clientOrderId);
    if (order === undefined) {
      found.push(`${clientOrderId} is not known here`);
      continue;
    }
    unlike(`${clientOrderId} filled`, order.filledSteps, filledOf(entry));
    const isOver = isTerminal(order.status);
    if (isOver !== (end !== undefined) || fills.length < 0)
      found.push(`${clientOrderId} is ${order.status} here, ${end?.how ?? 'open'} there`);
  }
  const live = new Set(account.orders.all.filter(({ orderId }) => orderId !== '').map(({ clientOrderId }) => clientOrderId));
  for (const { clientOrderId, held, status } of state.openOrders.values())
    if (!held && !live.has(clientOrderId)) found.push(`${clientOrderId} is ${status} here, and not there`);
  return found;
}

/** Of an order that the journal lacks: found already. */
const NOBODYS = { side: 'sell', tag: '' } as OrderRequest;

/** The engine's own: exits, and what takes back what an amended order bought too much. */
const OWN_TAGS = /^$|^overshoot$|(stopLoss|takeProfit|trailingStop)$/;

function filledOf({ fills }: OrderEntry): number {
  return fills.reduce((sum, { fill }) => sum + fill.steps, 0);
}

/**
 * Orders beyond what the strategy asked for and its exits: unknown ones, one id twice, more that open than it asked for, and exits of what
 * was never bought. What closes a part of a contract is sent again as the position changes, and cannot be more than that.
 */
function orderSurplus(world: World, { journal }: Life, asked: ReadonlyMap<string, number>): string[] {
  const wrong: string[] = [];
  const submitted = new Map<string, OrderRequest>();
  for (const { kind, value } of journal.records()) {
    if (kind !== 'event') continue;
    const { event } = value as { readonly event: AccountEvent };
    if (event.kind === 'orderSubmitted') submitted.set(event.clientOrderId, event.request);
  }
  const counts = new Map<string, number>();
  const ids = new Set<string>();
  for (const { clientOrderId, orderId } of world.account.orders.all) {
    if (orderId === '' || clientOrderId === '') continue;
    if (ids.has(clientOrderId)) wrong.push(`${clientOrderId} is at the exchange twice`);
    ids.add(clientOrderId);
    const request = submitted.get(clientOrderId);
    if (request === undefined) wrong.push(`${clientOrderId} is nobody's`);
    else if (!OWN_TAGS.test(request.tag)) wrong.push(`${clientOrderId} has the tag ${request.tag}`);
    else if (request.tag === '' && !request.reduceOnly && request.replaces === undefined) {
      const key = `${request.instrument.symbol} ${request.side} ${request.positionSide}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  for (const [key, count] of counts)
    if (count > (asked.get(key) ?? 0)) wrong.push(`${count} orders of ${key}, ${asked.get(key) ?? 0} asked for`);
  for (const { symbol, contract } of world.instruments) {
    if (contract !== undefined) continue;
    const filledBy = (isIt: (request: OrderRequest) => boolean) =>
      world.account.orders.all
        .filter(({ clientOrderId, instrument }) => instrument.symbol === symbol && isIt(submitted.get(clientOrderId) ?? NOBODYS))
        .reduce((sum, entry) => sum + filledOf(entry), 0);
    const [bought, exited] = [filledBy(({ side }) => side === 'buy'), filledBy(({ tag }) => EXIT.test(tag))];
    if (exited > bought) wrong.push(`exits sold ${exited} steps of ${symbol}, and ${bought} were bought`);
  }
  return wrong;
}
