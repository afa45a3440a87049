import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { bundleRun } from '../../../src/app/bundle/make-bundle.ts';
import { libraryError } from '../../../src/app/library/library-error.ts';
import type { ConfigObject, Progress } from '../../../src/entries/run.ts';
import { backtest, compare, loadConfig, RunFailed, TidegateError } from '../../../src/entries/run.ts';
import { amend, type Bar, place, Sma, Strategy, z } from '../../../src/index.ts';
import { ROOT, readCsv } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const Params = z.object({ fast: z.int().default(10), slow: z.int().default(30) });

class Cross extends Strategy<typeof Params> {
  static override readonly params = Params;
  static override readonly needs = { bars: '1m' };
  readonly fast = new Sma(this.params.fast);
  readonly slow = new Sma(this.params.slow);

  override onBar(bar: Bar) {
    this.fast.update(bar.closeTicks);
    this.slow.update(bar.closeTicks);
    if (!this.slow.ready) return undefined;
    const up = this.fast.compare(this.slow) > 0;
    const { quantity } = this.position(bar.symbol);
    if (up === quantity > 0) return undefined;
    return place({ symbol: bar.symbol, side: up ? 'buy' : 'sell', type: 'market', quantity: up ? '0.5' : quantity });
  }
}

/** The class above as a file. */
const FILE = `import { place, Sma, Strategy, z } from 'tidegate';
const Params = z.object({ fast: z.int().default(10), slow: z.int().default(30) });
export class Cross extends Strategy {
  static params = Params;
  static needs = { bars: '1m' };
  fast = new Sma(this.params.fast);
  slow = new Sma(this.params.slow);
  onBar(bar) {
    this.fast.update(bar.closeTicks);
    this.slow.update(bar.closeTicks);
    if (!this.slow.ready) return undefined;
    const up = this.fast.compare(this.slow) > 0;
    const { quantity } = this.position(bar.symbol);
    if (up === quantity > 0) return undefined;
    return place({ symbol: bar.symbol, side: up ? 'buy' : 'sell', type: 'market', quantity: up ? '0.5' : quantity });
  }
}
`;

const strategy = { id: 'cross', use: Cross, symbols: ['BTC-USDT'] };
const CONFIG = {
  name: 'code',
  dataDir: join(ROOT, 'data'),
  account: { kind: 'spot', balances: { USDT: 100_000 } },
  instruments: { 'BTC-USDT': { tickSize: 0.01, stepSize: '0.00001', makerFee: 0.001, takerFee: 0.001 } },
  strategies: [strategy],
  backtest: { data: ['sample'], from: new Date(Date.UTC(2025, 0, 1)), to: '2025-01-06' },
} satisfies ConfigObject;

const YAML = `name: code
dataDir: ${join(ROOT, 'data')}
account: { kind: spot, balances: { USDT: "100000" } }
instruments:
  BTC-USDT: { tickSize: "0.01", stepSize: "0.00001", makerFee: "0.001", takerFee: "0.001" }
strategies:
  - { id: cross, file: ../cross.mjs, symbols: [BTC-USDT] }
backtest: { data: [sample], from: 2025-01-01, to: 2025-01-06 }
`;

/** A folder with the same run as YAML and a file. */
function asFiles(): { readonly folder: string; readonly config: string } {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'configs'));
  writeFileSync(join(folder, 'cross.mjs'), FILE);
  writeFileSync(join(folder, 'configs/code.yaml'), YAML);
  return { folder, config: join(folder, 'configs/code.yaml') };
}

const failing = (config: unknown, options = {}) =>
  backtest(config as ConfigObject, options).then(
    () => 'no error',
    (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
  );

test('an object with a class, an object with a file and a YAML file give the same run', async () => {
  const { folder, config } = asFiles();
  const ofClass = await backtest(CONFIG);
  const ofFile = await backtest(
    { ...CONFIG, strategies: [{ id: 'cross', file: '../cross.mjs', symbols: ['BTC-USDT'] }] },
    { baseDir: join(folder, 'configs') },
  );
  const ofYaml = await backtest(config);
  expect(ofClass.fills.length).toBeGreaterThan(50);
  const figures = [ofClass, ofFile, ofYaml].map(({ summary }) => ({ ...summary, elapsedMs: 0, eventsPerSecond: 0 }));
  expect(figures[1]).toEqual(figures[0]);
  expect(figures[2]).toEqual(figures[0]);
  expect(readdirSync(folder).sort()).toEqual(['configs', 'cross.mjs']);
});

test('the result has the rows of the CSV files, and their nearest doubles in columns', async () => {
  const out = join(temporaryFolder(), 'run');
  const result = await backtest(CONFIG, { out });
  const summary = JSON.parse(readFileSync(join(out, 'summary.json'), 'utf8'));
  expect(JSON.parse(JSON.stringify(result.summary))).toEqual(summary);
  expect(result.eventLogSha256).toBe(summary.eventLogSha256);
  const fills = readCsv(join(out, 'fills.csv'));
  expect([...result.fills].map(({ time, side, quantity, price, fee }) => [String(time), side, quantity, price, fee])).toEqual(
    fills.map(({ time, side, quantity, price, fee }) => [time, side, quantity, price, fee]),
  );
  expect([...result.fills.price]).toEqual(fills.map(({ price }) => Number(price)));
  expect([...result.fills.signedQuantity]).toEqual(fills.map(({ side, quantity }) => (side === 'buy' ? 1 : -1) * Number(quantity)));
  const trades = readCsv(join(out, 'trades.csv'));
  expect([...result.trades].map((trade) => [trade.entryPrice, trade.exitPrice, trade.netProfit, trade.mfe])).toEqual(
    trades.map(({ entryPrice, exitPrice, netProfit, mfe }) => [entryPrice, exitPrice, netProfit, mfe]),
  );
  expect([...result.trades.netProfit]).toEqual(trades.map(({ netProfit }) => Number(netProfit)));
  const equity = readCsv(join(out, 'equity.csv'));
  expect([...result.equity.time]).toEqual(equity.map(({ time }) => Number(time)));
  expect([...result.equity].map((row) => row.equity)).toEqual(equity.map((row) => row.equity));
  expect(result.equity.at(-1)?.equity).toBe(summary.finalEquity);
  expect(result.fills.at(result.fills.length)).toBeUndefined();
  expect(result.fills.price).toBe(result.fills.price);
  expect(existsSync(join(out, 'report.html'))).toBe(true);
  expect(JSON.parse(readFileSync(join(out, 'code.json'), 'utf8')).strategies[0].file).toBe('class:Cross');
});

test('without the hash everything else of a result is the same', async () => {
  const [whole, lean] = [await backtest(CONFIG), await backtest(CONFIG, { hash: false })];
  expect(lean.eventLogSha256).toBe('');
  expect(whole.eventLogSha256).toMatch(/^[0-9a-f]{64}$/);
  const { eventLogSha256, ...same } = whole.summary;
  expect(lean.summary).toEqual({ ...same, eventLogSha256: '', elapsedMs: expect.anything(), eventsPerSecond: expect.anything() });
  for (const table of ['trades', 'fills', 'orders', 'equity'] as const) expect([...lean[table]]).toEqual([...whole[table]]);
});

/** Orders of every kind: a bracket that fills and leaves its stop, an order by quote amount, one that rests and is replaced, one that must not take. */
class Orders extends Strategy {
  static override readonly needs = { bars: '1d' };
  days = 0;

  override onBar({ symbol }: Bar) {
    const rest = { symbol, side: 'buy', type: 'limit', price: 1000, quantity: '0.001', timeInForce: 'GTC' } as const;
    switch (++this.days) {
      case 1:
        return [
          place({
            symbol,
            side: 'buy',
            type: 'market',
            quantity: '0.25',
            exits: { stopLoss: 1000, takeProfit: 1_000_000 },
            tag: 'bracket',
          }),
          place({ symbol, side: 'buy', type: 'market', quoteQuantity: '500', ref: '007', group: 'pair' }),
          place({ ...rest, ref: 'rests' }),
          place({ ...rest, price: 110_000, postOnly: true }),
        ];
      case 2:
        return amend({ ref: 'rests', price: 1001.5 });
      default:
        return place({ ...rest, ref: `open-${this.days}` });
    }
  }
}

test('the orders of a result are the rows of orders.csv, in its order', async () => {
  const out = join(temporaryFolder(), 'run');
  const config = { ...CONFIG, strategies: [{ id: 'many', use: Orders, symbols: ['BTC-USDT'] }] };
  const { orders, summary, eventLogSha256 } = await backtest(config, { out });
  const rows = readCsv(join(out, 'orders.csv'));
  const names = Object.keys(rows[0]!);
  const written = (row: object) => {
    const { strategyId, ...cells } = row as Record<string, unknown>;
    return Object.fromEntries(names.map((name) => [name, String((name === 'strategy' ? strategyId : cells[name]) ?? '')]));
  };
  expect([...orders].map(written)).toEqual(rows);
  expect(orders.length).toBe(summary.orders);
  expect(new Set(orders.status)).toEqual(new Set(['filled', 'rejected', 'canceled', 'expired']));
  expect([...orders].filter(({ ref }) => ref === '007')).toMatchObject([
    { type: 'market', quantity: undefined, status: 'filled', group: 'pair' },
  ]);
  expect(rows.filter(({ group }) => group === 'pair').map(({ ref }) => ref)).toEqual(['007']);
  const fills = readCsv(join(out, 'fills.csv'));
  expect(fills.map(({ ref, group }) => [ref, group])).toContainEqual(['007', 'pair']);
  expect(fills.filter(({ ref }) => ref !== '007').every(({ group }) => group === '')).toBe(true);
  for (const name of ['time', 'endTime', 'price', 'stopPrice', 'quantity', 'filledQuantity', 'averagePrice'] as const)
    expect([...orders[name]]).toEqual(rows.map((row) => (row[name] === '' ? Number.NaN : Number(row[name]))));
  for (const name of ['symbol', 'side', 'type', 'status', 'tag', 'clientOrderId'] as const)
    expect(orders[name]).toEqual(rows.map((row) => row[name]));
  expect(orders.price).toBe(orders.price);
  const unwritten = await backtest(config);
  expect([...unwritten.orders]).toEqual([...orders]);
  expect(unwritten.eventLogSha256).toBe(eventLogSha256);
});

test('the folder of a run with a class is no bundle: the file of the class is not known', async () => {
  const out = join(temporaryFolder(), 'run');
  await backtest(CONFIG, { out });
  expect(() => bundleRun(out)).toThrow(/strategy "cross" was run from code as a class/);
  expect(await failing(join(out, 'config.yaml'))).toMatch(/^STRATEGY_NOT_FOUND: class:Cross: code gave this class to the run/);
});

test('a problem of an object names the key, without a place in a file', async () => {
  expect(await failing({ ...CONFIG, account: { kind: 'sport', balances: { USDT: 1 } } })).toBe(
    'CONFIG_INVALID: account.kind: expected spot, netting or futures, not "sport" (did you mean "spot"?)',
  );
  expect(await failing({ ...CONFIG, strategies: [{ ...strategy, params: { fats: 1 } }] })).toBe(
    'STRATEGY_PARAMS_INVALID: strategies[0].params.fats: unknown key (did you mean "fast"?)',
  );
  expect(await failing({ ...CONFIG, backtest: { data: ['sample'], from: new Date(Number.NaN) } })).toMatch(
    /^CONFIG_INVALID: backtest\.from: expected text, a number, .* not an invalid date$/,
  );
  const circle: Record<string, unknown> = { ...CONFIG };
  circle.risk = circle;
  expect(await failing(circle)).toBe('CONFIG_INVALID: risk: it contains itself');
  const deep = Array.from({ length: 70 }).reduce<unknown>((inner) => [inner], 1);
  expect(await failing({ ...CONFIG, risk: deep })).toBe('CONFIG_INVALID: risk: nested deeper than 64 levels');
  for (const none of [null, undefined, 5, []]) expect(await failing(none)).toMatch(/^CONFIG_INVALID: expected a map of settings/);
});

test('a strategy has either a class or a file, and the class extends Strategy', async () => {
  expect(await failing({ ...CONFIG, strategies: [{ ...strategy, file: 'cross.ts' }] })).toBe(
    'CONFIG_INVALID: strategies[0].use: expected either `use` or `file`, not both',
  );
  expect(await failing({ ...CONFIG, strategies: [{ ...strategy, use: 'Cross' }] })).toBe(
    'CONFIG_INVALID: strategies[0].use: expected a class that extends Strategy, not "Cross"',
  );
  expect(await failing({ ...CONFIG, strategies: [{ ...strategy, use: class Other {} }] })).toMatch(
    /^STRATEGY_LOAD_FAILED: strategy "cross": Other does not extend Strategy/,
  );
});

test('two classes with one name stay apart', async () => {
  const Flat = { Cross: class Cross extends Strategy<typeof Params> {} }.Cross;
  const both = { ...CONFIG, strategies: [{ ...strategy, id: 'flat', use: Flat }, strategy] };
  const { fills, eventLogSha256 } = await backtest({ ...both, account: CONFIG.account });
  expect(new Set(fills.strategyId)).toEqual(new Set(['cross']));
  expect(eventLogSha256).toMatch(/^[0-9a-f]{64}$/);
  expect((await loadConfig(both)).settings.strategies.map(({ file }) => file)).toEqual(['class:Cross', 'class:Cross-2']);
});

test('a run that an error stops rejects with its results until then', async () => {
  class Throws extends Cross {
    override onBar(bar: Bar) {
      if (bar.time >= Date.UTC(2025, 0, 3)) throw new Error('no more');
      return super.onBar(bar);
    }
  }
  const error = await backtest({ ...CONFIG, strategies: [{ ...strategy, use: Throws }] }).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(RunFailed);
  const { code, message, result } = error as RunFailed;
  expect(code).toBe('STRATEGY_THREW');
  expect(message).toMatch(/^strategy "cross" threw at bar .* of BTC-USDT \(2025-01-03T00:0\d:00Z\): no more/);
  expect(result.fills.length).toBeGreaterThan(10);
  expect(result.summary.error?.code).toBe('STRATEGY_THREW');
});

test('a signal stops the run: its result is that of the time until then', async () => {
  const all: Progress[] = [];
  const whole = await backtest(CONFIG, { onProgress: (progress) => all.push(progress) });
  expect(all.at(-1)).toEqual({ events: whole.summary.marketEvents, time: whole.equity.time.at(-1), from: all[0]!.from, to: all[0]!.to });
  const stopped = new AbortController();
  const part = await backtest({ ...CONFIG, backtest: { data: ['sample'] } }, { signal: stopped.signal, onProgress: () => stopped.abort() });
  expect(part.interrupted).toBe(true);
  expect(part.summary.interrupted).toBe(true);
  expect(part.findings).toEqual([]);
  const before = await backtest(CONFIG, { signal: AbortSignal.abort() });
  expect(before.interrupted).toBe(true);
  expect(before.summary.marketEvents).toBeLessThan(3);
});

test('the process goes on while a run goes on, and two runs at once do not disturb each other', async () => {
  const other = { ...CONFIG, strategies: [{ ...strategy, params: { fast: 3, slow: 60 } }] };
  const long = { data: ['sample'] };
  const alone = [await backtest({ ...CONFIG, backtest: long }), await backtest({ ...other, backtest: long })];
  const order: string[] = [];
  const [first, second] = await Promise.all([
    backtest({ ...CONFIG, backtest: long }, { onProgress: () => order.push('first') }),
    backtest({ ...other, backtest: long }, { onProgress: () => order.push('second') }),
  ]);
  expect([first.eventLogSha256, second.eventLogSha256]).toEqual(alone.map(({ eventLogSha256 }) => eventLogSha256));
  expect(first.eventLogSha256).not.toBe(second.eventLogSha256);
  // Neither waited for the end of the other.
  expect(order.indexOf('second')).toBeLessThan(order.lastIndexOf('first'));
  expect(order.indexOf('first')).toBeLessThan(order.lastIndexOf('second'));
});

test('a strategy gets no result of its promises while it runs, as on the command line', async () => {
  class Waits extends Cross {
    passed = 0;
    override onBar(bar: Bar) {
      if (this.passed > 0) throw new Error('a promise came back');
      void Promise.resolve().then(() => {
        this.passed++;
      });
      return super.onBar(bar);
    }
  }
  const long = { data: ['sample'] };
  const plain = await backtest({ ...CONFIG, backtest: long });
  const waits = await backtest({ ...CONFIG, backtest: long, strategies: [{ ...strategy, use: Waits }] });
  expect(waits.eventLogSha256).toBe(plain.eventLogSha256);
});

/** A run in a process of its own: jest has the events of this one. */
const STRAYS = `
const [root, listens] = process.argv.slice(1);
const { backtest } = await import(root + '/dist/bundle/run.js');
const { Strategy } = await import(root + '/dist/bundle/index.js');
if (listens === 'yes') process.on('unhandledRejection', ({ message }) => console.log('process: ' + message));
class Rejects extends Strategy {
  static needs = { bars: '1m' };
  onStart() {
    Promise.reject(new Error('of the strategy'));
  }
}
const config = ${JSON.stringify({ ...CONFIG, strategies: [] })};
const run = backtest({ ...config, strategies: [{ id: 'cross', use: Rejects, symbols: ['BTC-USDT'] }] });
setTimeout(() => Promise.reject(new Error('of the process')));
await run.catch(({ code, message }) => console.log(code + ': ' + message.split('\\n')[0]));
await new Promise((resolve) => setTimeout(resolve));
console.log(process.listenerCount('unhandledRejection'), process.listenerCount('uncaughtException'));
`;

test('a rejection that nobody catches stops the run if it is of a strategy, and stays with the process if not', async () => {
  const args = ['--input-type=module', '-e', STRAYS, ROOT];
  const failure = /^STRATEGY_THREW: strategy "cross" threw at an unhandled promise, made before any market data .*: of the strategy/;
  const { stdout } = await promisify(execFile)(process.execPath, [...args, 'yes']);
  // A listener of the process is called for every rejection.
  const lines = stdout.trim().split('\n').sort();
  expect(lines).toEqual(['1 0', expect.stringMatching(failure), 'process: of the process', 'process: of the strategy']);
  const ended = await promisify(execFile)(process.execPath, [...args, 'no']).catch((error: unknown) => error);
  expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('Error: of the process') });
});

test('the environment of the process stays as it is, and its variables are used', async () => {
  const { config } = asFiles();
  writeFileSync(config, YAML.replace('"100000"', '"$' + '{MY_TOKEN}"'));
  process.env.MY_TOKEN = '100000';
  try {
    const { eventLogSha256 } = await backtest(config);
    expect(process.env.MY_TOKEN).toBe('100000');
    expect(eventLogSha256).toBe((await backtest(CONFIG)).eventLogSha256);
    expect(await failing(config, { env: {} })).toMatch(
      /CONFIG_INVALID: .*code\.yaml:3:\d+: account\.balances\.USDT: the environment variable/,
    );
  } finally {
    delete process.env.MY_TOKEN;
  }
});

test('what a listener throws stops the run, and the caller gets it', async () => {
  const thrown = new Error('enough');
  const caught = await backtest(CONFIG, {
    onProgress: () => {
      throw thrown;
    },
  }).catch((error: unknown) => error);
  expect(caught).toBe(thrown);
});

test('compare gives the causes of the difference between two written runs', async () => {
  const folder = temporaryFolder();
  const a = await backtest(CONFIG, { out: join(folder, 'a') });
  const dearer = { 'BTC-USDT': { ...CONFIG.instruments['BTC-USDT'], takerFee: 0.002 } };
  const b = await backtest({ ...CONFIG, instruments: dearer }, { out: join(folder, 'b') });
  const { difference, causes } = await compare(join(folder, 'a'), join(folder, 'b'));
  expect(difference.toFixed()).toBe((Number(b.summary.finalEquity) - Number(a.summary.finalEquity)).toFixed(8).replace(/0+$/, ''));
  expect(causes[0]?.cause).toBe('fee');
  await expect(compare(join(folder, 'a'), join(folder, 'none'))).rejects.toMatchObject({ code: 'DATA_NOT_FOUND' });
});

test('errors name options as code does, and command lines as they are', async () => {
  const out = temporaryFolder('library-used');
  writeFileSync(join(out, 'notes.txt'), '');
  await expect(backtest(CONFIG, { out })).rejects.toThrow(/^`out` .*: already contains .*notes\.txt; expected a new or empty folder$/);
  const error = libraryError(new TidegateError('USAGE', 'use --data-dir or `tidegate data import --kind mark`, not a--b or run--c'));
  expect((error as Error).message).toBe('use `dataDir` or `tidegate data import --kind mark`, not a--b or run--c');
});

class Plotted extends Strategy {
  static override readonly needs = { bars: '1d' };

  override onBar({ closeTicks }: Bar) {
    this.plot('close', 1);
    this.plot('close', closeTicks);
    const day = new Date(this.now - 1).getUTCDate();
    this.plot('even', day % 2 === 0 ? day : undefined, { pane: 'days', style: 'bars' });
    return undefined;
  }
}

test('plots of a run are curves with arrays, as in plots.csv; without the option there are none', async () => {
  const out = join(temporaryFolder('library-plots'), 'out');
  const config = { ...CONFIG, strategies: [{ id: 'p', use: Plotted, symbols: ['BTC-USDT'] }] };
  const { plots, eventLogSha256 } = await backtest(config, { plots: true, out });
  const rows = readCsv(join(out, 'plots.csv'));
  const days = [1, 2, 3, 4, 5].map((day) => Date.UTC(2025, 0, day + 1));
  expect(plots.map(({ time, value, ...plot }) => plot)).toEqual([
    { strategyId: 'p', symbol: 'BTC-USDT', name: 'close', pane: 'price', style: 'line' },
    { strategyId: 'p', symbol: 'BTC-USDT', name: 'even', pane: 'days', style: 'bars' },
  ]);
  const [close, even] = plots;
  expect([...close!.time]).toEqual(days);
  expect([...close!.value]).toEqual(rows.filter(({ name }) => name === 'close').map(({ value }) => Number(value)));
  expect([...even!.value]).toEqual([2, Number.NaN, 4, Number.NaN]);
  expect([...even!.time]).toEqual(days.slice(1));
  const without = await backtest(config);
  expect(without.plots).toEqual([]);
  expect(without.eventLogSha256).toBe(eventLogSha256);
});
