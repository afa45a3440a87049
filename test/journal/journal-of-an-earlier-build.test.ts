import { createHmac } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import Database from 'libsql';
import { type Line, launch } from '../app/live/bot-process.ts';
import { runCli } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** What the journal in `earlier-build/<market>` holds, read from the log of the bot that wrote it (README.md there). */
interface Written {
  readonly market: 'spot' | 'futures';
  /** What all client ids begin with: they contain when the journal was created. */
  readonly ids: string;
  /** Numbers at the end of client ids: limits and triggers that are open at the exchange. */
  readonly atExchange: readonly number[];
  /** Open orders that the engine holds until their price is reached. */
  readonly held: readonly number[];
  /** The limit at 58000, which is filled after the restart. */
  readonly second: number;
  /** The first number that no order has had. */
  readonly next: number;
  readonly positions: object;
  /** Of each run, a hash over its intents and denials. */
  readonly decisions: readonly string[];
}

const SPOT: Written = {
  market: 'spot',
  ids: 'earlierbui-steps-m5d4rz1e-',
  atExchange: [3, 5, 9],
  held: [6, 7],
  second: 3,
  next: 11,
  // Bought 0.5 less 0.15 %, 0.01 less 0.1 % and 0.01 less 0.15 %: 0.519225, shown in whole steps.
  positions: { 'BTC-USDT': '0.5192' },
  decisions: [
    '4c47e8a50950e978e6b7a796f39b7fd80cd733a10c8fd85164fce6929a4c2dd5',
    '85fcb44755fb8825d3478aba4457ff4e12e6273334456b78c0929659db2ef806',
  ],
};

const FUTURES: Written = {
  market: 'futures',
  ids: 'earlierbui-steps-m5d4ryyo-',
  atExchange: [2, 3, 5, 7, 8, 11],
  held: [9],
  second: 5,
  next: 13,
  positions: { 'BTC-USDT-PERP:long': '0.11', 'BTC-USDT-PERP:short': '-0.01' },
  decisions: [
    'f1bca309f53248509e28accf1d5af018b14d0f598ec207f9e33b862a7a9e6230',
    '44243641152275148b036f51ed9351391972fd3d3818fa2ab663a5e04122d3e6',
  ],
};

/** A copy of the bot's folder, as its program left it. */
function copyOf({ market }: Written) {
  const folder = temporaryFolder(`earlier-${market}`);
  const bot = join(folder, 'runs', `earlier-build-${market}-live`);
  const journal = join(bot, 'journal.sqlite');
  const [config, state] = [join(folder, 'bot.yaml'), join(folder, 'exchange.state')];
  cpSync(join(import.meta.dirname, 'earlier-build', market), folder, { recursive: true });
  mkdirSync(bot, { recursive: true });
  cpSync(join(folder, 'journal.sqlite'), journal);
  // The number of the format has grown since, because of events that these journals do not have.
  const file = new Database(journal);
  file.exec('PRAGMA user_version = 3');
  file.close();
  const json = async (args: readonly string[], env = {}): Promise<Line> => JSON.parse((await runCli(folder, args, { env })).stdout);
  return { folder, journal, config, state, json, replay: () => json(['replay', bot, '--strategy-dir', folder, '--json']) };
}

type Copy = ReturnType<typeof copyOf>;

/** Client ids of the orders that are open by the journal's events alone: submitted, and not over. */
function openIn({ journal }: Copy): string[] {
  const database = new Database(journal);
  const rows = database.prepare(`SELECT body FROM records WHERE kind = 'event' ORDER BY id`).all() as { body: string }[];
  database.close();
  const open = new Set<string>();
  for (const { body } of rows) {
    const { kind, clientOrderId, complete } = JSON.parse(body).event;
    if (kind === 'orderSubmitted') open.add(clientOrderId);
    if (/^order(Canceled|Rejected|Expired|Denied)$/.test(kind) || complete === true) open.delete(clientOrderId);
  }
  return [...open].sort();
}

/** Client ids of all orders that ever reached the exchange, as often as they did, by its memory file. */
function placedIn({ state }: Copy): string[] {
  // The first line names the exchange's config.
  const [, ...lines] = readFileSync(state, 'utf8').trimEnd().split('\n');
  return lines.flatMap((line) => {
    const [, kind, what] = JSON.parse(line);
    if (kind === 'placeSpot') return what.orders.map((order: Line) => order.clientOrderId);
    return kind === 'placeTrigger' ? [what.order.clientOid] : [];
  });
}

/** The exchange of the copy, in a process of its own, with its memory. */
async function exchangeOf({ folder, state }: Copy, market: Written['market']) {
  const running = launch(['exchange', join(folder, 'exchange.yaml'), '--json', '--state', state]);
  const { spot, futures, control, accounts }: Line = await running.line(() => true);
  const [{ key, secret, passphrase }] = accounts;
  const env = { TIDEGATE_API_KEY: key, TIDEGATE_API_SECRET: secret, TIDEGATE_API_PASSPHRASE: passphrase };
  const ask = async (url: string, method: 'GET' | 'POST', target: string, body = ''): Promise<Line> => {
    const { data: time }: Line = await (await fetch(`${spot}/api/v2/public/time`)).json();
    const sign = createHmac('sha256', secret).update(`${time}${method}${target}${body}`).digest('base64');
    const access = { 'ACCESS-KEY': key, 'ACCESS-PASSPHRASE': passphrase, 'ACCESS-TIMESTAMP': String(time), 'ACCESS-SIGN': sign };
    const headers = { ...access, 'content-type': 'application/json' };
    return (await fetch(`${url}${target}`, { method, headers, ...(body !== '' && { body }) })).json();
  };
  const spotOrder = async (clientOrderId: string): Promise<Line[]> =>
    (await ask(spot, 'POST', '/api/v2/trade/orderInfo', JSON.stringify({ clientOrderId }))).data ?? [];
  return {
    env,
    set: ['--set', `live.spotBaseUrl=${spot}`, '--set', `live.contractBaseUrl=${futures}`],
    async price(price: string): Promise<void> {
      const body = JSON.stringify({ symbol: market === 'spot' ? 'BTC-USDT' : 'BTC-USDT-PERP', price });
      const reply = await fetch(`${control}/control/price`, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
      expect(reply.status).toBe(200);
    },
    /** Which of these it has as open; for futures, all that it has. */
    async open(ids: readonly string[]): Promise<string[]> {
      const lists = market === 'spot' ? ids.map(spotOrder) : [ask(futures, 'GET', '/capi/v2/order/current')];
      const orders: Line[] = (await Promise.all(lists)).flat();
      const open = orders.filter(({ status }) => !/^(full_fill|filled|cancel)/.test(status));
      return open.map((order) => order.clientOrderId ?? order.client_oid).sort();
    },
    async stop(): Promise<void> {
      running.child.kill('SIGTERM');
      expect(await running.exit).toBe(0);
    },
  };
}

test.each([SPOT, FUTURES])(
  'the journal of a $market bot of an earlier build replays to the same decisions, and the bot goes on from it with no order lost or doubled',
  async (written) => {
    const { market, ids, atExchange, held, second, next, positions, decisions } = written;
    const id = (number: number) => `${ids}${number}`;
    const copy = copyOf(written);
    const open = atExchange.map(id).sort();
    expect(openIn(copy)).toEqual([...open, ...held.map(id)].sort());
    expect(await copy.replay()).toMatchObject({
      identical: true,
      untold: 0,
      changed: [],
      runs: [
        { end: 'cut', decisions: decisions[0] },
        { end: 'stopped', decisions: decisions[1] },
      ],
    });

    const before = placedIn(copy);
    const exchange = await exchangeOf(copy, market);
    expect(await exchange.open(open)).toEqual(open);
    const bot = launch(['live', copy.config, ...exchange.set], exchange.env);
    expect(await bot.said('ready')).toMatchObject({ resumed: true, differences: 0 });
    const status = await copy.json(['status', copy.config, '--json']);
    const count = (Object.values(status.openOrders) as number[]).reduce((sum, one) => sum + one, 0);
    expect([status.latches, status.health, count]).toEqual([[], [], open.length + held.length]);
    expect(status.positions).toEqual(positions);

    // The strategy goes on at its seventh price, where it places one order more.
    await exchange.price('59600');
    await bot.line(({ msg, clientOrderId }) => msg === 'orderAccepted' && clientOrderId === id(next));
    expect(await exchange.open([...open, id(next)])).toEqual([...open, id(next)].sort());
    await exchange.price('57900');
    await bot.line(({ msg, clientOrderId }) => msg === 'orderFilled' && clientOrderId === id(second));
    await bot.line(({ msg, step }) => msg === 'seen' && step === 8);
    bot.child.kill('SIGTERM');
    expect(await bot.exit).toBe(0);

    const messages = ['seen', 'orderSubmitted', 'orderFilled', 'orderCanceled'];
    const told = bot.lines.filter(({ msg }) => messages.includes(msg));
    expect(told.map(({ msg, step, clientOrderId }) => [msg, step ?? clientOrderId]).sort()).toEqual([
      ['orderFilled', id(second)],
      ['orderSubmitted', id(next)],
      ['seen', 7],
      ['seen', 8],
    ]);
    const after = [...open.filter((one) => one !== id(second)), id(next)].sort();
    expect(openIn(copy)).toEqual([...after, ...held.map(id)].sort());
    expect(await exchange.open([...open, id(next)])).toEqual(after);
    await exchange.stop();
    expect(placedIn(copy)).toEqual([...before, id(next)]);
    expect(new Set(before).size).toBe(before.length);

    const grown = await copy.replay();
    expect(grown).toMatchObject({ identical: true, untold: 0, runs: [{ decisions: decisions[0] }, { decisions: decisions[1] }, {}] });
    expect(grown.runs[2]).toMatchObject({ end: 'stopped', intents: 2 });
    expect(grown.runs[2].turns).toBeGreaterThan(4);
  },
);
