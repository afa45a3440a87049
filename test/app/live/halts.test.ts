import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { BTC, spotOrder } from '../../local-exchange/local.ts';
import { botWorkspace } from './bot-process.ts';
import { wallExchange } from './wall-exchange.ts';

test('a halt is in status, over SIGKILL and a start, until a reset', async () => {
  const local = await wallExchange();
  local.price('BTC-USDT', '60000');
  const work = botWorkspace(local.section(', foreign: block'));
  writeFileSync(work.config, readFileSync(work.config, 'utf8').replace('0.00001', '0.0001'));
  const bot = work.launch('live', local.env);
  await bot.line(({ msg, complete }) => msg === 'orderFilled' && complete === true);
  expect(await work.status()).toMatchObject({ trading: 'yes' });
  expect((await work.run(['status', work.config])).stdout).toMatch(/^trading +yes$/m);
  local.price('BTC-USDT', '60000');
  // Somebody trades the account by hand.
  await local.client('bot').batchOrders({ symbol: BTC, orderList: [spotOrder({ price: '60100', quantity: '0.001' })] });
  local.price('BTC-USDT', '60001');
  const reason = 'orders that are not ours trade it';
  await bot.line(({ msg, reason: why }) => msg === 'instrument halted' && why === reason);
  const halted = [{ subject: 'instrument', symbol: 'BTC-USDT', condition: 'halted', reason }];
  const first = await work.status();
  expect(first).toMatchObject({ trading: 'no', health: halted });
  bot.child.kill('SIGKILL');
  await bot.exit;

  const doctor = await work.run(['doctor', work.config, '--mode', 'live', '--only', 'latches', '--json'], { code: 8 });
  expect(JSON.parse(doctor.stdout).checks.at(-1).found).toContain(`halted: BTC-USDT since`);
  const again = work.launch('live', local.env);
  await again.said('HALTED in an earlier run: only closes pass for this symbol until its cause is gone; `tidegate reset` lifts it');
  await again.said('ready');
  expect(await work.status()).toMatchObject({ trading: 'no', health: [{ ...halted[0], since: first.health[0]!.since }] });
  expect((await work.run(['status', work.config])).stdout).toMatch(
    /^trading +NO: BTC-USDT halted since 20[0-9T:.-]+Z \(orders that are not ours trade it\)$/m,
  );
  expect(JSON.parse((await work.run(['reset', work.config, '--json'])).stdout)).toMatchObject({ trading: 'yes', health: [] });
  again.child.kill('SIGTERM');
  expect(await again.exit).toBe(0);
});
