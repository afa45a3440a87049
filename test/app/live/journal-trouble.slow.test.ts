import { existsSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import Database from 'libsql';
import { Instrument } from '../../../src/model/instrument.ts';
import { check } from '../../kills/check.ts';
import { readHere } from '../../kills/here.ts';
import { type BotWorkspace, botWorkspace, launch } from './bot-process.ts';
import { type WallExchange, wallExchange } from './wall-exchange.ts';

const BTC = new Instrument(0, { symbol: 'BTC-USDT', tickSize: '0.01', stepSize: '0.00001', makerFee: '0.001', takerFee: '0.001' });
/** Buys at every price, and has more to remember each time. */
const HOARDER = `import { type Intents, place, Strategy, type Ticker, z } from 'tidegate';
export class Hoarder extends Strategy<typeof Hoarder.params> {
  static params = z.object({ resting: z.boolean().default(false) });
  static needs = { tickers: true };
  seen = 0;
  save() { return { seen: this.seen, ballast: 'x'.repeat(this.params.resting ? 0 : 60_000) }; }
  restore(saved: { seen: number }) { this.seen = saved.seen; }
  onTicker({ symbol }: Ticker): Intents {
    if (this.params.resting) return undefined;
    this.seen++;
    return place({ symbol, side: 'buy', type: 'market', quantity: '0.1' });
  }
}
`;

let exchange: WallExchange;
let work: BotWorkspace;
const prices: NodeJS.Timeout[] = [];
beforeAll(async () => {
  exchange = await wallExchange({ instruments: [BTC] });
  let price = 100;
  const move = () => exchange.price('BTC-USDT', String(price++));
  move();
  prices.push(setInterval(move, 100));
  work = botWorkspace(exchange.section());
  writeFileSync(work.path('once.ts'), HOARDER);
});
afterAll(() => prices.forEach(clearInterval));

/** The next start finds its journal whole, and goes on; what is in it then is what the exchange has. */
async function goesOn(): Promise<void> {
  const again = work.launch('live', exchange.env, 'strategies.0.params.resting=true');
  expect(await again.said('ready')).toMatchObject({ resumed: true });
  again.child.kill('SIGTERM');
  expect(await again.exit).toBe(0);
  const account = exchange.behind;
  const arrived = account.orders.all.map(({ clientOrderId }) => clientOrderId);
  expect(arrived.length).toBeGreaterThan(0);
  const here = readHere(work.path('runs', 'once-live', 'journal.sqlite'), 'once', [BTC]);
  expect(check(here, { instruments: [BTC], coins: ['BTC', 'USDT'], account, arrived })).toEqual([]);
}

test('a journal that cannot grow ends the bot with 7, and its records remain', async () => {
  // In blocks of 512 bytes; without the trap the system would end the process.
  const bot = launch(['live', work.config], exchange.env, `trap '' XFSZ; ulimit -f 3000; exec "$0" "$@"`);
  expect(await bot.exit).toBe(7);
  expect(bot.stderr()).toMatch(
    /error JOURNAL_FAILED: journal .*journal\.sqlite cannot be written .*: (the disk refused: check its room|make room)/,
  );
  await goesOn();
});

test('a journal that another program locks ends the bot with 7, and its records remain', async () => {
  const bot = work.launch('live', exchange.env);
  await bot.line(({ msg, complete }) => msg === 'orderFilled' && complete === true);
  const other = new Database(work.path('runs', 'once-live', 'journal.sqlite'));
  // Between two of its commits.
  for (let locked = false; !locked; ) {
    try {
      other.exec('BEGIN IMMEDIATE');
      locked = true;
    } catch {}
  }
  expect(await bot.exit).toBe(7);
  expect(bot.stderr()).toMatch(/error JOURNAL_FAILED: journal .*\(database is locked\): another program has locked it: close that program/);
  other.exec('ROLLBACK');
  other.close();
  await goesOn();
});

test('a bot whose lock file is removed ends with 7 and sends nothing more; a second bot that was started meanwhile continues', async () => {
  const bot = work.launch('live', exchange.env);
  await bot.line(({ msg, complete }) => msg === 'orderFilled' && complete === true);
  rmSync(work.path('runs', 'once-live', 'journal.sqlite.lock'));
  expect(await bot.exit).toBe(7);
  expect(bot.stderr()).toMatch(/error JOURNAL_FAILED: journal .* has lost its lock: its \.lock file was removed or replaced/);
  await goesOn();
});

test('a write-ahead log that is cut while the bot runs ends it with 7; the next start finds the lost orders again, and halts', async () => {
  const bot = work.launch('live', exchange.env);
  await bot.line(({ msg, complete }) => msg === 'orderFilled' && complete === true);
  truncateSync(work.path('runs', 'once-live', 'journal.sqlite-wal'));
  expect(await bot.exit).toBe(7);
  expect(bot.stderr()).toMatch(
    /error JOURNAL_FAILED: journal .*-wal was cut while the bot runs .*keep other programs out of the bot's folder/,
  );
  const arrived = exchange.behind.orders.all.length;
  const again = work.launch('live', exchange.env);
  await again.said('ready');
  // What the strategy wants meanwhile is denied, which shows after a while.
  // The mark of the journal shows what it lacks, or else the orders at the exchange do.
  expect((await work.status()).health.filter(({ condition }) => condition !== 'denied')).toEqual([
    expect.objectContaining({
      condition: 'halted',
      reason: expect.stringMatching(/the journal (lacks orders of this bot|may lack its end)/),
    }),
  ]);
  again.child.kill('SIGTERM');
  expect(await again.exit).toBe(0);
  // What the strategy buys at each price is denied there.
  expect(exchange.behind.orders.all.length).toBe(arrived);
});

test('a journal that two bots wrote explains itself, and --new-journal begins another, which opens nothing before a reset', async () => {
  const local = await wallExchange({ instruments: [BTC] });
  let price = 100;
  const move = () => local.price('BTC-USDT', String(price++));
  move();
  prices.push(setInterval(move, 100));
  // Fills of the bots before are foreign to the new journal.
  const own = botWorkspace(local.section(', foreign: ignore'));
  writeFileSync(own.path('once.ts'), HOARDER);
  const file = (name: string) => own.path('runs', 'once-live', name);
  const ids = () => local.behind.orders.all.map(({ clientOrderId }) => clientOrderId);
  const traded = ({ msg, complete }: { msg: string; complete?: boolean }) => msg === 'orderFilled' && complete === true;
  /** A fill is logged within its turn and durable after it: so a second one says that the first is durable. */
  const tradedTwice = () => {
    const orders = new Set<string>();
    return (line: { msg: string; complete?: boolean; clientOrderId?: string }) => {
      if (traded(line)) orders.add(line.clientOrderId!);
      return orders.size === 2;
    };
  };
  // Each loses the lock, the second to nobody.
  const first = own.launch('live', local.env);
  await first.line(tradedTwice());
  rmSync(file('journal.sqlite.lock'));
  const second = own.launch('live', local.env);
  expect(await first.exit).toBe(7);
  await second.line(tradedTwice());
  rmSync(file('journal.sqlite.lock'));
  expect(await second.exit).toBe(7);
  // An earlier version did not notice: what both had read of the exchange was recorded twice.
  const database = new Database(file('journal.sqlite'));
  database.exec(`INSERT INTO records(time, kind, body, checksum) SELECT time, kind, body, checksum FROM records
    WHERE kind = 'event' AND body LIKE '%"orderFilled"%' ORDER BY id DESC LIMIT 1`);
  database.close();

  const refused = own.launch('live', local.env);
  expect(await refused.exit).toBe(7);
  expect(refused.stderr()).toMatch(
    /error JOURNAL_DAMAGED: .* has records that contradict each other at record \d+ of 20\S+ \(.*as if two processes .*start `tidegate live` once with --new-journal/,
  );
  const before = ids();
  const again = launch(['live', own.config, '--new-journal'], local.env);
  expect(await again.said('ready')).toMatchObject({ resumed: false });
  const { aside } = await again.said('the journal cannot be used: it was renamed, and a new one begins');
  expect(existsSync(aside)).toBe(true);
  await again.line(({ msg, code }) => msg === 'orderDenied' && code === 'instrumentHalted');
  const { trading, health } = await own.status();
  expect(trading).toBe('no');
  expect(health).toContainEqual(expect.objectContaining({ condition: 'halted', reason: expect.stringContaining('it began again') }));
  expect(ids()).toEqual(before);
  await own.run(['reset', own.config]);
  await again.line(traded);
  again.child.kill('SIGTERM');
  expect(await again.exit).toBe(0);
  expect(new Set(ids()).size).toBe(ids().length);

  // The new journal can be used: a second time changes nothing.
  const later = launch(['live', own.config, '--new-journal', '--set', 'strategies.0.params.resting=true'], local.env);
  expect(await later.said('ready')).toMatchObject({ resumed: true });
  later.child.kill('SIGTERM');
  expect(await later.exit).toBe(0);
});
