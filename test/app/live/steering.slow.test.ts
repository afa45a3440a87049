import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { botWorkspace } from './bot-process.ts';
import { wallExchange } from './wall-exchange.ts';

test('a strategy is paused and resumed by commands that say what has happened, over SIGKILL and a start', async () => {
  const local = await wallExchange();
  local.price('BTC-USDT', '60000');
  const work = botWorkspace(local.section());
  writeFileSync(work.config, readFileSync(work.config, 'utf8').replace('0.00001', '0.0001'));
  const steer = async (act: string, ...more: string[]) => JSON.parse((await work.run([act, work.config, ...more, '--json'])).stdout);
  const nobody = await work.run(['pause', work.config], { code: 2 });
  expect(nobody.stderr).toContain('BOT_NOT_RUNNING');
  const bot = work.launch('live', local.env);
  await bot.line(({ msg, complete }) => msg === 'orderFilled' && complete === true);

  // The bid far below could open a position.
  const paused = await steer('pause', '--reason', 'news');
  expect(paused).toMatchObject({ act: 'pause', bot: 'once', mode: 'live', outcome: 'done' });
  expect(paused.status).toMatchObject({ trading: 'no', latches: [{ rule: 'paused', strategy: 'one', reason: 'news' }] });
  await bot.line(({ msg, reason }) => msg === 'orderCanceled' && reason === 'riskLatch');
  expect(await steer('pause', '--strategy', 'one')).toMatchObject({ outcome: 'already', text: 'one was paused before' });
  expect((await work.run(['pause', work.config, '--strategy', 'two'], { code: 2 })).stderr).toContain(
    'the bot has no strategy "two", only one',
  );
  expect((await work.run(['reset', work.config])).stdout).not.toContain('lifted');
  bot.child.kill('SIGKILL');
  await bot.exit;

  const again = work.launch('live', local.env);
  await again.said('ready');
  expect((await work.run(['status', work.config])).stdout).toMatch(/^trading +NO: one paused \(news\)$/m);
  expect((await work.run(['bots', work.config])).stdout).toContain('one: paused (news)');
  expect((await work.run(['resume', work.config])).stdout).toMatch(/^one is resumed\nbot +once/);
  expect(await steer('resume')).toMatchObject({ outcome: 'already', text: 'one was not paused', status: { trading: 'yes', latches: [] } });
  const closed = await steer('close', '--symbol', 'BTC-USDT');
  expect(closed).toMatchObject({ outcome: 'done', text: 'closed: sell 0.0099 BTC-USDT (one)', open: [] });
  expect(closed.closed).toEqual([{ strategy: 'one', symbol: 'BTC-USDT', side: 'sell', quantity: '0.0099' }]);
  expect(closed.status).toMatchObject({ positions: {}, latches: [], closes: { pending: [] } });
  const set = (...more: string[]) => work.run(['set', work.config, ...more]);
  const limited = JSON.parse((await set('risk.orders.maxNotional=500', '--json')).stdout);
  const changes = [{ setting: 'risk.orders.maxNotional', value: '500', was: 'null' }];
  expect(limited).toMatchObject({ act: 'set', outcome: 'done', text: 'risk.orders.maxNotional is 500; it was null', status: { changes } });
  const refused = await work.run(['set', work.config, 'risk.orders.maxNotional=-1'], { code: 2 });
  expect(refused.stderr).toContain('expected a positive decimal');
  expect(await steer('close', '--symbol', 'BTC-USDT', '--strategy', 'one')).toMatchObject({ outcome: 'already', closed: [], open: [] });
  const wrong = await work.run(['close', work.config, '--symbol', 'ETH-USDT'], { code: 2 });
  expect(wrong.stderr).toContain('the bot does not trade ETH-USDT, only BTC-USDT');
  again.child.kill('SIGTERM');
  expect(await again.exit).toBe(0);
  const third = work.launch('live', local.env);
  await third.said('CHANGED in an earlier run: risk.orders.maxNotional is 500, not null as in the config');
  await third.said('ready');
  expect(await work.status()).toMatchObject({ changes });
  third.child.kill('SIGTERM');
  expect(await third.exit).toBe(0);
  writeFileSync(work.config, `${readFileSync(work.config, 'utf8')}risk: { orders: { maxNotional: "900" } }\n`);
  const fourth = work.launch('live', local.env);
  await fourth.line(({ msg }) => msg?.includes('is over: the config has "900" now, and had null. The config wins'));
  await fourth.said('ready');
  expect(await work.status()).toMatchObject({ changes: [] });
  fourth.child.kill('SIGTERM');
  expect(await fourth.exit).toBe(0);
  expect(JSON.parse((await work.run(['replay', work.path('runs/once-live'), '--json'])).stdout)).toMatchObject({ identical: true });
});

test('a bot that hangs is not changed, and does not obey later', async () => {
  const local = await wallExchange();
  local.price('BTC-USDT', '60000');
  const work = botWorkspace(local.section());
  writeFileSync(work.config, readFileSync(work.config, 'utf8').replace('0.00001', '0.0001'));
  const bot = work.launch('live', local.env);
  await bot.line(({ msg, complete }) => msg === 'orderFilled' && complete === true);
  bot.child.kill('SIGSTOP');
  const acts = [['pause'], ['close', '--symbol', 'BTC-USDT']] as const;
  const said = await Promise.all(acts.map(([act, ...more]) => work.run([act, work.config, ...more], { code: 2 })));
  for (const { stderr } of said) expect(stderr).toMatch(/^error BOT_SILENT: .*nothing was changed, and nothing is done later/m);
  bot.child.kill('SIGCONT');
  expect(await work.status()).toMatchObject({ trading: 'yes', latches: [], positions: { 'BTC-USDT': '0.0099' } });
  expect((await work.run(['set', work.config, 'risk.orders.maxNotional'], { code: 2 })).stderr).toContain('expected a limit');
  bot.child.kill('SIGTERM');
  expect(await bot.exit).toBe(0);
});
