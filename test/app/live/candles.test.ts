import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, expect, test } from '@jest/globals';
import { Instrument } from '../../../src/model/instrument.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { SystemClock } from '../../../src/venues/rest/real-clock.ts';
import { botWorkspace } from './bot-process.ts';
import { type WallExchange, wallExchange } from './wall-exchange.ts';

const MINUTE = 60_000;
/** Of this pair nothing is recorded. */
const XRP = new Instrument(0, { symbol: 'XRP-USDT', tickSize: '0.01', stepSize: '0.00001', makerFee: '0.001', takerFee: '0.001' });
const NEEDY = `import { Strategy } from 'tidegate';
export class Needy extends Strategy {
  static needs = { bars: '1m', history: 3 };
  onStart() { this.log.info('closes', { closes: this.history(this.symbols[0]!).map(({ close }) => close) }); }
}
`;

/** The wall's time, but for a past that is played first. */
class CatchingUp implements Clock {
  readonly #wall = new SystemClock();
  behindMs = 4 * MINUTE;
  now = () => this.#wall.now() - this.behindMs;
  schedule = (time: number, callback: () => void) => this.#wall.schedule(time + this.behindMs, callback);
}

let exchange: WallExchange;
let work: ReturnType<typeof botWorkspace>;
beforeAll(async () => {
  const clock = new CatchingUp();
  exchange = await wallExchange({ instruments: [XRP], clock });
  // One price a minute, to the present: 96, 97, 98, 99, 100. Each minute closes at the price that it opened with.
  for (let ago = 4; ago >= 0; ago--) {
    clock.behindMs = ago * MINUTE;
    exchange.price('XRP-USDT', String(100 - ago));
  }
  work = botWorkspace(exchange.section(', candles: true'));
  writeFileSync(work.config, readFileSync(work.config, 'utf8').replaceAll('BTC-USDT', 'XRP-USDT'));
  writeFileSync(work.path('once.ts'), NEEDY);
});

test('a bot with requested candles starts with the bars built from them', async () => {
  const bot = work.launch('live', exchange.env);
  // The minute of the last price is under way, unless it has just ended.
  const { closes } = await bot.said('closes');
  expect([
    [97, 98, 99],
    [98, 99, 100],
  ]).toContainEqual(closes);
  await bot.said('ready');
  bot.child.kill('SIGTERM');
  expect(await bot.exit).toBe(0);
});

test('too few candles refuse the start with 3, or it starts cold with a message', async () => {
  writeFileSync(work.path('once.ts'), NEEDY.replace('history: 3', 'history: 30'));
  const refused = await work.run(['live', work.config], { code: 3, env: exchange.env });
  const needed = /error DATA_NOT_FOUND: .*strategy "one" needs 30 bars of 1m of XRP-USDT.*the exchange.s newest \d+ candles of 1m/;
  expect(refused.stderr).toMatch(needed);
  const bot = work.launch('live', exchange.env, 'live.warmup=cold');
  await bot.line(({ msg }) => /strategy "one" needs 30 bars of 1m of XRP-USDT/.test(msg));
  await bot.said('ready');
  bot.child.kill('SIGTERM');
  expect(await bot.exit).toBe(0);
});
