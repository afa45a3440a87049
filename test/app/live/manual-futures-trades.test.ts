import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Instrument } from '../../../src/model/instrument.ts';
import { trigger } from '../../local-exchange/local.ts';
import { ROOT, runCli } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { launch, type Running } from './bot-process.ts';
import { type WallExchange, wallExchange } from './wall-exchange.ts';

/** Goes long once, with a stop that trails by 5 %, which the engine leads. */
const STRATEGY = `import { type Intents, place, Strategy, type Ticker } from 'tidegate';
export class Holds extends Strategy {
  static needs = { tickers: true };
  done = false;
  onTicker({ symbol }: Ticker): Intents {
    if (this.done) return undefined;
    this.done = true;
    return place({ symbol, side: 'buy', type: 'market', quantity: '0.5', exits: { trail: { percent: 5 } } });
  }
}
`;

interface Scene {
  readonly exchange: WallExchange;
  readonly config: string;
  readonly bot: Running;
  /** Steps of 0.0001 BTC of the long position at the exchange. */
  long(): number;
}

/** A bot that is long 0.5 BTC, of which its owner then closes 0.2 by hand. */
async function closedByHand(): Promise<Scene> {
  const contract = { value: '0.000001', tiers: [{ maintenance: '0.005' }], liquidationFee: '0.001', triggerBy: 'last' } as const;
  const perp = new Instrument(0, {
    symbol: 'BTC-USDT-PERP',
    tickSize: '0.1',
    stepSize: '0.0001',
    makerFee: '0.0002',
    takerFee: '0.0006',
    contract,
  });
  const exchange = await wallExchange({
    instruments: [perp],
    accounts: [{ name: 'bot', balances: { futures: { USDT: '1000' } } }],
    lists: { keepTerminalOrders: true, keepFlatPositions: false },
  });
  exchange.price('BTC-USDT-PERP', '100');
  const folder = temporaryFolder('by-hand');
  const config = join(folder, 'bot.yaml');
  writeFileSync(join(folder, 'holds.ts'), STRATEGY);
  writeFileSync(
    config,
    `name: holds
dataDir: ${join(ROOT, 'data')}
account: { kind: futures, balances: { USDT: "1000" }, margin: { leverage: "10" } }
instruments:
  BTC-USDT-PERP: { tickSize: "0.1", stepSize: "0.0001", makerFee: "0.0002", takerFee: "0.0006" }
strategies:
  - { id: one, file: ./holds.ts, symbols: [BTC-USDT-PERP] }
backtest: { data: [sample] }
${exchange.section(', foreign: block')}
`,
  );
  const bot = launch(['live', config], exchange.env);
  await bot.line(({ msg, side, complete }) => msg === 'orderFilled' && side === 'buy' && complete === true);
  await bot.line(({ msg, held }) => msg === 'orderAccepted' && held === true);
  await exchange.client('bot').triggerOrder(trigger({ type: '3', size: '0.2', trigger_price: '100' }));
  exchange.price('BTC-USDT-PERP', '100');
  await bot.line(({ msg }) => msg === 'instrument halted');
  const long = () => exchange.behind.futures.heldSteps(perp, 'long');
  expect(long()).toBe(3_000);
  return { exchange, config, bot, long };
}

test('futures: a held stop closes the rest that a manual trade has left', async () => {
  const { exchange, bot, long } = await closedByHand();
  exchange.price('BTC-USDT-PERP', '85');
  await bot.line(({ msg, side, complete }) => msg === 'orderFilled' && side === 'sell' && complete === true);
  expect(long()).toBe(0);
  bot.child.kill('SIGTERM');
  expect(await bot.exit).toBe(0);
});

test('futures: kill --flatten closes the rest that a manual trade has left, and reports it', async () => {
  const { config, bot, long } = await closedByHand();
  const killed = await runCli(ROOT, ['kill', config, '--flatten']);
  expect(long()).toBe(0);
  expect(killed.stdout).toMatch(/^closed +sell 0\.3 BTC-USDT-PERP \(one\)$/m);
  bot.child.kill('SIGTERM');
  expect(await bot.exit).toBe(0);
});
