import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { BotStatus } from '../../../src/app/live/process/bot-status.ts';
import { Instrument } from '../../../src/model/instrument.ts';
import { ROOT, runCli } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { launch } from './bot-process.ts';
import { wallExchange } from './wall-exchange.ts';

const STRATEGY = `import { type Fill, type Intents, place, Strategy, type Ticker } from 'tidegate';
export class Holds extends Strategy {
  static needs = { tickers: true };
  done = false;
  onTicker({ symbol }: Ticker): Intents {
    if (this.done) return undefined;
    this.done = true;
    return place({ symbol, side: 'buy', positionSide: 'long', type: 'market', quantity: '0.5', tag: 'in' });
  }
  onFill({ side, tag, steps }: Fill) {
    const held = this.position('BTC-USDT-PERP').quantity;
    this.log.info('told', { side, tag, steps, held });
  }
}
`;

/** A bot that has bought 0.5 at 100. */
async function holding(makerFee: string) {
  const contract = { value: '0.000001', tiers: [{ maintenance: '0.005' }], liquidationFee: '0.001', triggerBy: 'last' } as const;
  const perp = new Instrument(0, {
    symbol: 'BTC-USDT-PERP',
    tickSize: '0.1',
    stepSize: '0.0001',
    makerFee,
    takerFee: '0.0006',
    contract,
  });
  const exchange = await wallExchange({
    instruments: [perp],
    accounts: [{ name: 'bot', balances: { futures: { USDT: '1000' } } }],
    lists: { keepTerminalOrders: true, keepFlatPositions: false },
  });
  exchange.price('BTC-USDT-PERP', '100');
  const folder = temporaryFolder('agreement');
  const config = join(folder, 'bot.yaml');
  writeFileSync(join(folder, 'holds.ts'), STRATEGY);
  writeFileSync(
    config,
    `name: holds
dataDir: ${join(ROOT, 'data')}
account: { kind: futures, balances: { USDT: "1000" }, margin: { leverage: "10" } }
instruments:
  BTC-USDT-PERP: { tickSize: "0.1", stepSize: "0.0001", makerFee: "${makerFee}", takerFee: "0.0006" }
strategies:
  - { id: one, file: ./holds.ts, symbols: [BTC-USDT-PERP] }
backtest: { data: [sample] }
${exchange.section()}
`,
  );
  const bot = launch(['live', config], exchange.env);
  expect(await bot.line(({ msg, side }) => msg === 'told' && side === 'buy')).toMatchObject({ tag: 'in', steps: 5_000, held: 0.5 });
  return { exchange, config, bot };
}

// Where making is free, no sum of the account tells a close by agreement from one by somebody else.
test.each(['0.0002', '0'])(
  'a close by agreement reaches the strategy as a fill at the agreed price, and trading goes on (maker fee %s)',
  async (makerFee) => {
    const { exchange, config, bot } = await holding(makerFee);
    exchange.exchange.control.agree('bot', 'BTC-USDT-PERP', 'long', '103');
    expect(await bot.said('positionLiquidated')).toMatchObject({ type: 'agreementClose', symbol: 'BTC-USDT-PERP' });
    expect(await bot.line(({ msg, side }) => msg === 'told' && side === 'sell')).toMatchObject({
      tag: 'liquidation',
      steps: 5_000,
      held: 0,
    });
    const status = JSON.parse((await runCli(ROOT, ['status', config, '--json'])).stdout) as BotStatus;
    // 0.5 x 3 and a taker's fee of 0.06 % of 50; the close pays none.
    expect(status).toMatchObject({ equity: '1001.47', profit: { total: '1.47' }, positions: {}, trading: 'yes', latches: [], health: [] });
    expect(status.lastFills[0]).toMatchObject({ side: 'sell', quantity: '0.5', price: '103', fee: '0 USDT' });
    bot.child.kill('SIGTERM');
    expect(await bot.exit).toBe(0);
  },
);

test('auto-deleveraging of a part, then of the rest, reaches the strategy as fills of their own kind, and trading goes on', async () => {
  const { exchange, config, bot } = await holding('0.0002');
  exchange.exchange.control.deleverage('bot', 'BTC-USDT-PERP', 'long', '104', '0.2');
  expect(await bot.said('positionDeleveraged')).toMatchObject({ type: 'autoDeleveraging', symbol: 'BTC-USDT-PERP' });
  expect(await bot.line(({ msg, side }) => msg === 'told' && side === 'sell')).toMatchObject({
    tag: 'autoDeleveraging',
    steps: 2_000,
    held: 0.3,
  });
  const statusNow = async () => JSON.parse((await runCli(ROOT, ['status', config, '--json'])).stdout) as BotStatus;
  // 0.2 x 4 of profit, 0.3 at 100 still, and a taker's fee of 0.06 % of 50; deleveraging charges none.
  const fine = { trading: 'yes', latches: [], health: [] };
  expect(await statusNow()).toMatchObject({ ...fine, equity: '1000.77', positions: { 'BTC-USDT-PERP:long': '0.3' } });
  exchange.exchange.control.deleverage('bot', 'BTC-USDT-PERP', 'long', '105');
  expect(await bot.line(({ msg, held }) => msg === 'told' && held === 0)).toMatchObject({ tag: 'autoDeleveraging', steps: 3_000 });
  // And 0.3 x 5.
  const status = await statusNow();
  expect(status).toMatchObject({ ...fine, equity: '1002.27', positions: {} });
  expect(status.lastFills[0]).toMatchObject({ side: 'sell', quantity: '0.3', price: '105', fee: '0 USDT' });
  bot.child.kill('SIGTERM');
  expect(await bot.exit).toBe(0);
});
