import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { PERP } from '../../local-exchange/local.ts';
import type { Line, Running } from './bot-process.ts';
import { ACCOUNTS, ended, filled, guarded, type Traded } from './guarded.ts';
import { type WallExchange, wallExchange } from './wall-exchange.ts';

const halted = (bot: Running, step: string) =>
  bot.line(({ msg, reason }) => msg === 'instrument halted' && reason.includes(`stepSize ${step} there, 0.0001 in the config`));

/** A bot that has bought 0.0123, and its stop waits. */
async function holding(local: WallExchange, symbol: Traded, price: string) {
  local.price(symbol, price);
  const work = guarded(local, symbol);
  const strategy = work.path('once.ts');
  writeFileSync(strategy, readFileSync(strategy, 'utf8').replace("'0.01'", "'0.0123'"));
  const bot = work.launch('live', local.env);
  await filled(bot);
  await bot.line(({ msg, type, tag }) => msg === 'orderSubmitted' && type === 'stop' && tag === 'stopLoss');
  return { work, bot };
}

const refused = 'a stop could not be sent, or was refused: the bot tries again';
const below = (left: string, of: string, least: string) => ({
  subject: 'position of one',
  condition: 'below the step',
  reason: `${left} of ${of} cannot be closed by an order: the exchange takes multiples of ${least}, at least ${least}`,
});

test('spot: a stop that the new step refuses is rounded to it and sent again, and the rest is named', async () => {
  const local = await wallExchange({ accounts: ACCOUNTS });
  const { work, bot } = await holding(local, 'BTC-USDT', '60000');
  local.exchange.control.setGrid('BTC-USDT', { stepSize: '0.003' });
  local.price('BTC-USDT', '50000');
  expect(await bot.said(refused)).toMatchObject({ code: 'gridChanged' });
  await halted(bot, '0.003');
  // Of 0.0123 bought, the fee of 0.1 % leaves 0.0122 in whole steps.
  const isClose = ({ msg, side }: Line) => msg === 'orderFilled' && side === 'sell';
  expect(await bot.line(isClose)).toMatchObject({ quantity: '0.012', price: '50000' });
  await bot.line(({ msg, code }) => msg === 'orderDenied' && code === 'quantityBelowMinimum');
  const health = [
    { condition: 'halted', reason: expect.stringContaining('write `stepSize: "0.003"` in the config') },
    { condition: 'without its stop', reason: 'refused by quantityBelowMinimum, and not tried again' },
    { condition: 'unprotected' },
    below('0.0002', '0.0002', '0.003'),
  ];
  expect(await work.status()).toMatchObject({ trading: 'no', health });
  await ended(bot);
  expect(bot.lines.filter(isClose)).toHaveLength(1);
  // The start is not refused: what is left is named again.
  const again = work.launch('live', local.env);
  await again.said('ready');
  expect(await work.status()).toMatchObject({ trading: 'no', health });
  // The exchange goes back: the halt ends with the next reading.
  await ended(again);
  local.exchange.control.setGrid('BTC-USDT', { stepSize: '0.0001' });
  const last = work.launch('live', local.env);
  await last.said('ready');
  expect((await work.status()).health).not.toContainEqual(expect.objectContaining({ condition: 'halted' }));
  await ended(last);
  await work.run(['replay', work.path('runs/once-live'), '--quiet']);
});

test('futures: a stop that must be placed again on another grid is rounded to it, and a restart and a kill close on it', async () => {
  const local = await wallExchange({ accounts: ACCOUNTS });
  const { work, bot } = await holding(local, 'BTC-USDT-PERP', '60000.5');
  const owner = local.client('bot');
  const plan = async (but?: string) => {
    for (;;) {
      const [found] = (await owner.triggers({ symbol: PERP })).filter(({ order_id: id }) => id !== but);
      if (found !== undefined) return found;
    }
  };
  const first = await plan();
  // 0.9 x 60000.5, rounded down to the config's tick.
  expect(first).toMatchObject({ size: '0.0123', triggerPrice: '54000.4' });
  await bot.line(({ msg, orderId }) => msg === 'orderAccepted' && orderId === first.order_id);
  local.exchange.control.setGrid('BTC-USDT-PERP', { stepSize: '0.001', tickSize: '0.5' });
  await owner.cancelFuturesOrder({ symbol: PERP, orderId: first.order_id });
  await bot.line(({ msg, code }) => msg === refused && code === 'gridChanged');
  await halted(bot, '0.001');
  const second = await plan(first.order_id);
  expect(second).toMatchObject({ size: '0.012', triggerPrice: '54000' });
  await bot.line(({ msg, orderId }) => msg === 'orderAccepted' && orderId === second.order_id);
  await ended(bot, 'SIGKILL');

  const again = work.launch('live', local.env);
  await again.said('ready');
  const health = [{ condition: 'halted', reason: expect.stringContaining('tickSize 0.5 there, 0.1 in the config') }];
  expect(await work.status()).toMatchObject({ trading: 'no', health: [...health, below('0.0003', '0.0123', '0.001')] });
  await work.run(['kill', work.config, '--flatten', '--wait', '1'], { code: 11 });
  expect(await filled(again)).toMatchObject({ side: 'sell', quantity: '0.012' });
  const bare = 'a position could NOT BE CLOSED: the order was refused, and the bot does not try again';
  expect(await again.said(bare)).toMatchObject({ code: 'quantityBelowMinimum' });
  expect((await work.status()).health).toContainEqual(expect.objectContaining(below('0.0003', '0.0003', '0.001')));
  await ended(again);
  await work.run(['replay', work.path('runs/once-live'), '--quiet']);
});
