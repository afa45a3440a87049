import { expect, test } from '@jest/globals';
import { until } from '../../support/until.ts';
import { ACCOUNTS, filled, guarded } from './guarded.ts';
import { wallExchange } from './wall-exchange.ts';

test('futures: a stop between two tries of a kill to close waits for the close: the bot ends with nothing open', async () => {
  const local = await wallExchange({ accounts: ACCOUNTS });
  local.price('BTC-USDT-PERP', '60000');
  const work = guarded(local, 'BTC-USDT-PERP', ', graceMs: 600000');
  const bot = work.launch('live', local.env);
  await filled(bot);
  // The exchange refuses closes for now.
  local.exchange.control.setFaults({ rules: [{ fault: 'tooMany', operations: ['placeFuturesOrder', 'futuresBatchOrders'] }] });
  await work.run(['kill', work.config, '--flatten', '--wait', '1'], { code: 11 });
  const tries = () => bot.lines.filter(({ msg, code }) => msg.includes('the bot tries again') && code === 'venueLimited').length;
  await until(tries, (made) => made >= 1);
  await work.run(['stop', work.config]);
  const { phase, positions, health } = await work.status();
  expect([phase, Object.keys(positions).length]).toEqual(['stopping', 1]);
  const stop = health.find(({ subject }) => subject === 'stop');
  expect(stop?.reason).toMatch(/^waits for the kill to close positions/);
  const before = tries();
  await until(tries, (made) => made > before);
  expect(bot.child.exitCode).toBeNull();
  local.exchange.control.setFaults({ rules: [] });
  expect(await bot.exit).toBe(0);
  const closes = bot.lines.filter(({ msg, tag, complete }) => msg === 'orderFilled' && tag === 'kill' && complete === true);
  expect(closes).toHaveLength(1);
  expect(local.behind.orders.all.filter(({ live }) => live)).toEqual([]);
});
