import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Observable } from 'rxjs';
import { Agent } from 'undici';
import { JournalKeeper, TurnJournal } from '../../dist/app/live/bot/turn-journal.js';
import { capabilitiesOf } from '../../dist/app/planning/run-plans.js';
import { liveContainer, stateOf, TOKENS } from '../../dist/app/wiring/container.js';
import { ClientIds } from '../../dist/engine/orders/client-ids.js';
import { Credentials } from '../../dist/exchange/client/credentials.js';
import { ExchangeClient } from '../../dist/exchange/client/exchange-client.js';
import { WeightBudget } from '../../dist/exchange/client/weight-budget.js';
import { place, Strategy } from '../../dist/index.js';
import { BotJournal } from '../../dist/journal/bot-journal.js';
import { Decimal } from '../../dist/model/decimal.js';
import { Instrument } from '../../dist/model/instrument.js';
import { Ticker } from '../../dist/model/market-events.js';
import { SETTLED } from '../../dist/ports/market-feed.js';
import { SystemClock, TurnClock } from '../../dist/venues/rest/real-clock.js';
import { RestVenue } from '../../dist/venues/rest/rest-venue.js';
import { median, row } from '../lib/measure.mjs';

const ORDERS = 1_000;
const WARM_UPS = 200;
const PATH = '/api/v2/trade/batch-orders';
// Notes when a request's head has arrived, and says that the order is taken. hrtime is one clock for all threads.
const SERVER = `
  const { createServer } = require('node:http');
  const { parentPort, workerData } = require('node:worker_threads');
  const arrived = new BigInt64Array(workerData);
  let id = 0;
  const server = createServer((request, response) => {
    arrived[0] = process.hrtime.bigint();
    let text = '';
    request.on('data', (part) => (text += part));
    request.on('end', () => {
      const clientOrderId = /"clientOrderId":"([^"]*)"/.exec(text)?.[1] ?? '';
      const data = { resultList: [{ orderId: String(++id), clientOrderId }] };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ code: '00000', msg: 'success', requestTime: Date.now(), data }));
    });
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;
const INSTRUMENT = new Instrument(0, { symbol: 'BTC-USDT', tickSize: '0.01', stepSize: '0.0001' });
const KEYS = { key: 'key', secret: 'secret', passphrase: 'passphrase' };
const SILENT = { debug() {}, info() {}, warn() {} };

class Bidder extends Strategy {
  onTicker({ last, symbol }) {
    return place({ symbol, side: 'buy', type: 'limit', price: last, quantity: '0.0001', postOnly: true });
  }
}

/**
 * From a ticker that the engine is handed to the head of the order's request at the exchange: state, strategy, risk, the journal made
 * durable (the turn and the request in one commit), signing, sending. Bare is a signed undici request, nothing else.
 */
export async function eventToWireCase() {
  const shared = new SharedArrayBuffer(8);
  const arrived = new BigInt64Array(shared);
  const server = new Worker(SERVER, { eval: true, workerData: shared });
  const port = await new Promise((resolve) => server.once('message', resolve));
  const origin = `http://127.0.0.1:${port}`;
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-bench-'));
  try {
    const before = await bare(origin, arrived);
    const bot = wire(origin, join(folder, 'journal.sqlite'));
    const ours = await times(arrived, (i) => bot.order(i));
    await bot.close();
    const after = await bare(origin, arrived);
    // The faster one counts, as elsewhere: the other would flatter us.
    const bareNs = median(after) < median(before) ? after : before;
    const us = (ns) => `${Math.round(ns / 1000)} us`;
    const text = (taken) => `${us(median(taken))} (p99 ${us(p99(taken))})`;
    const detail = `ticker to order on the wire, journal durable before: ${text(ours)}; a bare signed request ${text(bareNs)}`;
    return [row('event-to-wire', ORDERS, median(ours), median(bareNs), detail)];
  } finally {
    await server.terminate();
    rmSync(folder, { recursive: true, force: true });
  }
}

function p99(taken) {
  return [...taken].sort((a, b) => a - b)[Math.floor(taken.length * 0.99)];
}

async function times(arrived, send) {
  const taken = [];
  for (let i = 0; i < WARM_UPS + ORDERS; i++) {
    const started = process.hrtime.bigint();
    await send(i);
    if (i >= WARM_UPS) taken.push(Number(arrived[0] - started));
  }
  return taken;
}

async function bare(origin, arrived) {
  const agent = new Agent();
  const credentials = new Credentials(KEYS);
  const taken = await times(arrived, async (i) => {
    const order = { side: 'buy', orderType: 'limit', force: 'postOnly', price: '100', quantity: '0.0001', clientOrderId: `bare-${i}` };
    const body = JSON.stringify({ symbol: 'BTCUSDT_SPBL', orderList: [order] });
    const headers = await credentials.headers({ timestamp: String(Date.now()), method: 'POST', target: PATH, body }, 'en-US');
    const reply = await agent.request({ origin, path: PATH, method: 'POST', headers, body });
    await reply.body.text();
  });
  await agent.destroy();
  return taken;
}

/** A bot as `tidegate live` wires it, but fed by hand and without polling. */
function wire(origin, path) {
  const clock = new SystemClock();
  const turns = new TurnClock(clock);
  const instruments = [INSTRUMENT];
  const journal = BotJournal.open(path, { bot: 'bench', now: () => turns.now(), instruments });
  const plan = {
    name: 'bench',
    instruments,
    account: { kind: 'spot', currency: 'USDT', equityEveryMs: 3_600_000 },
    strategies: [{ id: 'bidder', symbols: ['BTC-USDT'], params: {}, create: (context) => new Bidder(context) }],
    limits: { maxPosition: new Map() },
    marketBuyCollar: new Decimal('0.05'),
    bars: { from: 'ticker', intervals: [[]], graceMs: 2_000 },
    exitsWaitForNextBar: false,
    closeAtEnd: false,
    history: () => [],
    log: SILENT,
  };
  const client = new ExchangeClient({
    clock,
    budget: new WeightBudget(clock, { ipWeight: 1e9, uidWeight: 1e9, actionsPerSecond: 1e9 }),
    credentials: new Credentials(KEYS),
    random: () => 0,
    settings: { spotBaseUrl: origin, clockSyncMs: 0 },
  });
  const venue = new RestVenue({
    client,
    capabilities: capabilitiesOf('exchange'),
    instruments,
    clock,
    memory: journal,
    log: SILENT,
    isOwn: () => true,
  });
  const nothing = new Map();
  const half = { again: true, orders: [], balances: nothing, frozen: nothing, fillIds: nothing, halts: nothing, lastTime: clock.now() };
  venue.resume({ spot: half, futures: half });
  let out;
  const feed = {
    events$: new Observable((subscriber) => {
      out = subscriber;
    }),
  };
  const state = stateOf(plan);
  const ids = new ClientIds(plan.name, { era: journal.createdAt.toString(36) });
  const recorder = new TurnJournal(journal, turns);
  recorder.listen(venue.events$);
  const container = liveContainer(recorder.watched(plan), {
    journal: recorder,
    clock: recorder.clock,
    feed,
    venue,
    ids,
    state,
    resume: { saves: nothing },
  });
  const engine = container.get(TOKENS.engine);
  const keeping = new JournalKeeper(engine, journal, turns, (event) => recorder.market(event));
  const balance = { wallet: 'spot', asset: 'USDT', total: new Decimal(1e9), frozen: new Decimal(0) };
  venue.events$.next({ kind: 'balanceChanged', time: clock.now(), balance, entry: undefined });
  const running = engine.run(feed);
  const give = (item) => {
    turns.take(() => out.next(item));
    keeping.afterTurn(() => venue.turnEnded());
  };
  venue.begin();
  let accepted;
  venue.settled$.subscribe(() => {
    give(SETTLED);
    accepted?.();
  });
  let sequence = 0;
  return {
    order: () =>
      new Promise((resolve) => {
        accepted = resolve;
        give(new Ticker(INSTRUMENT, clock.now(), ++sequence, 10_000 + (sequence % 50)));
      }),
    async close() {
      out.complete();
      await running;
      await client.close();
      journal.close();
    },
  };
}
