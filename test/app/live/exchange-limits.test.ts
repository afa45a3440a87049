import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Instrument } from '../../../src/model/instrument.ts';
import { ROOT, runCli } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type Line, launch } from './bot-process.ts';
import { wallExchange } from './wall-exchange.ts';

/** Buys 0.4 twice, and then wants more than the exchange takes: 0.6 at once, a limit 10 % above the price, and a larger position. */
const STRATEGY = `import { type Fill, type Intents, place, Strategy, type Ticker } from 'tidegate';
const long = { symbol: 'BTC-USDT-PERP', side: 'buy', positionSide: 'long' } as const;
export class Wants extends Strategy {
  static needs = { tickers: true };
  done = false;
  onTicker(_: Ticker): Intents {
    if (this.done) return undefined;
    this.done = true;
    return [0, 1].map(() => place({ ...long, type: 'market', quantity: '0.4', tag: 'in' }));
  }
  onFill({ side }: Fill): Intents {
    if (side === 'sell' || this.position('BTC-USDT-PERP').quantity < 0.8) return undefined;
    return [
      place({ ...long, type: 'market', quantity: '0.6', tag: 'large' }),
      place({ ...long, type: 'limit', quantity: '0.1', price: '110', tag: 'far' }),
      place({ ...long, type: 'limit', quantity: '0.3', price: '90', tag: 'much' }),
    ];
  }
}
`;

test("an order beyond the exchange's own limits is denied, and a close is sent in several orders, though the config has no limits", async () => {
  const contract = { value: '0.000001', tiers: [{ maintenance: '0.005' }], liquidationFee: '0.001', triggerBy: 'last' } as const;
  const grid = { tickSize: '0.1', stepSize: '0.0001', makerFee: '0.0002', takerFee: '0.0006' };
  const exchange = await wallExchange({
    instruments: [new Instrument(0, { symbol: 'BTC-USDT-PERP', ...grid, maxQuantity: '0.5', contract })],
    accounts: [{ name: 'bot', balances: { futures: { USDT: '1000' } } }],
    listings: new Map([['BTC-USDT-PERP', { buyLimitPriceRatio: '0.05', maxPositionSize: '1' }]]),
  });
  exchange.price('BTC-USDT-PERP', '100');
  const folder = temporaryFolder('exchange-limits');
  const config = join(folder, 'bot.yaml');
  writeFileSync(join(folder, 'wants.ts'), STRATEGY);
  writeFileSync(
    config,
    `name: wants
dataDir: ${join(ROOT, 'data')}
account: { kind: futures, balances: { USDT: "1000" }, margin: { leverage: "10" } }
instruments:
  BTC-USDT-PERP: { tickSize: "0.1", stepSize: "0.0001", makerFee: "0.0002", takerFee: "0.0006" }
strategies:
  - { id: one, file: ./wants.ts, symbols: [BTC-USDT-PERP] }
backtest: { data: [sample] }
${exchange.section()}
`,
  );
  const bot = launch(['live', config], exchange.env);
  const denied = (tag: string) => bot.line((line: Line) => line.msg === 'orderDenied' && line.tag === tag);
  expect(await denied('large')).toMatchObject({ code: 'quantityAboveMaximum', quantity: '0.6', maximum: '0.5' });
  expect(await denied('far')).toMatchObject({ code: 'priceOutsideCollar', price: '110', last: '100', collar: '0.05' });
  expect(await denied('much')).toMatchObject({ code: 'positionAboveLimit', position: '1.1', limit: '1' });
  // The bot learns of this limit when the exchange refuses the first close of the kill.
  exchange.exchange.control.setGrid('BTC-USDT-PERP', { maxQuantity: '0.3' });
  await runCli(ROOT, ['kill', config, '--flatten']);
  const isClose = ({ msg, side }: Line) => msg === 'orderFilled' && side === 'sell';
  await bot.line((line: Line) => isClose(line) && bot.lines.filter(isClose).length === 3);
  expect(bot.lines.filter(({ msg, code }: Line) => msg === 'orderRejected' && code === 'gridChanged')).not.toEqual([]);
  expect(bot.lines.filter(isClose).map(({ quantity }: Line) => quantity)).toEqual(['0.3', '0.3', '0.2']);
  expect(exchange.behind.futures.positionRecords().filter(({ steps }) => steps > 0)).toEqual([]);
  bot.child.kill('SIGTERM');
  await bot.exit;
});
