import { expect, test } from '@jest/globals';
import { PERP } from '../../local-exchange/local.ts';
import { ACCOUNTS, ended, guarded } from './guarded.ts';
import { wallExchange } from './wall-exchange.ts';

test('futures: a stop canceled at the exchange is placed again once, then halts over a restart, and a replay decides the same', async () => {
  const local = await wallExchange({ accounts: ACCOUNTS });
  local.price('BTC-USDT-PERP', '60000');
  const work = guarded(local, 'BTC-USDT-PERP');
  const bot = work.launch('live', local.env);
  const owner = local.client('bot');
  const stopId = async () => (await owner.futuresOrders({ symbol: PERP })).find(({ status }) => status === 'untriggered')?.order_id;
  const accepted = (orderId: string) => bot.line((line) => line.msg === 'orderAccepted' && line.orderId === orderId);
  let first: string | undefined;
  while (first === undefined) first = await stopId();
  await accepted(first);
  await owner.cancelFuturesOrder({ symbol: PERP, orderId: first });
  await bot.said('a position is WITHOUT ITS STOP: somebody canceled it at the exchange, and the bot places it again');
  let second: string | undefined;
  while (second === undefined || second === first) second = await stopId();
  await accepted(second);
  expect(await work.status()).toMatchObject({ trading: 'yes', health: [], unprotected: {} });
  await owner.cancelFuturesOrder({ symbol: PERP, orderId: second });
  const reason = 'the stop of one was canceled at the exchange again';
  await bot.line(({ msg, reason: why }) => msg === 'instrument halted' && why === reason);
  const bare = [
    { condition: 'halted', reason },
    { condition: 'without its stop', reason: 'somebody canceled it at the exchange, and it is not placed again' },
    { condition: 'unprotected' },
  ];
  expect(await work.status()).toMatchObject({ trading: 'no', health: bare, unprotected: { 'one BTC-USDT-PERP:long': '0.01' } });
  await ended(bot, 'SIGKILL');

  const again = work.launch('live', local.env);
  await again.said('ready');
  expect(await work.status()).toMatchObject({ trading: 'no', health: bare });
  expect((await work.run(['status', work.config])).stdout).toMatch(/^unprotected +one BTC-USDT-PERP:long 0\.01$/m);
  expect(JSON.parse((await work.run(['reset', work.config, '--json'])).stdout)).toMatchObject({ trading: 'yes', health: bare.slice(1) });
  await ended(again);
  // Ends with another code than 0 if a decision differs.
  await work.run(['replay', work.path('runs/once-live'), '--quiet']);
});
