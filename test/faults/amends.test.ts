import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { OperationName } from '../../src/exchange/operations/operation-table.ts';
import type { WireReply } from '../../src/local-exchange/http/answering.ts';
import type { AccountEvent } from '../../src/model/account-events.ts';
import type { Ticker } from '../../src/model/market-events.ts';
import { Random } from '../../src/model/random.ts';
import { amend, place } from '../../src/strategy/intents.ts';
import { type Intents, Strategy } from '../../src/strategy/strategy.ts';
import { marginSettings } from '../builders.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ExchangeSide, type Markets } from './exchange-side.ts';
import { World } from './world.ts';

const folder = temporaryFolder('amends');
const TOTAL = 1_000;
const SECONDS = 30;

/** Asks for 0.1 in all, and moves its bid at each price. */
class Moving extends Strategy {
  #tickers = 0;

  override onTicker({ symbol, last }: Ticker): Intents {
    const { price } = this.params as { price: (tickers: number, last: number) => number };
    const at = price(this.#tickers++, last);
    const positionSide = symbol.endsWith('-PERP') ? { positionSide: 'long' as const } : {};
    if (this.#tickers === 1) return place({ symbol, side: 'buy', type: 'limit', price: at, quantity: '0.1', ref: 'bid', ...positionSide });
    if (this.orders(symbol).length === 0) return undefined;
    return amend({ ref: 'bid', price: at, quantity: '0.1' });
  }
}

interface Timing {
  readonly seed: number;
  readonly kind: 'spot' | 'futures';
  /** An order that has ended by a fill is shown as canceled once its cancel was answered, and its fills appear later. */
  readonly lies: boolean;
  /** Balances are as late as fills, and the bot is told that nothing is: replacements go out before the fills are known. */
  readonly tooSoon?: boolean;
}

interface Outcome {
  /** Steps that were bought at the exchange. */
  readonly bought: number;
  readonly replacements: number;
  /** Replacements for more than what was left by the fills that the bot knew. */
  readonly tooLarge: readonly string[];
  /** Steps of the bot's orders that are open at the exchange in the end. */
  readonly open: number;
  /** Steps that the bot knows as bought. */
  readonly known: number;
  /** Fills of orders whose replacement had been sent. */
  readonly late: number;
  /** An order was taken for vanished. */
  readonly vanished: boolean;
}

/** One bot through half a minute: an order that is moved each second, fills at a drawn time, and answers that come late. */
async function story({ seed, kind, lies, tooSoon = false }: Timing): Promise<Outcome> {
  const random = new Random(seed, `amends ${kind}`);
  const lagMs = Math.floor(random.between(0, 3_000));
  const fillsAt = random.between(2_000, 12_000);
  const part = random.uniform() < 0.5 ? TOTAL : Math.ceil(random.between(1, TOTAL));
  const shownFirst = (['together', 'order', 'fills', 'end'] as const)[Math.floor(random.uniform() * 4)]!;
  const cancelMs = random.uniform() < 0.3 ? 1_500 : 0;
  const markets: Markets = {
    kind,
    lists: { keepTerminalOrders: random.uniform() < 0.5, keepFlatPositions: true },
    margin: marginSettings(),
    deposit: '100000',
  };
  const canceled = new Set<string>();
  const aged = new LateReplies();
  const remote = { arrive: undefined as never as ExchangeSide['arrive'], credentials: undefined as never };
  const price = (tickers: number, last: number) => Math.round(last * (tickers % 2 === 0 ? 0.9995 : 0.9994));
  const world = new World({
    seed,
    markets,
    faults: {},
    journal: join(folder, `${kind}-${lies}-${tooSoon}-${seed}.journal`),
    rest: { visibilityLagMs: tooSoon ? 0 : 2 * lagMs + 1_000 },
    remote,
    bot: {
      strategies: [
        {
          id: 'moving',
          symbols: [kind === 'spot' ? 'BTC-USDT' : 'BTC-USDT-PERP'],
          params: { price },
          create: (context) => new Moving(context),
        },
      ],
      onStop: 'keep',
    },
  });
  const { clock, instruments } = world;
  const side = new ExchangeSide({
    seed,
    markets,
    faults: { visibilityLagMs: lagMs },
    behaviour: { shownFirst, cancelMs },
    clock,
    instruments,
  });
  world.adopt(side);
  const { account, core } = side;
  remote.credentials = account.identity.credentials as never;
  remote.arrive = (operation, request, fate) => {
    const reply = side.arrive(operation, request, fate);
    if (operation.name === 'futuresAccount' || (tooSoon && operation.name === 'accountAssets')) return aged.pass(reply, clock.now(), lagMs);
    return lies ? lied(operation.name as OperationName, reply, side, canceled) : reply;
  };
  const [btc] = instruments;
  const ticks = kind === 'spot' ? 6_000_000 : 600_000;
  const life = world.start();
  const began = clock.now();
  let sales = [part, 3 * TOTAL];
  for (let ms = 0; ms < SECONDS * 1_000; ms += 250) {
    await clock.runTo(began + ms);
    core.act('price', ['trade', btc!.index, ticks + (ms / 250) * 10, 1_000, 1]);
    const [steps] = sales;
    if (steps === undefined || ms < fillsAt + (sales.length === 1 ? 12_000 : 0)) continue;
    // A sale of so much at the bid, at a drawn moment of a round: again at the next price if there was no bid.
    await clock.runTo(began + ms + Math.floor(random.uniform() * 250));
    const before = account.orders.fills.length;
    core.act('price', ['trade', btc!.index, Math.round(ticks * 0.999), steps, -1]);
    core.act('price', ['trade', btc!.index, ticks, 1_000, 1]);
    if (account.orders.fills.length > before || sales.length === 1) sales = sales.slice(1);
  }
  await clock.runTo(clock.now() + 20_000);
  const tooLarge: string[] = [];
  let known = 0;
  const replaced = new Set<string>();
  let late = 0;
  let vanished = false;
  for (const { kind: record, value } of life.journal.records()) {
    if (record !== 'event') continue;
    const { event } = value as { readonly event: AccountEvent };
    if (event.kind === 'orderFilled') {
      known += event.fill.steps;
      if (replaced.has(event.clientOrderId)) late++;
    }
    vanished ||= event.kind === 'orderVanished';
    if (event.kind !== 'orderSubmitted' || event.request.replaces === undefined || event.again) continue;
    replaced.add(event.request.replaces);
    if (event.request.steps! > TOTAL - known) tooLarge.push(`${event.clientOrderId}: ${event.request.steps} with ${known} filled`);
  }
  const bought = account.orders.fills.reduce((sum, { fill }) => sum + fill.steps, 0);
  const open = account.orders.live.reduce(
    (sum, { request, fills }) => fills.reduce((rest, { fill }) => rest - fill.steps, sum + request.steps!),
    0,
  );
  if (!life.over) world.kill(life);
  return { bought, replacements: replaced.size, tooLarge, open, known, late, vanished };
}

/** What a read shows is as old as its lag, where an earlier reply is that old: never older than the read before it. */
class LateReplies {
  readonly #kept: { readonly reply: WireReply; readonly time: number }[] = [];

  pass(reply: WireReply, time: number, lagMs: number): WireReply {
    this.#kept.push({ reply, time });
    while (this.#kept.length > 1 && this.#kept[1]!.time <= time - lagMs) this.#kept.shift();
    return this.#kept[0]!.reply;
  }
}

/** A spot cancel is always answered with success, and an order that has ended is shown as canceled from then on. */
function lied(name: OperationName, reply: WireReply, { account, core }: ExchangeSide, canceled: Set<string>): WireReply {
  if (reply.status !== 200) return reply;
  const id = /"order_?[iI]d":"?(\d+)"?/.exec(reply.body)?.[1] ?? '';
  if (name === 'cancelOrder' || name === 'cancelFuturesOrder') {
    canceled.add(id);
    return { ...reply, body: reply.body.replace('"result":false', '"result":true').replace(/"err_(code|msg)":"[^"]*"/g, '"err_$1":null') };
  }
  const entry = account.orders.find('spot', id, undefined);
  if (name !== 'orderInfo' || !canceled.has(id) || entry?.end === undefined || entry.endShown(core.now()) !== undefined) return reply;
  return { ...reply, body: reply.body.replace(/"status":"[^"]*"/, '"status":"cancelled"') };
}

const SEEDS = Array.from({ length: Number(process.env.SEEDS ?? 10) }, (_, index) => index + Number(process.env.SEEDS_FROM ?? 1));

const CASES: readonly (readonly [string, Omit<Timing, 'seed'>])[] = [
  ['spot', { kind: 'spot', lies: false }],
  ['spot, cancels of filled orders are answered with success', { kind: 'spot', lies: true }],
  ['futures, cancels of filled orders are answered with success', { kind: 'futures', lies: true }],
  ['spot, a fill shows after the replacement', { kind: 'spot', lies: true, tooSoon: true }],
];

test.each(CASES)('an order that is moved each second buys its total once: %s', async (_, timing) => {
  const wrong: string[] = [];
  let replacements = 0;
  let late = 0;
  for (const seed of SEEDS) {
    const outcome = await story({ ...timing, seed });
    replacements += outcome.replacements;
    late += outcome.late;
    // A bot that knows of no lag takes an order that lags for vanished: it halts, and sends no replacement of it.
    const isWhole = outcome.bought + outcome.open === TOTAL || (outcome.vanished && outcome.bought + outcome.open < TOTAL);
    if (!isWhole) wrong.push(`seed ${seed}: bought ${outcome.bought}, open ${outcome.open}`);
    if (outcome.tooLarge.length > 0) wrong.push(`seed ${seed}: ${outcome.tooLarge.join('; ')}`);
    if (outcome.known !== outcome.bought) wrong.push(`seed ${seed}: ${outcome.known} known of ${outcome.bought}`);
  }
  expect(wrong).toEqual([]);
  // It has moved, and fills came after replacements where they should, or this proves nothing.
  expect(replacements).toBeGreaterThan(SEEDS.length);
  expect(late > 0).toBe(timing.tooSoon === true);
});
