import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { Instrument } from '../../../src/model/instrument.ts';
import { check } from '../../kills/check.ts';
import { readHere } from '../../kills/here.ts';
import { botWorkspace } from './bot-process.ts';
import { wallExchange } from './wall-exchange.ts';

const BTC = new Instrument(0, { symbol: 'BTC-USDT', tickSize: '0.01', stepSize: '0.00001', makerFee: '0.001', takerFee: '0.001' });
const DIE_AT = pathToFileURL(`${import.meta.dirname}/../../kills/die-at.mjs`).href;

// A stop cancels what rests, and writes its last record when that is done: SIGKILL on either side of each commit.
test.each([
  ['cancelSubmitted', 'before'],
  ['cancelSubmitted', 'after'],
  ['request', 'after'],
  ['stop', 'before'],
  ['stop', 'after'],
] as const)('killed in the commit of a stop that holds a %s, %s it is durable, the next start finds all in order', async (kind, when) => {
  const exchange = await wallExchange({ instruments: [BTC] });
  exchange.price('BTC-USDT', '100');
  const work = botWorkspace(exchange.section());
  // The one request before the stop places both orders.
  const nth = kind === 'request' ? 2 : 1;
  const dying = { NODE_OPTIONS: `--import=${DIE_AT}`, TIDEGATE_DIE: JSON.stringify({ kind, when, nth }) };
  const bot = work.launch('live', { ...exchange.env, ...dying });
  await bot.line(({ msg, complete }) => msg === 'orderFilled' && complete === true);
  await bot.line(({ msg, clientOrderId }) => msg === 'orderAccepted' && clientOrderId.endsWith('-2'));
  bot.child.kill('SIGTERM');
  await bot.exit;
  expect(bot.child.signalCode).toBe('SIGKILL');

  const again = work.launch('live', exchange.env);
  expect(await again.said('ready')).toMatchObject({ resumed: true });
  again.child.kill('SIGTERM');
  expect(await again.exit).toBe(0);
  const account = exchange.behind;
  const arrived = account.orders.all.map(({ clientOrderId }) => clientOrderId);
  expect(arrived).toHaveLength(2);
  const here = readHere(work.path('runs', 'once-live', 'journal.sqlite'), 'once', [BTC]);
  expect(check(here, { instruments: [BTC], coins: ['BTC', 'USDT'], account, arrived })).toEqual([]);
});
