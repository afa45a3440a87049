import { writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { botWorkspace } from './bot-process.ts';

/** The fee of its one buy is more than this share of the account, so the day's limit breaks at once. */
const SECTION = `risk: { account: { dailyLoss: { limit: "0.000005", onBreach: flatten } }, strategies: { one: { maxOpenOrders: 3 } } }
paper: { prices: { recording: sample, speed: 5 }, dir: ./runs, poll: { staleMs: 60000 } }`;

test('a bot that loses too much in a day flattens, stays latched over SIGKILL, and is reset by command', async () => {
  const work = botWorkspace(SECTION);
  const bot = work.launch('paper');
  await bot.line(({ msg, rule }) => msg.startsWith('LATCHED') && rule === 'dailyLoss');
  await bot.line(({ msg, tag, complete }) => msg === 'orderFilled' && tag === 'dailyLoss' && complete === true);
  expect(await work.status()).toMatchObject({ positions: {}, latches: [{ rule: 'dailyLoss' }] });
  bot.child.kill('SIGKILL');
  await bot.exit;

  const again = work.launch('paper');
  expect(await again.said('LATCHED in an earlier run: only reducing orders pass; `tidegate reset` lifts it')).toMatchObject({
    rule: 'dailyLoss',
  });
  await again.said('ready');
  expect(await work.status()).toMatchObject({ positions: {}, latches: [{ rule: 'dailyLoss' }] });
  expect((await work.run(['reduce', work.config, '--strategy', 'two'], { code: 2 })).stderr).toContain(
    'the bot has no strategy "two", only one',
  );
  const reduced = await work.run(['reduce', work.config, '--strategy', 'one', '--reason', 'news']);
  expect(reduced.stdout).toContain('one latched by reduce (news)');
  expect(JSON.parse((await work.run(['reset', work.config, '--json'])).stdout).latches).toEqual([]);
  again.child.kill('SIGTERM');
  expect(await again.exit).toBe(0);
});

/** Buys at the first price of each of its lives. */
const EAGER = `import { type Intents, place, Strategy, type Ticker } from 'tidegate';
export class Eager extends Strategy {
  static needs = { tickers: true };
  done = false;
  onTicker({ symbol }: Ticker): Intents {
    if (this.done) return undefined;
    this.done = true;
    return place({ symbol, side: 'buy', type: 'market', quantity: '0.001' });
  }
}
`;

test('a rate of orders holds over the restarts of a bot that dies again and again', async () => {
  const work = botWorkspace(`risk: { account: { orderRate: { orders: 2, perMs: 3600000 } } }
paper: { prices: { recording: sample, speed: 1 }, dir: ./runs, poll: { staleMs: 60000 } }`);
  writeFileSync(work.path('once.ts'), EAGER);
  for (const msg of ['orderSubmitted', 'orderSubmitted', 'orderDenied']) {
    const bot = work.launch('paper');
    const line = await bot.line((one) => one.msg === 'orderSubmitted' || one.msg === 'orderDenied');
    expect(line).toMatchObject(msg === 'orderDenied' ? { msg, code: 'orderRateAboveLimit', orders: '3', limit: '2' } : { msg });
    // What has filled was sent, and nothing is sent before it is in the journal. The fill before may be told again in this life.
    if (msg === 'orderSubmitted') await bot.line((one) => one.msg === 'orderFilled' && one.clientOrderId === line.clientOrderId);
    bot.child.kill('SIGKILL');
    await bot.exit;
  }
});
