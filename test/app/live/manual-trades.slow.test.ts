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

test('a stop triggers after a manual trade, and closes the quantity that the account still holds', async () => {
  const { local, work, bot, coins } = await soldByHand();
  expect(coins()).toBe('0.00899');
  local.price('BTC-USDT', '51000');
  await bot.line(({ msg, side, complete }) => msg === 'orderFilled' && side === 'sell' && complete === true);
  expect(coins()).toBe('0');
  expect(await work.status()).toMatchObject({ trading: 'no', positions: {} });
  bot.child.kill('SIGTERM');
  expect(await bot.exit).toBe(0);
});

test('a restart lifts no halt, and the stop fires after it', async () => {
  const { local, work, bot, coins } = await soldByHand();
  await work.status();
  bot.child.kill('SIGKILL');
  await bot.exit;
  local.price('BTC-USDT', '51000');
  const again = work.launch('live', local.env);
  await again.line(({ msg, side, complete }) => msg === 'orderFilled' && side === 'sell' && complete === true);
  expect(coins()).toBe('0');
  expect((await work.run(['status', work.config])).stdout).toMatch(/^trading +NO: BTC-USDT halted since/m);
  again.child.kill('SIGTERM');
  expect(await again.exit).toBe(0);
});

test('kill --flatten after a manual trade closes the quantity that the account still holds, and reports both parts', async () => {
  const { work, bot, coins } = await soldByHand();
  const killed = await work.run(['kill', work.config, '--flatten']);
  expect(coins()).toBe('0');
  expect(killed.stdout).toMatch(/^closed +sell 0\.00899 BTC-USDT \(one\)$/m);
  expect(killed.stdout).toMatch(
    /^gone +0\.001 BTC-USDT \(one\): the account does not hold it any more \(a trade or transfer outside this bot removed it\)$/m,
  );
  expect(killed.stdout).not.toContain('NOT CLOSED');
  bot.child.kill('SIGTERM');
  expect(await bot.exit).toBe(0);
});

test('kill --flatten ends with 11 if something is still open after its time, and continues to close; a reset lists the lifted latches', async () => {
  const { local, work, bot, coins } = await soldByHand();
  // Somebody else has put a part of the coins on sale, which nobody can sell twice.
  const order = spotOrder({ side: 'sell', price: '70000', quantity: '0.00899' });
  const [placed] = (await local.client('bot').batchOrders({ symbol: BTC, orderList: [order] })).resultList;
  const killed = await work.run(['kill', work.config, '--flatten', '--wait', '3', '--json'], { code: 11 });
  const { flatten } = JSON.parse(killed.stdout);
  expect(flatten).toMatchObject({ closed: [], standing: [{ strategy: 'one', symbol: 'BTC-USDT', quantity: '0.00899' }] });
  expect(coins()).toBe('0');
  const text = (await work.run(['kill', work.config, '--flatten', '--wait', '0.1'], { code: 11 })).stdout;
  expect(text).toMatch(/^not everything is closed, and the bot goes on closing: 0\.00899 BTC-USDT \(one\)/);
  expect(text).toMatch(/^NOT CLOSED +0\.00899 BTC-USDT \(one\): /m);
  await local.client('bot').cancelOrder({ symbol: BTC, orderId: placed!.orderId });
  expect(coins()).toBe('0.00899');
  await bot.line(({ msg, tag, complete }) => msg === 'orderFilled' && tag === 'kill' && complete === true);
  expect(coins()).toBe('0');
  const again = await work.run(['kill', work.config, '--flatten']);
  expect(again.stdout).not.toContain('NOT CLOSED');
  const reset = await work.run(['reset', work.config]);
  expect(reset.stdout).toMatch(/^lifted {7}latch kill since 20[0-9T:.-]+Z: by command$/m);
  expect(reset.stdout).toMatch(/^lifted {7}halt of BTC-USDT since 20[0-9T:.-]+Z: orders that are not ours trade it$/m);
  bot.child.kill('SIGTERM');
  expect(await bot.exit).toBe(0);
});

test.each([
  ['a stop', 'stopLoss', async ({ local }: Scene) => local.price('BTC-USDT', '51000')],
  ['a kill', 'kill', async ({ work }: Scene) => void (await work.run(['kill', work.config, '--flatten', '--wait', '2'], { code: 11 }))],
])('%s sells what an order of somebody else leaves free, and the rest once that is gone', async (_, tag, begin) => {
  const scene = await soldByHand();
  const { local, bot, coins } = scene;
  const sells = spotOrder({ side: 'sell', price: '70000', quantity: '0.003' });
  const [placed] = (await local.client('bot').batchOrders({ symbol: BTC, orderList: [sells] })).resultList;
  await begin(scene);
  const sold = () => bot.line(({ msg, tag: of, quantity }) => msg === 'orderFilled' && of === tag && quantity === '0.00599');
  await sold();
  expect(coins()).toBe('0');
  expect(local.behind.spot.balances.find(({ asset }) => asset === 'BTC')!.total.toFixed()).toBe('0.003');
  await local.client('bot').cancelOrder({ symbol: BTC, orderId: placed!.orderId });
  await bot.line(({ msg, tag: of, quantity }) => msg === 'orderFilled' && of === tag && quantity === '0.003');
  expect(coins()).toBe('0');
  bot.child.kill('SIGTERM');
  expect(await bot.exit).toBe(0);
});
