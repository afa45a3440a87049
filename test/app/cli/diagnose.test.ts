import { expect, test } from '@jest/globals';
import { CONFIG, workspace } from './workspace.ts';

/** One bar in four falls from 110 to 100, the one after it rises back; in the two between nothing happens. */
const HOURS = 200;
const CSV = `time,open,high,low,close,volume\n${Array.from({ length: HOURS }, (_, hour) => {
  const [open, close] = [
    [110, 110],
    [110, 100],
    [100, 110],
    [110, 110],
  ][hour % 4]!;
  return `${Date.UTC(2025, 0, 1) + hour * 3_600_000},${open},110,100,${close},1000`;
}).join('\n')}\n`;

/** Buys a close at 100 and sells one at 110: it lives on the one bar in between. */
const REBOUND = `import { type Bar, type Intents, place, Strategy } from 'tidegate';

export class Rebound extends Strategy {
  static needs = { bars: '1h' };

  onBar(bar: Bar): Intents {
    const { quantity } = this.position(bar.symbol);
    if (this.orders().length > 0) return undefined;
    if (quantity === 0 && bar.close === 100) return place({ symbol: bar.symbol, side: 'buy', type: 'market', quantity: 1 });
    if (quantity > 0 && bar.close === 110) return place({ symbol: bar.symbol, side: 'sell', type: 'market', quantity });
    return undefined;
  }
}
`;
const FILES = {
  'bars.csv': CSV,
  's.ts': REBOUND,
  'c.yaml': CONFIG.replace(/dataDir: .*/, 'dataDir: data')
    .replace('kind: spot', 'kind: netting')
    .replaceAll('"0.001"', '"0.0001"')
    .replace('[sample], to: 2025-01-02', '[hours]'),
};

async function recorded(files: Readonly<Record<string, string>> = {}) {
  const work = workspace({ ...FILES, ...files });
  await work.run([
    'data',
    'import',
    'bars.csv',
    '--symbol',
    'BTC-USDT',
    '--kind',
    'bar',
    '--interval',
    '1h',
    '--name',
    'hours',
    '--data-dir',
    'data',
  ]);
  return work;
}

test('a result that depends on one bar does not survive a delay of one bar, and --fail-on ends with its exit code', async () => {
  const work = await recorded();
  const args = ['diagnose', 'c.yaml', '--json', '--quiet', '--out', 'out', '--fail-on', 'critical'];
  const { stdout } = await work.run(args, { code: 8 });
  const summary = JSON.parse(stdout);
  // 50 times from 100 to 110, at fees of 0.01 + 0.011.
  expect(summary).toMatchObject({ fills: 100, finalEquity: '100498.95' });
  expect(summary.findings[0]).toMatchObject({
    id: 'delayDestroys',
    severity: 'critical',
    figures: { delay: '1 h', gain: '498.95 USDT' },
  });
  expect(JSON.parse(work.read('out/summary.json'))).toEqual(summary);
});

test('findings are printed with their advice, and the requested delay', async () => {
  const work = await recorded();
  const { stdout } = await work.run(['diagnose', 'c.yaml', '--out', 'out', '--delay', '5000']);
  expect(stdout).toContain('Diagnosis of mine');
  expect(stdout).toMatch(/^critical A short delay destroys the result \(delay 5 s, gain 498\.95 USDT/m);
  expect(stdout).toMatch(/^info +Takers pay no slippage \(taken 10,500\.00 USDT/m);
  expect(stdout).toContain('Set `backtest.fills.slippageBps`');
});

test('a backtest shows findings without a second run, and so without the delay', async () => {
  const work = await recorded();
  const { stdout } = await work.run(['backtest', 'c.yaml', '--out', 'out']);
  expect(stdout).toContain('Findings');
  expect(stdout).not.toContain('delay');
});

test('a delay that is no time and a severity that is none are refused', async () => {
  const work = workspace();
  const delay = await work.run(['diagnose', 'c.yaml', '--delay', 'soon'], { code: 2 });
  expect(delay.stderr).toContain('Expected a number of ms above 0');
  const severity = await work.run(['diagnose', 'c.yaml', '--fail-on', 'info'], { code: 2 });
  expect(severity.stderr).toContain('warning, critical');
});

/** Buys whenever it is flat, with a trailing stop that every fall by a tenth fires. */
const TRAILING = `import { type Bar, type Intents, place, Strategy } from 'tidegate';

export class Trailing extends Strategy {
  static needs = { bars: '1h' };

  onBar(bar: Bar): Intents {
    if (this.position(bar.symbol).quantity > 0 || this.orders().length > 0) return undefined;
    return place({ symbol: bar.symbol, side: 'buy', type: 'market', quantity: 1, exits: { trailBy: 5 } });
  }
}
`;

test('a strategy whose trailing stops fire has no idle stop', async () => {
  const work = await recorded({ 's.ts': TRAILING });
  const { json } = await work.backtest();
  expect(json.statistics?.closedTrades ?? json.closedTrades).toBeGreaterThan(10);
  expect(json.findings.map(({ id }: { id: string }) => id)).not.toContain('idleStop');
});

test('a strategy of which every order is denied has a critical finding, however few they are', async () => {
  const once = TRAILING.replace(
    'onBar(bar: Bar): Intents {',
    'seen = 0;\n  onBar(bar: Bar): Intents {\n    if (this.seen++ % 50 > 0) return undefined;',
  );
  const work = await recorded({ 's.ts': once });
  const { json } = await work.backtest(['--set', 'risk.orders.maxQuantity=0.5']);
  expect(json.findings).toMatchObject([
    { id: 'neverTraded', severity: 'critical', figures: { intents: '4', orders: '0', denied: '4', rejected: '0' } },
    { id: 'manyDenials', severity: 'critical', figures: { denied: '4', intents: '4', share: '100.0 %' } },
  ]);
});

test('denials of a lock that the strategy has set are no finding about limits', async () => {
  const locks = TRAILING.replace(
    'onBar(bar: Bar): Intents {',
    `locked = false;
  onBar(bar: Bar): Intents {
    if (!this.locked) {
      this.locked = true;
      return lock({ symbol: bar.symbol, until: this.now + 1_000 * 3_600_000 });
    }`,
  ).replace('import { type Bar,', 'import { lock, type Bar,');
  const work = await recorded({ 's.ts': locks });
  const { json, stderr } = await work.backtest();
  expect(json.deniedByCode).toEqual({ symbolLocked: json.denied });
  expect(json.denied).toBeGreaterThan(100);
  expect(json.findings.map(({ id }: { id: string }) => id)).toEqual(['neverTraded']);
  expect(stderr).not.toContain('of intents were denied');
});
