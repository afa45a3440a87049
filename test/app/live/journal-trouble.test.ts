import { writeFileSync } from 'node:fs';
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
let moving: NodeJS.Timeout;
beforeAll(async () => {
  exchange = await wallExchange({ instruments: [BTC] });
  let price = 100;
  const move = () => exchange.price('BTC-USDT', String(price++));
  move();
  moving = setInterval(move, 100);
  work = botWorkspace(exchange.section());
  writeFileSync(work.path('once.ts'), HOARDER);
});
afterAll(() => clearInterval(moving));

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

test('a journal that may not grow ends the bot with 7, and what was written stands', async () => {
  // In blocks of 512 bytes; without the trap the system would end the process.
  const bot = launch(['live', work.config], exchange.env, `trap '' XFSZ; ulimit -f 3000; exec "$0" "$@"`);
  expect(await bot.exit).toBe(7);
  expect(bot.stderr()).toMatch(
    /error JOURNAL_FAILED: journal .*journal\.sqlite cannot be written .*: (the disk refused: check its room|make room)/,
  );
  await goesOn();
});

test('a journal that another program locks ends the bot with 7, and what was written stands', async () => {
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
