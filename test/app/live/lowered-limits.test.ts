import { writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { Instrument } from '../../../src/model/instrument.ts';
import { BTC } from '../../local-exchange/local.ts';
import { botWorkspace } from './bot-process.ts';
import { wallExchange } from './wall-exchange.ts';

const SPEC = { symbol: 'BTC-USDT', tickSize: '0.01', stepSize: '0.00001', makerFee: '0.001', takerFee: '0.001' };

/** Buys once, with a stop loss 10 % below, and leaves a bid at half the price. */
const GUARDED = `import { type Intents, place, Strategy, type Ticker } from 'tidegate';

export class Guarded extends Strategy {
  static needs = { tickers: true };
  done = false;
  save() { return { done: this.done }; }
  restore(saved: { done: boolean }) { this.done = saved.done; }
  onTicker({ symbol, last }: Ticker): Intents {
    if (this.done) return undefined;
    this.done = true;
    return [
      place({ symbol, side: 'buy', type: 'market', quantity: '0.01', exits: { stopLoss: (last * 0.9).toFixed(2) } }),
      place({ symbol, side: 'buy', type: 'limit', quantity: '0.02', price: (last / 2).toFixed(2) }),
    ];
  }
}
`;

test('a lowered limit does not block a stop: it is sent in several orders; start and doctor warn of orders beyond the limit', async () => {
  const local = await wallExchange({ instruments: [new Instrument(0, SPEC)] });
  local.price('BTC-USDT', '60000');
  const work = botWorkspace(local.section());
  writeFileSync(work.path('once.ts'), GUARDED);
  const bot = work.launch('live', local.env);
  await bot.line(({ msg, held }) => msg === 'orderAccepted' && held === true);
  await bot.line(({ msg, clientOrderId }) => msg === 'orderAccepted' && clientOrderId.endsWith('-2'));
  // Between two turns: what the lines say is in the journal.
  expect((await work.status()).openOrders).toEqual({ held: 1, accepted: 1 });
  bot.child.kill('SIGKILL');
  await bot.exit;
  const isLossless = ({ msg }: { msg: string }) => msg.startsWith('NO LOSS LIMIT');
  expect(bot.lines.find(isLossless)).toMatchObject({ strategies: ['one'] });

  const lowered = ['risk.orders.maxNotional=200', 'risk.account.maxDrawdown=0.9'];
  const only = ['--mode', 'live', '--only', 'refusable', ...lowered.flatMap((one) => ['--set', one])];
  const doctor = await work.run(['doctor', work.config, ...only]);
  expect(doctor.stdout).toMatch(/^WARNING +positions and open orders of the journal are within the limits$/m);
  expect(doctor.stdout).toContain('BTC-USDT, one: position of 0.00999: a close of it is sent as 3 orders, one after the other');
  expect(doctor.stdout).toMatch(
    /BTC-USDT, one: sell 0\.00999 stop at 54000 \(once-one-\w+-3\): it is sent as 3 orders, one after the other/,
  );
  expect(doctor.stdout).toMatch(
    /BTC-USDT, one: buy 0\.02 limit at 30000 \(once-one-\w+-2\): notionalAboveMaximum \(notional 600, maximum 200\): it stays at the exchange/,
  );
  expect((await work.run(['doctor', work.config, ...only.slice(0, 4)])).stdout).toMatch(
    /^ok +positions and open orders of the journal are within the limits/m,
  );

  const again = work.launch('live', local.env, ...lowered);
  await again.said('ready');
  expect(again.lines.some(isLossless)).toBe(false);
  const warned = again.lines.filter(({ msg }) => msg === 'A LIMIT WOULD REFUSE A PRESENT POSITION OR ORDER');
  expect(warned.map(({ what, code }) => [what, code])).toEqual([
    ['position of 0.00999', undefined],
    ['buy 0.02 limit at 30000', 'notionalAboveMaximum'],
    ['sell 0.00999 stop at 54000', undefined],
  ]);
  local.price('BTC-USDT', '53000');
  while (local.behind.wallets.spot.available('BTC').greaterThan(0)) await work.status();
  const { fillsOrderResultList: fills } = await local.client('bot').fills({ symbol: BTC });
  const sells = fills.filter(({ side }) => side.toLowerCase().includes('sell'));
  expect(sells.map(({ fillQuantity }) => Number(fillQuantity)).sort()).toEqual([0.00245, 0.00377, 0.00377]);
  again.child.kill('SIGTERM');
  expect(await again.exit).toBe(0);
  expect(again.lines.filter(({ level }) => level === 50)).toEqual([]);
});
