import { writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { ended, filled, guarded } from './guarded.ts';
import { wallExchange } from './wall-exchange.ts';

/** Buys 0.01, and leaves an order that sells all of it far above. */
const SELLER = `import { type Intents, place, Strategy, type Ticker } from 'tidegate';

export class Seller extends Strategy {
  static needs = { tickers: true };
  bought = false;
  offered = false;
  onTicker({ symbol, last }: Ticker): Intents {
    const { quantity } = this.position(symbol);
    if (!this.bought) {
      this.bought = true;
      return place({ symbol, side: 'buy', type: 'market', quantity: '0.01' });
    }
    if (this.offered || quantity === 0) return undefined;
    this.offered = true;
    return place({ symbol, side: 'sell', type: 'limit', price: last * 1.2, quantity, reduceOnly: true });
  }
}
`;
const ANSWER_MS = 2_000;

test('spot: if a resting sell has reserved all coins, the close of a kill leaves within two answers: of the cancel, and of one look-up', async () => {
  const local = await wallExchange();
  local.price('BTC-USDT', '60000');
  const work = guarded(local, 'BTC-USDT');
  writeFileSync(work.path('once.ts'), SELLER);
  const bot = work.launch('live', local.env);
  await filled(bot);
  local.price('BTC-USDT', '60001');
  const offer = await bot.line(({ msg, type }) => msg === 'orderSubmitted' && type === 'limit');
  await bot.line(({ msg, clientOrderId }) => msg === 'orderAccepted' && clientOrderId === offer.clientOrderId);
  local.exchange.control.setFaults({ rules: [{ fault: 'delay', ms: [ANSWER_MS, ANSWER_MS] }] });
  await work.run(['kill', work.config, '--flatten', '--wait', '60']);
  const killed = await bot.line(({ msg }) => /^killed: all orders/.test(msg));
  const canceled = await bot.line(({ msg, side, reason }) => msg === 'orderCanceled' && side === 'sell' && reason === 'killed');
  const closed = await bot.line(({ msg, tag }) => msg === 'orderSubmitted' && tag === 'kill');
  expect(bot.lines.indexOf(canceled)).toBeLessThan(bot.lines.indexOf(closed));
  // A third answer would make it at least three times as long.
  expect(closed.at - killed.at).toBeGreaterThanOrEqual(2 * ANSWER_MS);
  expect(closed.at - killed.at).toBeLessThan(3 * ANSWER_MS);
  local.exchange.control.setFaults({ rules: [] });
  await ended(bot);
});
