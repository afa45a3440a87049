import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { OperationName } from '../../../src/exchange/operations/operation-table.ts';
import { until } from '../../support/until.ts';
import type { BotWorkspace, Running } from './bot-process.ts';
import { ACCOUNTS, ended, filled, guarded, type Traded } from './guarded.ts';
import { type WallExchange, wallExchange } from './wall-exchange.ts';

/** Buys 0.01 with a stop and bids for 0.02, once. Once it has bought, it needs three candles, and throws without them. */
const NEEDY = `import { type Intents, place, Strategy, type Ticker } from 'tidegate';

export class Needy extends Strategy {
  static needs = { tickers: true, bars: '1m', history: 3 };
  done = false;
  save() { return { done: this.done }; }
  restore(saved: { done: boolean }) { this.done = saved.done; }
  onStart() { if (this.done && this.history(this.symbols[0]!).length < 3) throw new Error('no candles'); }
  onTicker({ symbol, last }: Ticker): Intents {
    if (this.done) return undefined;
    this.done = true;
    const long = symbol.endsWith('-PERP') ? { positionSide: 'long' as const } : {};
    return [
      place({ symbol, side: 'buy', type: 'market', quantity: '0.01', exits: { stopLoss: last * 0.9 }, ...long }),
      place({ symbol, side: 'buy', type: 'limit', price: last * 0.8, quantity: '0.02', ...long }),
    ];
  }
}
`;
const WITHOUT =
  'the bot was killed before it had its candles, so its strategies do not run: it only cancels and closes until its next start';

/** A bot with a position, a stop and a bid that waits in its second start for some answers of the exchange. */
async function waiting(
  name: string,
  symbol: Traded,
  failing: readonly OperationName[] = ['candles', 'futuresCandles'],
): Promise<{ local: WallExchange; work: BotWorkspace; bot: Running }> {
  const local = await wallExchange({ accounts: ACCOUNTS });
  local.price(symbol, '60000');
  const work = guarded(local, symbol, ', candles: true');
  writeFileSync(work.path('once.ts'), NEEDY);
  writeFileSync(work.config, readFileSync(work.config, 'utf8').replace('name: once', `name: ${name}`));
  const first = work.launch('live', local.env, 'live.warmup=cold');
  await filled(first);
  await first.line(({ msg, quantity }) => msg === 'orderSubmitted' && quantity === '0.02');
  await ended(first, 'SIGKILL');
  local.exchange.control.setFaults({ rules: [{ fault: 'failBefore', operations: failing }] });
  const bot = work.launch('live', local.env);
  await bot.said('a request of the start failed: trying again');
  return { local, work, bot };
}

test.each<[name: string, symbol: Traded]>([
  ['spot', 'BTC-USDT'],
  ['futures', 'BTC-USDT-PERP'],
])(
  '%s: a bot that waits for candles says so, obeys a kill that flattens at once, and trades again only after a start with candles',
  async (name, symbol) => {
    const { local, work, bot } = await waiting(name, symbol);
    const { phase, trading, health } = await work.status();
    expect([phase, trading]).toEqual(['starting', 'no']);
    expect(health[0]).toMatchObject({ subject: 'start', condition: 'waiting', since: expect.any(Number) });
    expect(health[0]!.reason).toMatch(/^waits for candles of the exchange \(/);
    const { stdout } = await work.run(['kill', work.config, '--flatten', '--wait', '60', '--json']);
    // Of spot the fee has taken a part.
    const quantity = symbol === 'BTC-USDT' ? '0.0099' : '0.01';
    expect(JSON.parse(stdout)).toMatchObject({ openOrders: {}, flatten: { closed: [{ symbol, quantity }] } });
    expect((await work.status()).health).toEqual([expect.objectContaining({ subject: 'start', condition: 'incomplete', reason: WITHOUT })]);
    const { stderr } = await work.run(['reset', work.config], { code: 2 });
    expect(stderr).toContain(WITHOUT);
    await ended(bot);
    await work.run(['replay', work.path(`runs/${name}-live`), '--quiet']);
    local.exchange.control.setFaults({ rules: [] });
    const again = work.launch('live', local.env, 'live.warmup=cold');
    // Its state was kept: it has bought already.
    expect((await again.line(({ code }) => code === 'STRATEGY_THREW')).error).toContain('no candles');
    await again.exit;
  },
);

test('a bot that is killed by its file before it starts waits for no candles: its orders are canceled, and its position is named as unprotected', async () => {
  const { local, work, bot } = await waiting('left', 'BTC-USDT');
  await ended(bot, 'SIGKILL');
  writeFileSync(work.path('runs/left-live/KILL'), '');
  const killed = work.launch('live', local.env);
  await killed.said('ready');
  expect(killed.lines.filter(({ msg }) => String(msg).includes('trying again'))).toEqual([]);
  const { positions, trading, health } = await until(work.status, ({ openOrders }) => Object.keys(openOrders).length === 0);
  expect([trading, positions]).toEqual(['no', { 'BTC-USDT': '0.0099' }]);
  expect(health.map(({ condition }) => condition)).toEqual(['incomplete', 'unprotected']);
  expect(local.behind.orders.all.filter(({ live }) => live)).toEqual([]);
  await ended(killed);
});

test('a bot that waits for the list of pairs obeys a kill that flattens: signed requests need only the time of the exchange', async () => {
  const { work, bot } = await waiting('listed', 'BTC-USDT', ['exchangeInfo', 'candles']);
  const { stdout } = await work.run(['kill', work.config, '--flatten', '--wait', '60', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ openOrders: {}, flatten: { closed: [{ symbol: 'BTC-USDT', quantity: '0.0099' }] } });
  await ended(bot);
});
