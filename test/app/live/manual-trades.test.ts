import { writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { Instrument } from '../../../src/model/instrument.ts';
import { BTC, spotOrder } from '../../local-exchange/local.ts';
import { type BotWorkspace, botWorkspace, type Running } from './bot-process.ts';
import { type WallExchange, wallExchange } from './wall-exchange.ts';

const SPEC = { symbol: 'BTC-USDT', tickSize: '0.01', stepSize: '0.00001', makerFee: '0.001', takerFee: '0.001' };

/** Buys at its first price, with a stop loss 10 % below: once in the life of its account. */
const GUARDED = `import { type Intents, place, Strategy, type Ticker } from 'tidegate';

export class Guarded extends Strategy {
  static needs = { tickers: true };
  done = false;
  save() { return { done: this.done }; }
  restore(saved: { done: boolean }) { this.done = saved.done; }
  onTicker({ symbol, last }: Ticker): Intents {
    if (this.done) return undefined;
    this.done = true;
    return place({ symbol, side: 'buy', type: 'market', quantity: '0.01', exits: { stopLoss: (last * 0.9).toFixed(2) } });
  }
}
`;

interface Scene {
  readonly local: WallExchange;
  readonly work: BotWorkspace;
  readonly bot: Running;
  /** Coins at the exchange. */
  coins(): string;
}

/** A bot that holds 0.00999 BTC with a held stop, whose owner then sells 0.001 by hand. */
async function soldByHand(more = ', foreign: block'): Promise<Scene> {
  const local = await wallExchange({ instruments: [new Instrument(0, SPEC)] });
  local.price('BTC-USDT', '60000');
  const work = botWorkspace(local.section(more));
  writeFileSync(work.path('once.ts'), GUARDED);
  const bot = work.launch('live', local.env);
  await bot.line(({ msg, complete }) => msg === 'orderFilled' && complete === true);
  await bot.line(({ msg, held }) => msg === 'orderAccepted' && held === true);
  local.price('BTC-USDT', '60000');
  const order = spotOrder({ side: 'sell', price: '59900', quantity: '0.001' });
  await local.client('bot').batchOrders({ symbol: BTC, orderList: [order] });
  local.price('BTC-USDT', '60001');
  await bot.line(({ msg }) => msg === 'instrument halted');
  const coins = () => local.behind.wallets.spot.available('BTC').toFixed();
  return { local, work, bot, coins };
}

test('a stop fires after a manual trade, and closes what the account still holds', async () => {
  const { local, work, bot, coins } = await soldByHand();
  expect(coins()).toBe('0.00899');
  local.price('BTC-USDT', '51000');
  await bot.line(({ msg, side, complete }) => msg === 'orderFilled' && side === 'sell' && complete === true);
  expect(coins()).toBe('0');
  expect(await work.status()).toMatchObject({ trading: 'no', positions: {} });
  bot.child.kill('SIGTERM');
  expect(await bot.exit).toBe(0);
}, 40_000);

test('kill --flatten after a manual trade closes what the account still holds', async () => {
  const { work, bot, coins } = await soldByHand();
  await work.run(['kill', work.config, '--flatten']);
  await bot.line(({ msg, tag, complete }) => msg === 'orderFilled' && tag === 'kill' && complete === true);
  expect(coins()).toBe('0');
  bot.child.kill('SIGTERM');
  expect(await bot.exit).toBe(0);
}, 40_000);
