import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { CCI, PSAR } from 'trading-signals';
import { checkGolden, RunFailed, type StrategyTest, testStrategy } from '../../../src/entries/testing.ts';
import {
  type Bar,
  cancel,
  type Depth,
  type Mark,
  place,
  type Quote,
  type Signal,
  Strategy,
  type StrategyContext,
  setTimer,
  z,
} from '../../../src/index.ts';
import { ROOT } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const buy = (quantity: number | string = 1) => place({ symbol: 'BTC-USDT', side: 'buy', type: 'market', quantity });

/** Buys at the close of its first bar. */
class Once extends Strategy {
  static override needs = { bars: '1m' };
  override onBar(_bar: Bar) {
    return this.position(this.symbols[0]!).quantity === 0 && this.orders().length === 0 ? buy() : undefined;
  }
}

test('intents, fills and account are those of a backtest', async () => {
  const run = await testStrategy(Once, { bars: [100, 110, 120] });
  expect(run.intents).toEqual([buy()]);
  expect(run.decisions.map(({ time }) => time)).toEqual([Date.UTC(2025, 0, 1, 0, 1)]);
  expect(run.fills).toMatchObject([{ side: 'buy', price: '110', quantity: '1', fee: '0' }]);
  // 100,000 - 110 + 120.
  expect(run.account).toEqual({ equity: '100010', balances: { BTC: '1', USDT: '99890' }, positions: { 'BTC-USDT': '1' } });
  expect(run.orderEvents.map(({ kind, symbol, strategyId }) => `${kind} ${symbol} ${strategyId}`)).toEqual([
    'orderSubmitted BTC-USDT test',
    'orderAccepted BTC-USDT test',
    'orderFilled BTC-USDT test',
  ]);
  expect(run.result.summary).toMatchObject({ fills: 1, out: '', error: null });
});

class Crossing extends Strategy {
  override onQuote({ symbol, bid }: Quote) {
    if (symbol === 'ETH-USDT' && this.orders().length === 0)
      return place({ symbol, side: 'buy', type: 'limit', price: bid - 1, quantity: 1 });
  }
}

test('quotes by hand fill a limit order that they reach, for several symbols alike', async () => {
  const quotes = {
    'ETH-USDT': [
      [50, 51],
      [47, 48],
    ],
    'BTC-USDT': [[100, 101]],
  } as const;
  const run = await testStrategy(Crossing, { quotes });
  expect(run.fills).toMatchObject([{ symbol: 'ETH-USDT', price: '49', time: Date.UTC(2025, 0, 1, 0, 0, 1) }]);
});

test('a denial has its reason with the numbers', async () => {
  class Greedy extends Once {
    override onBar(_bar: Bar) {
      return buy(5);
    }
  }
  const { denials, fills } = await testStrategy(Greedy, { bars: [100, 100], balances: { USDT: '100' } });
  expect(denials[0]).toMatchObject({ code: 'balanceTooLow', asset: 'USDT' });
  expect(fills).toEqual([]);
});

class Window extends Strategy {
  static override needs = { bars: '15m', history: 2 };
  override onStart() {
    this.log.info('history', { closes: this.history('BTC-USDT').map(({ close }) => close) });
    return undefined;
  }
}

test('the first bars can be history, and bars have the length that the class needs', async () => {
  const { log, result } = await testStrategy(Window, { bars: [1, 2, 3, 4], history: 2, start: '2025-03-01T00:00:00Z' });
  expect(log).toMatchObject([{ level: 'info', message: 'history', fields: { closes: [1, 2] } }]);
  expect(result.summary.to).toContain('2025-03-01');
});

const Params = z.object({ size: z.number() });
class Sized extends Strategy<typeof Params> {
  static override params = Params;
  static override needs = { bars: '1m' };
  override onBar(_bar: Bar) {
    return [cancel(), setTimer({ name: 'x', everyMs: 1000 }), buy(this.params.size)];
  }
}

test('parameters are checked, and settings of a config are merged over the defaults', async () => {
  await expect(testStrategy(Sized, { bars: [1], params: { size: 'big' } })).rejects.toMatchObject({ code: 'STRATEGY_PARAMS_INVALID' });
  const config = { instruments: { 'BTC-USDT': { takerFee: '0.01' } }, backtest: { fills: { slippageBps: 100 } } };
  const { fills } = await testStrategy(Sized, { bars: [100, 100], params: { size: 2 }, config });
  // 1 % slippage on 100, and 1 % of 2 coins as the fee.
  expect(fills).toMatchObject([{ price: '101', quantity: '2', fee: '0.02', feeAsset: 'BTC' }]);
  await expect(testStrategy(Sized, { bars: [1], config: { strategies: [] } })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
});

test('decimals are exact, whatever their number', async () => {
  const { fills } = await testStrategy(Once, { bars: ['0.0000012345', '0.0000012345'], config: {} });
  expect(fills).toMatchObject([{ price: '0.0000012345' }]);
});

test.each<[string, StrategyTest, string]>([
  ['no rows at all', {}, 'expected rows of at least one of bars, quotes, trades, tickers, depth'],
  ['marks alone', { marks: { 'BTC-USDT-PERP': [1] } }, 'expected rows of at least one of bars, quotes, trades, tickers, depth'],
  ['a book without asks', { depth: [{ bids: [[1, 1]] } as never] }, 'depth of BTC-USDT, row 0: expected an object with bids and asks'],
  ['a level of nothing', { depth: [{ bids: [[1, 0]], asks: [] }] }, 'depth of BTC-USDT, row 0: quantity: expected a number above 0'],
  ['a signal that is no object', { bars: [1], signals: { p: [0.5 as never] } }, 'signals of p, row 0: expected an object of values'],
  ['a value of a signal', { bars: [1], signals: { p: [{ up: Number.NaN }] } }, 'signals of p, row 0: expected up to be a finite number'],
  ['a wrong name', { bars: [1], signals: { p: [{ '1x': 1 }] } }, 'signals of p, row 0: expected a name of 1 to 64 letters'],
  ['an empty list', { bars: [] }, 'bars of BTC-USDT: expected rows'],
  ['a wrong price', { bars: [100, Number.NaN] }, 'bars of BTC-USDT, row 1: open: expected a number of at least 0 or decimal text, not NaN'],
  [
    'a number that no double has',
    { bars: ['1234567890.123456789', 1] },
    'bars of BTC-USDT: 1234567890.123456789: with the 9 decimal places of its column it has more than 15 digits',
  ],
  ['a high below the close', { bars: [[100, 101, 99, 102]] }, 'bars of BTC-USDT, row 0: expected low <= open, close <= high'],
  ['an unknown field', { tickers: [{ price: 1 } as never] }, 'tickers of BTC-USDT, row 0: expected a price, a list [last] or an object'],
  [
    'a time that goes back',
    {
      tickers: [
        { last: 1, time: 2000 },
        { last: 1, time: 1000 },
      ],
    },
    'tickers of BTC-USDT, row 1: its time is before',
  ],
  ['a wrong side', { trades: [[1, 1, 'up' as 'buy']] }, 'trades of BTC-USDT, row 0: side: expected buy, sell or nothing'],
  ['a wrong symbol', { bars: { BTCUSDT: [1] } }, 'bars: expected a symbol such as BTC-USDT, not "BTCUSDT"'],
])('%s is refused with its row and the expected value', async (_, wrong, message) => {
  await expect(testStrategy(Once, wrong)).rejects.toMatchObject({ code: 'DATA_INVALID', message: expect.stringContaining(message) });
});

class Resting extends Strategy {
  override onDepth({ symbol }: Depth) {
    if (this.orders().length > 0 || this.position(symbol).quantity > 0) return undefined;
    return place({ symbol, side: 'buy', type: 'market', quantity: 3 });
  }
}

test('whole order books by hand: a market order takes their levels', async () => {
  const asks = [
    ['100.75', '4'],
    ['100.5', 1],
  ] as const;
  const depth = [
    { bids: [[99, 5]], asks },
    { bids: [], asks: [[102, 9]] },
  ] as const;
  const { fills } = await testStrategy(Resting, { depth });
  // 1 at the best price, the other 2 at the next one.
  expect(fills.map(({ price, quantity }) => `${quantity} at ${price}`)).toEqual(['1 at 100.5', '2 at 100.75']);
});

class Carry extends Strategy {
  static override needs = { bars: '1h', marks: true };
  seen: number[] = [];
  override onMark({ price }: Mark) {
    this.log.info(`mark ${price}`);
    return undefined;
  }
  override onBar({ symbol }: Bar) {
    return this.position(symbol).quantity === 0 ? place({ symbol, side: 'buy', type: 'market', quantity: 2 }) : undefined;
  }
}

test('marks and funding of a perpetual by hand: funding is quantity times mark times rate', async () => {
  const symbol = 'BTC-USDT-PERP';
  const at = (hour: number) => Date.UTC(2025, 0, 1, hour);
  const { account, log, result } = await testStrategy(Carry, {
    bars: { [symbol]: [100, 100, 100, 100] },
    marks: {
      [symbol]: [
        { time: at(0), price: 100 },
        { time: at(3) - 1000, price: '101.5' },
      ],
    },
    funding: { [symbol]: [{ time: at(3), rate: '-0.01' }] },
  });
  expect(log.map(({ message }) => message)).toEqual(['mark 100', 'mark 101.5']);
  // A negative rate pays the long: 2 x 101.5 x 0.01.
  expect(result.summary.statistics.funding).toBe('2.03');
  expect(account.equity).toBe('100002.03');
});

class Told extends Strategy {
  static override needs = { bars: '1m', signals: 'preds' };
  override onSignal({ symbol, values, time, sourceTime }: Signal) {
    this.log.info('signal', { symbol, values, time, sourceTime });
    return symbol === undefined ? undefined : place({ symbol, side: 'buy', type: 'market', quantity: Number(values.up) });
  }
}

test('signals by hand come at the closes of bars, or at their own times, and never before', async () => {
  const start = Date.UTC(2025, 0, 1);
  const preds = [
    { symbol: 'BTC-USDT', up: 2 },
    { up: null, regime: 'calm' },
    { time: start + 150_000, up: 1.5 },
  ];
  const { fills, log } = await testStrategy(Told, { bars: [100, 101, 102, 103], signals: { preds } });
  expect(log.map(({ fields }) => fields)).toEqual([
    { symbol: 'BTC-USDT', values: { up: 2, regime: null }, time: start + 60_000, sourceTime: start + 60_000 },
    { symbol: undefined, values: { up: null, regime: 'calm' }, time: start + 120_000, sourceTime: start + 120_000 },
    { symbol: undefined, values: { up: 1.5, regime: null }, time: start + 150_000, sourceTime: start + 150_000 },
  ]);
  expect(fills).toMatchObject([{ price: '101', quantity: '2' }]);
  const config = { signals: { preds: { availableAfter: '90s' } } };
  const delayed = await testStrategy(Told, { bars: [100, 101, 102, 103], signals: { preds: [preds[0]!] }, config });
  expect(delayed.fills).toMatchObject([{ price: '103' }]);
});

test.each<[string, string, unknown, StrategyTest, string]>([
  ['no class', 'USAGE', undefined, { bars: [1] }, 'testStrategy: expected the class of a strategy or the path of its file, not undefined'],
  ['text', 'CONFIG_INVALID', Once, { bars: [1], history: '2' as never }, 'history: expected a whole number of bars of at least 0, not 2'],
  ['less than none', 'CONFIG_INVALID', Once, { bars: [1], history: -1 }, 'history: expected a whole number of bars'],
  ['no settings', 'CONFIG_INVALID', Once, { bars: [1], config: null as never }, 'config: expected an object of settings, not null'],
  [
    'no schema',
    'STRATEGY_PARAMS_INVALID',
    class extends Once {
      static override params = { fast: 1 } as never;
    },
    { bars: [1] },
    "strategies[0].params: `static params` of the strategy's class: expected a schema of zod 4",
  ],
])('%s is refused with %s', async (_, code, Class, wrong, message) => {
  await expect(testStrategy(Class as typeof Once, wrong)).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
});

test('a throw in the strategy rejects with its place, and has the results until then', async () => {
  class Broken extends Strategy {
    static override needs = { bars: '1m' };
    seen = 0;
    override onBar(_bar: Bar) {
      if (++this.seen === 2) throw new Error('no good');
      return buy();
    }
  }
  const error = await testStrategy(Broken, { bars: [100, 100, 100] }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(RunFailed);
  expect(error).toMatchObject({ code: 'STRATEGY_THREW', message: expect.stringContaining('no good') });
  expect((error as RunFailed).result.fills.length).toBe(1);
});

test('a class of a file is loaded by its path', async () => {
  const run = await testStrategy(join(ROOT, 'strategies/sma-cross.ts'), { params: { fast: 2, slow: 3 }, bars: [100, 99, 98, 99, 101] });
  expect(run.intents).toMatchObject([{ kind: 'place', side: 'buy' }]);
});

test('equal tests have equal event logs, and two at once do not disturb each other', async () => {
  const made: string[] = [];
  class Noted extends Once {
    constructor(context: StrategyContext) {
      super(context);
      made.push(context.id);
    }
  }
  const bars = [100, 99, 101, 98, 103];
  const [one, two, other] = await Promise.all([bars, bars, [...bars, 1]].map((rows) => testStrategy(Noted, { bars: rows })));
  expect(two!.result.eventLogSha256).toBe(one!.result.eventLogSha256);
  expect(two!.result.summary.dataSha256).toBe(one!.result.summary.dataSha256);
  expect(other!.result.summary.dataSha256).not.toBe(one!.result.summary.dataSha256);
  expect(made).toHaveLength(3);
});

test('a class in a file leaves the environment of the caller as it is', async () => {
  process.env.OF_THE_CALLER_SECRET = 'kept';
  try {
    await testStrategy(join(ROOT, 'strategies/sma-cross.ts'), { bars: [1] });
    expect(process.env.OF_THE_CALLER_SECRET).toBe('kept');
  } finally {
    delete process.env.OF_THE_CALLER_SECRET;
  }
});

test('a warning about rows by hand names no recording, as there is none', async () => {
  const at = (minute: number) => ({ ...{ open: 100, high: 100, low: 100, close: 100 }, time: Date.UTC(2025, 0, 1, 0, minute) });
  const { result } = await testStrategy(Once, { bars: [at(0), at(10)] });
  expect(result.warnings).toContainEqual('BTC-USDT bar 1m: the data has gaps (1, at 2025-01-01T00:00:00Z)');
});

test('on a build server a golden test does not make the figures that it compares with', async () => {
  const file = join(temporaryFolder('golden-ci'), 'once.json');
  const run = await testStrategy(Once, { bars: [100, 110] });
  const { CI } = process.env;
  try {
    process.env.CI = 'true';
    expect(() => checkGolden(file, run)).toThrow('there are no golden figures; run the test once on your machine');
    expect(existsSync(file)).toBe(false);
    process.env.CI = 'false';
    expect(checkGolden(file, run)).toBe('kept');
  } finally {
    if (CI === undefined) delete process.env.CI;
    else process.env.CI = CI;
  }
});

test('a golden test keeps figures, accepts equal ones, and names each that has changed', async () => {
  const file = join(temporaryFolder('golden'), 'deep/once.json');
  const run = await testStrategy(Once, { bars: [100, 110, 120] });
  expect(checkGolden(file, run)).toBe('kept');
  expect(checkGolden(file, run.result)).toBe('same');
  const changed = await testStrategy(Once, { bars: [100, 110, 121] });
  expect(() => checkGolden(file, changed)).toThrow('  finalEquity: "100010" is now "100011"');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ finalEquity: '100010', fills: 1 });
  const forgotten = testStrategy(Once, { bars: [1] });
  expect(() => checkGolden(file, forgotten as never)).toThrow(
    'expected the result of testStrategy or of backtest, not a promise: await it',
  );
  await forgotten;
  expect(() => checkGolden(file, undefined as never)).toThrow(expect.objectContaining({ code: 'USAGE' }));
  writeFileSync(file, '[]');
  expect(() => checkGolden(file, run)).toThrow('expected a JSON object with the figures of a run');
  expect(existsSync(join(file, '..', 'runs'))).toBe(false);
});

class Exiting extends Strategy {
  static override needs = { bars: '1m' };
  override onBar(): undefined {
    process.exit(0);
  }
}

test('process.exit in a strategy stops the run, not the process of the test, which may exit as before', async () => {
  const { exit } = process;
  await expect(testStrategy(Exiting, { bars: [100, 110] })).rejects.toThrow(/strategies must not call process\.exit\(0\)/);
  expect(process.exit).toBe(exit);
});

class Canceling extends Strategy {
  static override needs = { bars: '1m' };
  override onBar() {
    return cancel({ clientOrderId: 'none' });
  }
}

test('a run that only cancels is not one whose orders were denied', async () => {
  const { result } = await testStrategy(Canceling, { bars: [100, 110] });
  expect(result.warnings).toContain('2 cancels or changes named no order of the strategy (orderUnknown)');
  expect(result.warnings).toContain('strategies returned intents, but placed no order');
  expect(result.warnings.join()).not.toMatch(/denied|none of them filled/);
});

test.each([
  [0.0005, true],
  [0.1, false],
])('slippage of %d basis points leaves the finding noSlippage: %p', async (slippageBps, found) => {
  const config = { backtest: { fills: { slippageBps } } };
  const { result } = await testStrategy(Once, { bars: [100, 110, 120], config });
  expect(result.findings.some(({ id }) => id === 'noSlippage')).toBe(found);
});

/** Logs the length of its bars, and how many it can read. */
class ByParameter extends Strategy<typeof ByParameter.params> {
  static override params = z.object({ interval: z.string().default('1m') });
  static override needs = (params: { interval: string }) => ({ bars: params.interval, history: 1 });
  override onBar({ symbol, interval }: Bar) {
    this.log.info(`${interval} ${this.bars(symbol, this.params.interval, 1).length}`);
  }
}

test('needs can depend on the parameters', async () => {
  const said = async (test: StrategyTest) => (await testStrategy(ByParameter, { history: 1, ...test })).log.map(({ message }) => message);
  expect(await said({ bars: [100, 101, 102] })).toEqual(['1m 1', '1m 1']);
  expect(await said({ bars: [100, 101], params: { interval: '4h' } })).toEqual(['4h 1']);
});

/** Has indicators that divide by the range of bars, and one that keeps the bars. */
class Ranges extends Strategy {
  static override needs = { bars: '1m' };
  readonly cci = this.indicator(new CCI(3), { bars: '1m', input: 'bar' });
  readonly psar = this.indicator(new PSAR({ accelerationStep: 0.02, accelerationMax: 0.2 }), { bars: '1m', input: 'bar' });
  override onBar(): undefined {
    this.log.info(`${this.cci.value?.toFixed(3)} ${this.psar.value}`);
  }
}

test('a run over bars that do not move says in how many an indicator had no number', async () => {
  const { log, result } = await testStrategy(Ranges, { bars: [100, 100, 100, 100, 110] });
  // CCI of 100, 100, 110: typical price 6.67 above its mean, mean deviation 4.44, so 6.67 / (0.015 * 4.44).
  expect(log.map(({ message }) => message.split(' ')[0])).toEqual([
    'undefined',
    'undefined',
    'indicator(CCI):',
    '0.000',
    '0.000',
    '100.000',
  ]);
  expect(result.warnings).toContain(
    'strategy "test": CCI on 1m of BTC-USDT has no number while prices do not move: in 2 bars its last value or 0 stood',
  );
});
