import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { journalAt } from '../../../src/journal/journal-reader.ts';
import { ROOT, runCli } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { launch } from './bot-process.ts';

/** Renews so many quotes a side each second. */
const STRATEGY = `import { cancel, type Intent, type Intents, place, setTimer, Strategy, type Ticker } from 'tidegate';

export class Quoter extends Strategy {
  static needs = { tickers: true };
  last = 0;
  onTicker({ last }: Ticker): Intents {
    const isFirst = this.last === 0;
    this.last = last;
    return isFirst ? this.onTimer() : undefined;
  }
  onTimer(): Intents {
    const { queued, oldestWaitMs, free } = this.requests;
    const tag = [queued, Math.round(oldestWaitMs), free].join(' ');
    const intents: Intent[] = [cancel({ symbol: 'BTC-USDT' })];
    for (let index = 1; index <= 25; index++) {
      for (const [side, sign] of [['buy', -1], ['sell', 1]] as const) {
        const price = (this.last * (1 + sign * 0.002 * index)).toFixed(2);
        intents.push(place({ symbol: 'BTC-USDT', side, type: 'limit', quantity: '0.001', price, tag }));
      }
    }
    return [...intents, setTimer({ name: 'renew', at: this.now + 1_000 })];
  }
}
`;

/** How much faster than the wall the bot and its exchange go. */
const SPEED = 2;
const TICKER_MS = 200;
/** Placed at each renewal, once a second of the bot's clock, and the renewals over which looks at prices are counted, at least. */
const QUOTES = 50;
const RENEWALS = 10;

function config(): string {
  const folder = temporaryFolder();
  const path = join(folder, 'quotes.yaml');
  cpSync(join(ROOT, 'data/sample'), join(folder, 'data/sample'), { recursive: true });
  writeFileSync(join(folder, 'quoter.ts'), STRATEGY);
  writeFileSync(
    path,
    `name: quotes
dataDir: data
account: { kind: spot, balances: { USDT: "100000", BTC: "1" } }
instruments:
  BTC-USDT: { tickSize: "0.01", stepSize: "0.00001", makerFee: "0.001", takerFee: "0.001" }
strategies:
  - { id: quoter, file: quoter.ts, symbols: [BTC-USDT] }
record: { name: mine }
backtest: { data: [sample], from: 2025-01-01 }
paper: { dir: runs, prices: { recording: sample, speed: ${SPEED} }, poll: { tickerMs: ${TICKER_MS} } }
`,
  );
  return path;
}

const cli = (...args: string[]) => runCli(ROOT, args);

/** What the bot says that it did, and when, beside what its exchange has in its own file. */
function recordsOf(path: string) {
  const folder = join(path, '../runs/quotes-paper');
  const journal = journalAt(join(folder, 'journal.sqlite'));
  const rows = [...journal.rows(1, journal.lastId)].map(({ time, kind, body }) => ({ time, kind, value: JSON.parse(body) }));
  journal.close();
  const accepted = new Map<string, { readonly time: number; readonly key: string }>();
  const canceled = new Set<string>();
  for (const line of readFileSync(join(folder, 'exchange.state'), 'utf8').trim().split('\n').slice(1)) {
    const [time, action, args] = JSON.parse(line);
    if (action === 'cancel') canceled.add(args.key);
    if (action !== 'placeSpot') continue;
    for (const { clientOrderId } of args.orders) accepted.set(clientOrderId, { time, key: `k${accepted.size + 1}` });
  }
  const timesOf = (of: string) => {
    const events = rows.flatMap(({ kind, value, time }) => (kind === 'event' && value.event.kind === of ? [{ ...value.event, time }] : []));
    return new Map<string, number>(events.map(({ clientOrderId, time }) => [clientOrderId, time]));
  };
  const sent = new Map<string, number>();
  for (const { kind, value, time } of rows) {
    if (kind === 'request' && value.operation === 'batchOrders') for (const id of value.clientOrderIds) sent.set(id, time);
  }
  const tags = rows.flatMap(({ kind, value, time }) =>
    kind === 'intent' && value.intent.kind === 'place' ? [{ time, tag: value.intent.tag as string }] : [],
  );
  const commands = rows.filter(({ kind, value }) => kind === 'turn' && value.by === 'command');
  return { accepted, canceled, sent, tags, asked: timesOf('cancelSubmitted'), commandedAt: commands[0]!.time };
}

test.each(['kill', 'stop'] as const)(
  'quotes beyond the weights of the exchange: after a %s nothing that was unsent is sent, nothing stays open, and prices were read all the time',
  async (command) => {
    const path = config();
    const bot = launch(['paper', path, '--json']);
    await bot.said('ready');
    const status = async () => JSON.parse((await cli('status', path, '--json')).stdout);
    const begin = await status();
    // Without a look at the bot, which would take time from it.
    const renewed = () => bot.lines.filter(({ msg }) => msg === 'orderSubmitted').length / QUOTES;
    await until(renewed, (count) => count >= RENEWALS);
    const under = await until(
      status,
      ({ openOrders, requests, health }) => openOrders.submitted > 0 && requests.queued > 0 && health.length > 0,
    );
    expect(under.pollMs.marketMs).toBe(TICKER_MS);
    expect(under.health).toContainEqual(expect.objectContaining({ subject: 'requests', condition: 'waiting' }));
    const { checks } = JSON.parse((await cli('doctor', path, '--mode', 'paper', '--only', 'requests', '--json')).stdout);
    expect(checks).toContainEqual(expect.objectContaining({ id: 'requests', status: 'warning' }));
    await cli(command, path);
    if (command === 'kill') {
      await until(status, ({ openOrders }) => Object.keys(openOrders).length === 0);
      await cli('stop', path);
    }
    expect(await bot.exit).toBe(0);
    const { accepted, canceled, sent, asked, tags, commandedAt } = recordsOf(path);
    const ids = [...accepted.keys()];
    expect(ids.length).toBeGreaterThan(20);
    expect(ids.filter((id) => !sent.has(id))).toEqual([]);
    expect([...sent].filter(([, time]) => time > commandedAt)).toEqual([]);
    // Never sent though its cancel had been asked for.
    expect([...sent].filter(([id, time]) => time > (asked.get(id) ?? Number.POSITIVE_INFINITY))).toEqual([]);
    // No price of the recording comes near them, so that every one of them was canceled.
    expect(ids.filter((id) => !canceled.has(accepted.get(id)!.key))).toEqual([]);
    // Prices are read five times as often as the strategy renews its quotes, and a busy machine delays both. Before, a look took ten
    // periods: it would be once in two renewals.
    const renewals = tags.filter(({ time }) => time > begin.time && time <= under.time).length / QUOTES;
    expect(under.recorder.polls - begin.recorder.polls).toBeGreaterThan(renewals);
    // Again only once they have not waited, or after a minute.
    const waits = bot.lines.filter(({ msg }) => msg.startsWith('REQUESTS WAIT') || msg === 'requests do not wait any more');
    expect(waits[0].level).toBe(40);
    const again = waits.filter(
      ({ level, time }, index) => level === waits[index - 1]?.level && time - waits[index - 1].time < 60_000 / SPEED,
    );
    expect(again).toEqual([]);
    // What the strategy read is in its tags, so that a replay that read anything else would differ.
    const read = tags.map(({ tag }) => tag.split(' ').map(Number));
    expect(read[0]).toEqual([0, 0, 1]);
    expect(read.some(([queued, oldestWaitMs, free]) => queued! > 0 && oldestWaitMs! > 0 && free! < 0.5)).toBe(true);
    const replayed = await cli('replay', join(path, '../runs/quotes-paper'), '--quiet');
    expect(replayed).toMatchObject({ code: 0 });
  },
);
