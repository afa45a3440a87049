import { describe, expect, test } from '@jest/globals';
import { readCsv } from '../../support/cli.ts';
import { CONFIG, STRATEGY, workspace } from './workspace.ts';

const JAVASCRIPT = `import { place, Strategy } from 'tidegate';

export class Plain extends Strategy {
  static needs = { bars: '1m' };
  onBar(bar) {
    if (this.position(bar.symbol).side === 'flat') return place({ symbol: bar.symbol, side: 'buy', type: 'market', quantity: 0.1 });
  }
}
`;
const THROWS = ['--set', 'strategies.0.params.throwAt=12'];

test('JavaScript runs as TypeScript does', async () => {
  const work = workspace({ 's.js': JAVASCRIPT });
  const { json } = await work.backtest(['--set', 'strategies.0.file=./s.js']);
  expect(json).toMatchObject({ fills: 1, finalPositions: { 'BTC-USDT': '0.0999' } });
});

test('a strategy of one file names its line in every run, and is loaded again after a change', async () => {
  const work = workspace({ 's.js': JAVASCRIPT.replace('if (', "throw new Error('broken'); if (") });
  const args = ['backtest', 'c.yaml', '--set', 'strategies.0.file=./s.js', '--quiet'];
  // The second run finds the module that the first one has made.
  for (let run = 0; run < 2; run++) expect((await work.run(args, { code: 4 })).stderr).toMatch(/broken\n {2}at .*s\.js:6:\d+/);
  const files = { 's.js': JAVASCRIPT.replace('0.1', '0.2') };
  const { json } = await work.backtest(['--set', 'strategies.0.file=./s.js'], { files });
  expect(json).toMatchObject({ finalPositions: { 'BTC-USDT': '0.1998' } });
});

test('`tidegate` in a strategy is the copy that runs it', async () => {
  const text = `import * as tidegate from 'tidegate';
import { Decimal } from 'decimal.js';
import { Subject } from 'rxjs';
import { map } from 'rxjs/operators';
import { z } from 'zod';
import { toJSONSchema } from 'zod';

const same = { zod: z === tidegate.z && toJSONSchema === tidegate.z.toJSONSchema, rxjs: Subject === tidegate.Subject && map === tidegate.map, decimal: new tidegate.Decimal(1) instanceof Decimal };
throw new Error(JSON.stringify(same));
`;
  const { stderr } = await workspace({ 's.ts': text }).run(['backtest', 'c.yaml'], { code: 4 });
  expect(stderr).toContain('{"zod":true,"rxjs":true,"decimal":true}');
});

test('two strategies share one account, and each has its own position', async () => {
  const second = '  - { id: two, file: ./sub/s.js, symbols: [BTC-USDT] }\nbacktest:';
  const work = workspace({ 'c.yaml': CONFIG.replace('backtest:', second), 'sub/s.js': JAVASCRIPT });
  const { json } = await work.backtest();
  expect(json.strategies).toEqual(['one', 'two']);
  const fills = readCsv(work.path('out/fills.csv')).map(({ strategy, side, quantity }) => [strategy, side, quantity]);
  // `one` sells what it bought itself; what `two` bought stays.
  expect(fills).toEqual([
    ['two', 'buy', '0.1'],
    ['one', 'buy', '0.1'],
    ['one', 'sell', '0.0999'],
  ]);
  expect(json.finalPositions).toEqual({ 'BTC-USDT': '0.0999' });
});

test('equity in onFill is the value of the balances at that time', async () => {
  const looks = STRATEGY.replace(
    '  onBar(',
    `  onFill() {
    const { account } = this;
    const worth = account.balance('USDT').total + account.balance('BTC').total * this.market('BTC-USDT').last!;
    this.log.warn('worth', { equity: account.equity.toFixed(6), worth: worth.toFixed(6) });
  }

  onBar(`,
  );
  const work = workspace({ 's.ts': looks });
  await work.backtest();
  const seen = [...work.read('out/log.jsonl').matchAll(/"equity":"([^"]+)","worth":"([^"]+)"/g)].map(([, equity, worth]) => [
    equity,
    worth,
  ]);
  expect(seen).toHaveLength(2);
  for (const [equity, worth] of seen) expect(equity).toBe(worth);
});

test('one strategy trades several symbols', async () => {
  const both = CONFIG.replace('strategies:', '  ETH-USDT: { tickSize: "0.01", stepSize: "0.0001" }\nstrategies:').replace(
    '[BTC-USDT]',
    '[BTC-USDT, ETH-USDT]',
  );
  const work = workspace({ 'c.yaml': both.replace('s.ts', 's.js'), 's.js': JAVASCRIPT });
  const { json } = await work.backtest();
  expect(json.finalPositions).toEqual({ 'BTC-USDT': '0.0999', 'ETH-USDT': '0.1' });
});

test('a missing npm package is reported with the file that imports it', async () => {
  const work = workspace({ 's.ts': `import { twice } from 'no-such-package';\n${STRATEGY.replace("'0.1'", 'twice')}` });
  const { stderr } = await work.run(['backtest', 'c.yaml'], { code: 4 });
  expect(stderr).toContain('STRATEGY_LOAD_FAILED');
  expect(stderr).toContain('cannot find the package "no-such-package"');
  expect(stderr).toContain(work.path('s.ts'));
});

test.each([
  ['a constructor', "order = ((): never => { throw new RangeError('no order'); })();", 'no order'],
  ['a timer without a period', "onStart() { return { kind: 'setTimer', name: 'x', everyMs: 0 } as const; }", 'everyMs'],
])('an impossible %s ends the run with 4 and the name of the strategy', async (_, member, said) => {
  const work = workspace({ 's.ts': STRATEGY.replace('  onBar(', `  ${member}\n  onBar(`) });
  const { stderr } = await work.run(['backtest', 'c.yaml', '--quiet'], { code: 4 });
  expect(stderr).toContain('strategy "one" threw at');
  expect(stderr).toContain(said);
});

test('an intent that cannot be names the line of the strategy that made it', async () => {
  const text = STRATEGY.replace('import {', 'import { setTimer,').replace(
    '  onBar(',
    "  onStart() { return setTimer({ name: 'x', everyMs: 0 }); }\n  onBar(",
  );
  const work = workspace({ 's.ts': text });
  const { stderr } = await work.run(['backtest', 'c.yaml', '--quiet'], { code: 4 });
  const line = text.split('\n').findIndex((one) => one.includes('onStart')) + 1;
  expect(stderr).toContain(`everyMs is a positive number of ms, not 0\n  at ${work.path('s.ts')}:${line}:`);
});

test.each([
  ['a constructor', "order = ((): never => { throw new RangeError('no order'); })();", 'its constructor'],
  ['onStart', "onStart(): never { throw new RangeError('no order'); }", 'onStart'],
  ['intents$', "intents$(): never { throw new RangeError('no order'); }", 'onStart'],
])('%s that throws leaves the whole set of files, the error in the summary', async (_, member, where) => {
  const work = workspace({ 's.ts': STRATEGY.replace('  onBar(', `  ${member}\n  onBar(`) });
  const { json } = await work.backtest(['--events'], { code: 4 });
  expect(json.error).toMatchObject({ code: 'STRATEGY_THREW', message: expect.stringContaining(`strategy "one" threw at ${where}`) });
  expect(json).toMatchObject({ marketEvents: 0, intents: 0, startEquity: '100000', finalBalances: { USDT: '100000' } });
  expect(json).toEqual(JSON.parse(work.read('out/summary.json')));
  for (const name of ['config.yaml', 'log.jsonl', 'events.jsonl', 'orders.csv', 'fills.csv', 'denied.csv', 'equity.csv', 'report.json']) {
    expect([name, work.has('out', name)]).toEqual([name, true]);
  }
  const page = work.read('out/report.html');
  expect(page).toContain('It ended before the first market data.');
  expect((await work.run(['report', 'out'])).stdout).toContain('Report: ');
  expect(work.read('out/report.html')).toBe(page);
});

test.each([
  [39, ['98 % of intents were denied, most for balanceTooLow: ']],
  [20, []],
])('%d denials of 40 intents are worth a warning, or not', async (denials, expected) => {
  const member = `onBar(bar: Bar): Intents {
    if (++this.seen > 40) return undefined;
    const quantity = this.seen <= ${denials} ? 1000 : '0.001';
    return place({ symbol: bar.symbol, side: 'buy', type: 'market', quantity });
  }
  other(`;
  const work = workspace({ 's.ts': STRATEGY.replace('onBar(', member) });
  const { json } = await work.backtest();
  expect(json).toMatchObject({ intents: 40, denied: denials });
  expect(
    json.warnings.filter((text: string) => text.includes('denied')).map((text: string) => text.slice(0, text.indexOf('asset='))),
  ).toEqual(expected);
});

describe('a strategy that throws', () => {
  test('ends the run with 4, names itself, the event, the time and its own line', async () => {
    const work = workspace();
    const { stderr } = await work.run(['backtest', 'c.yaml', '--quiet', '--out', 'out', ...THROWS], { code: 4 });
    const line = STRATEGY.split('\n').findIndex((text) => text.includes('three is enough')) + 1;
    expect(stderr).toContain('STRATEGY_THREW: strategy "one" threw at bar');
    expect(stderr).toContain('of BTC-USDT (2025-01-01T00:12:00Z): three is enough');
    expect(stderr).toContain(`at ${work.path('s.ts')}:${line}:`);
    expect(stderr).toContain('the results until the error are in out');
  });

  test('keeps the results so far', async () => {
    const work = workspace();
    const { json } = await work.backtest(['--events', ...THROWS], { code: 4 });
    expect(json).toEqual(JSON.parse(work.read('out/summary.json')));
    expect(json.error).toMatchObject({ code: 'STRATEGY_THREW', message: expect.stringContaining('three is enough') });
    expect(json).toMatchObject({ marketEvents: 12, fills: 2, closedTrades: 1 });
    expect(readCsv(work.path('out/fills.csv'))).toHaveLength(2);
    expect(work.read('out/events.jsonl').trimEnd().split('\n').at(-1)).toMatch(/^\{.*\}$/);
    expect(work.has('out/report.html')).toBe(true);
  });

  test.each([
    ['onStart', 'onStart() { throw new Error("no"); }', 'threw at onStart'],
    ['onStop', 'onStop() { throw new Error("no"); }', 'threw at onStop'],
    ['onFill', 'onFill() { throw new Error("no"); }', 'threw at orderFilled'],
    ['a stream', "intents$(market$) { return market$.pipe(map(() => { throw new Error('no'); })); }", 'threw at bar'],
  ])('in %s', async (_, hook, said) => {
    const text = STRATEGY.replace("from 'tidegate'", "from 'tidegate';\nimport { map } from 'rxjs'").replace(
      '  onBar(',
      `  ${hook}\n  onBar(`,
    );
    const work = workspace({ 's.ts': text });
    const { stderr } = await work.run(['backtest', 'c.yaml', '--quiet', '--out', 'out'], { code: 4 });
    expect(stderr).toContain(said);
    expect(stderr).toMatch(/s\.ts:\d+:\d+/);
    expect(JSON.parse(work.read('out/summary.json')).error.code).toBe('STRATEGY_THREW');
  });
});

describe('an error that a strategy throws where no caller can catch it', () => {
  const stray = (member: string, import_ = '') =>
    workspace({ 's.ts': import_ + STRATEGY.replace('    this.seen++;', `    this.seen++;\n    ${member}`) });
  const FLOATING = "if (this.seen === 5) void Promise.reject(new Error('floating'));";
  const LATER = "if (this.seen === 5) setTimeout(() => { throw new Error('later'); });";
  const SUBSCRIBED = "if (this.seen === 5) of(1).subscribe(() => { throw new Error('subscribed'); });";

  test.each([
    // Bars open and close: the fifth is the tenth of the data.
    ['a promise', FLOATING, 'an unhandled promise, made after market data 10 (2025-01-01T00:05:00Z): floating'],
    ['a timer of Node', LATER, 'a callback of its own, called after market data 2880 (2025-01-02T00:00:00Z): later'],
    ['a subscriber in a hook', SUBSCRIBED, 'a callback of its own, called after market data 2880 (2025-01-02T00:00:00Z): subscribed'],
  ])('%s ends the run with 4 and names strategy, moment and line, with one object and all files', async (_, member, said) => {
    const work = stray(member, "import { of } from 'tidegate';");
    const { json, stderr } = await work.backtest([], { code: 4 });
    expect(json.error).toEqual({ code: 'STRATEGY_THREW', message: expect.stringContaining(`strategy "one" threw at ${said}\n  at `) });
    const line = STRATEGY.split('\n').findIndex((text) => text.includes('this.seen++')) + 2;
    expect(stderr).toContain(`\n  at ${work.path('s.ts')}:${line}:`);
    expect(json).toMatchObject({ marketEvents: 1440, fills: 2 });
    expect(json).toEqual(JSON.parse(work.read('out/summary.json')));
    expect(work.read('out/report.html')).toContain('</html>');
  });

  test.each([
    [
      'in a hook',
      STRATEGY.replace('this.seen++;', 'if (++this.seen === 12) process.exit(0);'),
      2,
      'bar 24 of BTC-USDT (2025-01-01T00:12:00Z)',
    ],
    [
      'in a callback',
      STRATEGY.replace('this.seen++;', 'if (++this.seen === 12) queueMicrotask(() => process.exit(0));'),
      2,
      'a callback of its own',
    ],
  ])('a process that it would end %s still writes the results', async (_, text, fills, said) => {
    const work = workspace({ 's.ts': text });
    const { json, stderr } = await work.backtest([], { code: 4 });
    const message = expect.stringMatching(/: strategies must not call process\.exit\(0\): .*\n {2}at .*s\.ts:\d+:\d+$/);
    expect(json).toMatchObject({ fills, error: { code: 'STRATEGY_THREW', message } });
    expect(stderr).toContain(`strategy "one" threw at ${said}`);
    expect(work.read('out/report.html')).toContain('</html>');
  });

  test('a promise that a strategy awaits for itself is no error', async () => {
    const { json } = await stray("Promise.reject(new Error('awaited')).catch(() => {});").backtest();
    expect(json.error).toBeNull();
  });

  test('a promise that its file left behind is from before the data', async () => {
    const work = workspace({ 's.ts': `${STRATEGY}void Promise.reject(new Error('left'));\n` });
    const { json } = await work.backtest([], { code: 4 });
    expect(json.error.message).toContain('an unhandled promise, made before any market data');
  });

  test('before anything runs it ends with 4 and one object, too', async () => {
    const work = workspace({
      's.ts': `${STRATEGY}setTimeout(() => { throw new Error('early'); });\nawait new Promise((go) => setTimeout(go, 500));\n`,
    });
    const { json } = await work.backtest([], { code: 4 });
    expect(json.error).toEqual({ code: 'STRATEGY_THREW', message: expect.stringMatching(/early\n {2}at .*s\.ts:\d+:\d+$/s) });
  });
});
