import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { until } from '../../support/until.ts';
import { type BotWorkspace, botWorkspace, launch, type Running } from './bot-process.ts';
import { type WallExchange, wallExchange } from './wall-exchange.ts';

/** Buys at each new price. */
const EAGER = `import { type Intents, place, Strategy, type Ticker } from 'tidegate';

export class Eager extends Strategy {
  static needs = { tickers: true };
  onTicker({ symbol }: Ticker): Intents {
    return place({ symbol, side: 'buy', type: 'market', quantity: '0.001' });
  }
}
`;

interface Hung {
  readonly local: WallExchange;
  readonly work: BotWorkspace;
  readonly bot: Running;
  file(name: string): string;
  /** The bot goes on, at another price. */
  goesOn(): void;
}

/** A bot that buys at each price and is stopped by SIGSTOP, with its keys. */
async function hung(): Promise<Hung> {
  const local = await wallExchange();
  local.price('BTC-USDT', '60000');
  const work = botWorkspace(local.section());
  writeFileSync(work.path('once.ts'), EAGER);
  writeFileSync(work.config, readFileSync(work.config, 'utf8').replace('"0.00001"', '"0.0001"'));
  const bot = work.launch('live', local.env);
  await bot.said('orderFilled');
  bot.child.kill('SIGSTOP');
  return {
    local,
    work,
    bot,
    file: (name) => work.path('runs', 'once-live', name),
    goesOn() {
      local.price('BTC-USDT', '60001');
      bot.child.kill('SIGCONT');
    },
  };
}

const btc = async ({ local }: Hung) =>
  (await local.client('bot').accountAssets()).find(({ coinName }) => coinName === 'BTC')?.equity ?? '0';

const ANSWER =
  /; the bot does not answer \(for \d+ s\); it obeys as soon as it runs; no watchdog runs, so its orders stay open meanwhile\n$/;

test('a kill that flattens is kept for a stopped bot, says so with 11, and is obeyed before any other order when the bot goes on', async () => {
  const one = await hung();
  const { work, bot, file } = one;
  const { stdout, code } = await work.run(['kill', work.config, '--flatten', '--reason', 'news'], { code: 11 });
  expect([stdout.split(';')[0], code]).toEqual([`written: ${file('KILL')}`, 11]);
  expect(stdout).toMatch(ANSWER);
  const json = await work.run(['kill', work.config, '--json'], { code: 11 });
  expect([JSON.parse(json.stdout), json.code]).toMatchObject([{ written: file('KILL'), answered: false, watchdog: false }, 11]);
  const before = Number(await btc(one));
  expect(before).toBeGreaterThan(0);
  one.goesOn();
  const killed = await bot.line(({ msg, rule }) => msg.startsWith('LATCHED') && rule === 'kill');
  expect(killed).toMatchObject({ reason: 'by command', flatten: true });
  await until(
    () => btc(one),
    (held) => Number(held) < 0.0001,
  );
  const after = bot.lines.slice(bot.lines.indexOf(killed));
  expect(after.filter(({ msg, side }) => msg === 'orderSubmitted' && side === 'buy')).toEqual([]);
  expect(existsSync(file('KILL'))).toBe(false);
  // Nothing has to be removed before a reset.
  expect((await work.run(['reset', work.config])).code).toBe(0);
  bot.child.kill('SIGTERM');
  expect(await bot.exit).toBe(0);
});

test.each([
  ['stop', 'STOP'],
  ['reduce', 'REDUCE'],
] as const)('a %s is kept in the file %s for a stopped bot, and obeyed when it goes on', async (command, name) => {
  const one = await hung();
  const { work, bot, file } = one;
  const { stdout, code } = await work.run([command, work.config], { code: 11 });
  expect([stdout.split(';')[0], code]).toEqual([`written: ${file(name)}`, 11]);
  expect(stdout).toMatch(ANSWER);
  one.goesOn();
  if (command === 'stop') expect(await bot.exit).toBe(0);
  else {
    await bot.line(({ msg, rule }) => msg.startsWith('LATCHED') && rule === 'reduce');
    one.local.price('BTC-USDT', '60002');
    await bot.line(({ msg }) => msg === 'orderDenied');
    bot.child.kill('SIGTERM');
    expect(await bot.exit).toBe(0);
  }
  expect(existsSync(file(name))).toBe(false);
});

test('status and reset of a stopped bot say that it does not answer, and not that none runs', async () => {
  const { work, bot } = await hung();
  for (const command of ['status', 'reset']) {
    const { stderr, code } = await work.run([command, work.config], { code: 2 });
    expect(stderr).toMatch(/^error BOT_SILENT: the bot does not answer \(for \d+ s\): a process holds the journal of bot once \(live\)/);
    expect(code).toBe(2);
  }
  bot.child.kill('SIGKILL');
  await bot.exit;
  const { stderr, code } = await work.run(['kill', work.config], { code: 2 });
  expect([stderr, code]).toEqual([expect.stringMatching(/^error BOT_NOT_RUNNING: no bot once runs in/), 2]);
  expect(existsSync(work.path('runs', 'once-live', 'KILL'))).toBe(false);
});

test('a watchdog closes the positions of a stopped bot if a kill that flattens was written, before or while it acts', async () => {
  const one = await hung();
  const { work, local, file } = one;
  const said = await work.run(['kill', work.config, '--flatten'], { code: 11 });
  expect(said.code).toBe(11);
  const dog = launch(['watchdog', work.config, '--set', 'live.watchdog.afterMs=2000'], local.env);
  await dog.said('all orders are canceled');
  expect(Number(await btc(one))).toBeLessThan(0.0001);
  expect(readFileSync(file('KILL'), 'utf8')).toMatch(/^watchdog: .*; flatten\n$/);
  dog.child.kill('SIGTERM');
  await dog.exit;
  one.goesOn();
  expect(await one.bot.exit).toBe(6);
});
