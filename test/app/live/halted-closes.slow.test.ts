import { writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { Decimal } from '../../../src/model/decimal.ts';
import { Instrument } from '../../../src/model/instrument.ts';
import { botWorkspace } from './bot-process.ts';
import { faultProxy } from './fault-proxy.ts';
import { wallExchange } from './wall-exchange.ts';

const SPEC = { symbol: 'BTC-USDT', tickSize: '0.01', stepSize: '0.00001', makerFee: '0.001', takerFee: '0.001' };

/** Buys once, with a stop loss 10 % below; at the price 61234 it rests a sell of a part. */
const GUARDED = `import { type Intents, place, Strategy, type Ticker } from 'tidegate';

export class Guarded extends Strategy {
  static needs = { tickers: true };
  done = false;
  asked = false;
  onTicker({ symbol, last }: Ticker): Intents {
    if (last === 61234 && !this.asked) {
      this.asked = true;
      return place({ symbol, side: 'sell', type: 'limit', quantity: '0.004', price: '70000' });
    }
    if (this.done) return undefined;
    this.done = true;
    return place({ symbol, side: 'buy', type: 'market', quantity: '0.01', exits: { stopLoss: (last * 0.9).toFixed(2) } });
  }
}
`;

async function guarded(more: string, coins?: string) {
  const spot = { USDT: '100000', ...(coins === undefined ? {} : { BTC: coins }) };
  const local = await wallExchange({ instruments: [new Instrument(0, SPEC)], accounts: [{ name: 'bot', balances: { spot } }] });
  const proxy = await faultProxy(local.exchange.spot);
  local.price('BTC-USDT', '60000');
  const work = botWorkspace(local.section(more).replace(local.exchange.spot, proxy.url));
  writeFileSync(work.path('once.ts'), GUARDED);
  const bot = work.launch('live', local.env);
  await bot.line(({ msg, held }) => msg === 'orderAccepted' && held === true);
  const sold = (quantity: string) => bot.line(({ msg, side, quantity: of }) => msg === 'orderFilled' && side === 'sell' && of === quantity);
  return { local, proxy, work, bot, sold, coins: () => local.behind.wallets.spot.available('BTC').toFixed() };
}

test('halted by a balance that nothing explains, a stop sells its own position, and no coin that is not its', async () => {
  const at = await guarded(', unexplained: halt', '1');
  at.local.behind.wallets.spot.deposit(Date.now(), 'BTC', new Decimal('0.5'));
  await at.bot.line(({ msg, reason }) => msg === 'instrument halted' && reason === '0.5 BTC that no record explains');
  at.local.price('BTC-USDT', '51000');
  await at.sold('0.00999');
  expect(at.coins()).toBe('1.5');
  at.bot.child.kill('SIGTERM');
  expect(await at.bot.exit).toBe(0);
});

test('during a halt for an unknown outcome, a stop sells the certain rest first, and the remainder after the proof', async () => {
  const at = await guarded(', unknownLimitMs: 1000');
  at.proxy.strike('/trade/batch-orders', 1, (response) => response.writeHead(500).end('{}'));
  at.local.price('BTC-USDT', '61234');
  await at.bot.line(({ msg, reason = '' }) => msg === 'instrument halted' && reason.startsWith('the outcome of order'));
  at.local.price('BTC-USDT', '51000');
  await at.sold('0.00599');
  expect(at.coins()).toBe('0.004');
  await at.bot.line(({ msg, code }) => msg === 'orderRejected' && code === 'neverArrived');
  await at.sold('0.004');
  expect(at.coins()).toBe('0');
  at.bot.child.kill('SIGTERM');
  expect(await at.bot.exit).toBe(0);
});
