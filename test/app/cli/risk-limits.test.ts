import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../../support/cli.ts';
import { workspace } from './workspace.ts';

/** Buys and sells a tenth at market in turn, each buy with a stop; as `cross`, bids and offers through its own bid; as `late`, by a timer; as `stopped`, with a near stop that ends each trade. */
const STRATEGY = `import { type Bar, type Intents, place, setTimer, Strategy, z } from 'tidegate';

const Params = z.object({ as: z.enum(['turner', 'cross', 'late', 'stopped']).default('turner') });

export class Busy extends Strategy<typeof Params> {
  static params = Params;
  static needs = { bars: '1m' };

  onStart(): Intents {
    return this.params.as === 'late' ? setTimer({ name: 'late', everyMs: 45_000 }) : undefined;
  }

  onBar(bar: Bar): Intents {
    const { symbol, close } = bar;
    if (this.params.as === 'late') return undefined;
    if (this.params.as === 'stopped') {
      if (this.position(symbol).quantity > 0) return undefined;
      return place({ symbol, side: 'buy', type: 'market', quantity: '0.1', exits: { stopLoss: { percent: 0.05 } } });
    }
    if (this.params.as === 'turner') return this.turn(symbol, close);
    if (this.orders(symbol).length > 0) return place({ symbol, side: 'sell', type: 'limit', price: close * 0.4, quantity: '0.01' });
    return place({ symbol, side: 'buy', type: 'limit', price: close * 0.5, quantity: '0.01' });
  }

  onTimer(): Intents {
    const last = this.market('BTC-USDT').last;
    return last === undefined ? undefined : this.turn('BTC-USDT', last);
  }

  turn(symbol: string, last: number): Intents {
    const { quantity } = this.position(symbol);
    if (quantity > 0) return place({ symbol, side: 'sell', type: 'market', quantity, reduceOnly: true });
    return place({ symbol, side: 'buy', type: 'market', quantity: '0.1', exits: { stopLoss: last * 0.9 } });
  }
}
`;

/** Limits of one strategy, and the code with which they deny; a trade of a tenth loses more than 10 USDT in fees. */
const LIMITS: Readonly<Record<string, readonly [limits: string, code: string, as?: string]>> = {
  fall: ['{ capital: "1000", maxDrawdown: "0.01" }', 'drawdownLatched'],
  flat: ['{ capital: "1000", maxDrawdown: { limit: "0.01", onBreach: flatten } }', 'drawdownLatched'],
  day: ['{ capital: "1000", dailyLoss: { limit: "0.01", resetAt: midnight } }', 'dailyLossLatched'],
  pause: ['{ cooldown: { losses: 1, for: 2h } }', 'coolingDown'],
  rest: ['{ symbolCooldown: { for: 2h } }', 'symbolLocked'],
  stops: ['{ stopLossGuard: { stops: 1, within: 1h, for: 2h } }', 'symbolLocked', 'stopped'],
  much: ['{ capital: "1000", concentration: { asset: "0.5" } }', 'concentrationAboveLimit'],
  trade: ['{ maxLossPerTrade: { amount: "100", onBreach: close } }', 'lossPerTradeAboveLimit'],
  hours: ['{ tradingWindows: [{ from: "09:00", to: "12:00", zone: Asia/Tokyo }] }', 'outsideTradingWindow'],
  wind: ['{ reducing: true }', 'reducing'],
  age: ['{ maxDataAge: 20s }', 'dataStale', 'late'],
  big: ['{ orders: { maxQuantity: "0.05" } }', 'quantityAboveMaximum'],
  room: ['{ positions: { BTC-USDT: "0.05" } }', 'positionAboveLimit'],
};

const CONFIG = `name: limited
dataDir: ${join(ROOT, 'data')}
account: { kind: spot, balances: { USDT: "1000000" } }
instruments:
  BTC-USDT: { tickSize: "0.01", stepSize: "0.00001", makerFee: "0.001", takerFee: "0.001" }
strategies:
${Object.entries(LIMITS)
  .map(([id, [, , as = 'turner']]) => `  - { id: ${id}, file: ./s.ts, symbols: [BTC-USDT], params: { as: ${as} } }`)
  .join('\n')}
  - { id: cross, file: ./s.ts, symbols: [BTC-USDT], params: { as: cross } }
  - { id: free, file: ./s.ts, symbols: [BTC-USDT] }
risk:
  account: { selfTrade: deny }
  strategies:
${Object.entries(LIMITS)
  .map(([id, [limits]]) => `    ${id}: ${limits}`)
  .join('\n')}
backtest: { data: [sample], to: 2025-01-02 }
`;

test('each limit of a config denies with its code and numbers, and only its own strategy', async () => {
  const work = workspace({ 'c.yaml': CONFIG, 's.ts': STRATEGY });
  const { json } = await work.backtest();
  expect(json.error).toBeNull();
  const rows = work
    .read('out', 'denied.csv')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','));
  const codes = new Map<string, Set<string>>();
  for (const [, , strategy, , code] of rows) codes.set(strategy!, (codes.get(strategy!) ?? new Set()).add(code!));
  const expected = Object.entries(LIMITS).map(([id, [, code]]) => [id, [code]]);
  expect([...codes].map(([id, found]) => [id, [...found]]).sort()).toEqual([...expected, ['cross', ['selfTrade']]].sort());
  expect(rows.find(([, , strategy]) => strategy === 'wind')![5]).toBe('reason=by config strategy=wind');
  expect(json.warnings).toContainEqual(expect.stringMatching(/^the drawdown limit of strategy fall was broken at 2025-01-01T/));
});

test('the account limits how many strategies hold a position', async () => {
  const work = workspace({ 'c.yaml': CONFIG, 's.ts': STRATEGY });
  const sets = ['risk.strategies={}', 'risk.account={ maxOpenPositions: 5 }'].flatMap((set) => ['--set', set]);
  await work.run(['backtest', 'c.yaml', '--out', 'out', '--json', ...sets]);
  const denied = work
    .read('out', 'denied.csv')
    .split('\n')
    .filter((line) => line.includes('openPositionsAboveLimit'));
  expect(denied.length).toBeGreaterThan(0);
  for (const line of denied) expect(line).toContain('openPositionsAboveLimit,openPositions=6 limit=5');
});

test('a repeated refusal is one line of the table with its count', async () => {
  const work = workspace({ 'c.yaml': CONFIG, 's.ts': STRATEGY });
  const { stdout } = await work.run(['backtest', 'c.yaml', '--out', 'out']);
  const lines = stdout.split('\n').filter((line) => /^reducing /.test(line));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^reducing +1,440 +wind BTC-USDT buy +01-01 00:01 +01-02 00:00 +reason=by conf/);
});

test.each([
  ['risk.strategies.fre.maxOpenOrders=1', 'risk.strategies.fre: no such strategy (did you mean "free"?)'],
  [
    'risk.strategies.free.positions={ BTC-USD: 1 }',
    'risk.strategies.free.positions.BTC-USD: no such instrument (did you mean "BTC-USDT"?)',
  ],
  ['risk.strategies.free.maxMarginUse=0.5', 'risk.strategies.free.maxMarginUse: only a futures account can have this setting'],
  ['risk.account.dailyLoss={ limit: 0.1, onBreach: stop }', 'expected cancel or flatten'],
  ['risk.account.maxLossPerTrade={ onBreach: close }', 'expected an amount, a share or both'],
  ['risk.account.tradingWindows=[{ zone: Mars/Olympus }]', 'expected a time zone such as UTC or Europe/Berlin'],
  ['risk.account.tradingWindows=[{ from: "25:00" }]', 'expected a time of the day such as "09:30", at most "24:00"'],
  ['risk.account.tradingWindows=[]', 'expected at least one window'],
  ['risk.account.maxOpenPositions=0', 'expected a whole number of at least 1'],
  ['risk.account.symbolCooldown={ for: 1h, after: win }', 'expected close or loss'],
  ['risk.account.stopLossGuard={ stops: 2, for: 1h }', 'risk.account.stopLossGuard.within: '],
  ['risk.account.cooldown={ losses: 0, for: 1h }', 'expected a whole number of at least 1'],
])('%s is refused: %s', async (set, message) => {
  const work = workspace({ 'c.yaml': CONFIG, 's.ts': STRATEGY });
  const { stderr } = await work.run(['backtest', 'c.yaml', '--set', set], { code: 2 });
  expect(stderr).toContain(message);
});
