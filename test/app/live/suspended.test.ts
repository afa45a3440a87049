import { expect, test } from '@jest/globals';
import type { ListingRules } from '../../../src/local-exchange/core/listings.ts';
import type { Line } from './bot-process.ts';
import { ACCOUNTS, ended, filled, guarded } from './guarded.ts';
import { wallExchange } from './wall-exchange.ts';

test('a pair in which the exchange suspends trading is halted, its stop is tried again, also after a restart, and sells when trading goes on', async () => {
  const listings = new Map<string, ListingRules>();
  const local = await wallExchange({ accounts: ACCOUNTS, listings });
  local.price('BTC-USDT', '60000');
  const work = guarded(local, 'BTC-USDT', '');
  const bot = work.launch('live', local.env, 'risk.account.errorBudget.errors=2', 'risk.account.errorBudget.perMs=600000');
  await filled(bot);
  listings.set('BTC-USDT', { enableTrade: false });
  // Below the stop.
  local.price('BTC-USDT', '53000');
  const isRetry = ({ msg, code }: Line) =>
    msg === 'a stop could not be sent, or was refused: the bot tries again' && code === 'tradingSuspended';
  await bot.line(isRetry);
  const halted = {
    subject: 'instrument',
    symbol: 'BTC-USDT',
    condition: 'halted',
    reason: 'the exchange has suspended trading in BTC-USDT; exits are tried again until it goes on',
  };
  await bot.said('instrument halted');
  const { trading, health, latches } = await work.status();
  expect(health).toContainEqual(expect.objectContaining(halted));
  // The halt counts as an error of the exchange, the refusals do not.
  expect([trading, latches.map(({ rule }) => rule)]).toEqual(['no', []]);
  await ended(bot, 'SIGKILL');
  const again = work.launch('live', local.env);
  await again.line(
    ({ msg }) =>
      msg ===
      'instruments.BTC-USDT: the exchange has suspended its trading: the bot starts because it has a position or orders there, and opens nothing',
  );
  await again.line(isRetry);
  expect((await work.status()).health).toContainEqual(expect.objectContaining(halted));
  listings.clear();
  expect(await again.line(({ msg, side }) => msg === 'orderFilled' && side === 'sell')).toMatchObject({
    quantity: '0.0099',
    price: '53000',
  });
  await ended(again);
});
