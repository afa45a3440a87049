import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { readCsv } from '../../support/cli.ts';
import { CONFIG, STRATEGY, workspace } from './workspace.ts';

const HEADERS = {
  'orders.csv':
    'time,endTime,strategy,symbol,side,type,timeInForce,price,stopPrice,quantity,filledQuantity,averagePrice,status,reason,tag,clientOrderId,orderId,ref,replaces,group',
  'fills.csv':
    'time,strategy,symbol,side,positionSide,quantity,price,fee,feeAsset,liquidity,tag,clientOrderId,orderId,decidedSequence,pricedSequence,pricedTime,ref,since,leg,number,group',
  'trades.csv':
    'strategy,symbol,side,entryTime,exitTime,durationMs,maxQuantity,entryQuantity,entryPrice,exitQuantity,exitPrice,entryValue,fees,funding,profitBeforeCosts,netProfit,returnOnEntry,mae,mfe,maeShare,mfeShare,tag,exitTag,exitReason,fills,pathFills,group',
  'equity.csv': 'time,cash,positions,equity,peak,drawdown,exposure,netExposure,unprotected,benchmark',
  'denied.csv': 'time,by,strategy,symbol,code,numbers,tag,clientOrderId,side,ref',
};

test('the out folder has the promised files, with the columns of the docs', async () => {
  const work = workspace();
  await work.run(['backtest', 'c.yaml', '--quiet', '--out', 'a/b/out']);
  expect(readdirSync(work.path('a/b/out')).sort()).toEqual(
    [...Object.keys(HEADERS), 'account.json', 'code.json', 'config.yaml', 'log.jsonl', 'report.html', 'report.json', 'summary.json'].sort(),
  );
  for (const [name, header] of Object.entries(HEADERS)) expect(work.read('a/b/out', name).split('\n')[0]).toBe(header);
});

test('the tables show exactly what happened', async () => {
  const work = workspace();
  const { json } = await work.backtest(['--events']);
  const [bought, sold] = readCsv(work.path('out/fills.csv'));
  // Decided at the third close (00:03), filled at the open of the same minute; the fee is 0.001 of what is received.
  expect(bought).toMatchObject({ time: String(Date.UTC(2025, 0, 1, 0, 3)), side: 'buy', quantity: '0.1', fee: '0.0001', feeAsset: 'BTC' });
  expect(bought).toMatchObject({ strategy: 'one', symbol: 'BTC-USDT', positionSide: 'net', liquidity: 'taker', tag: 'in' });
  expect(sold).toMatchObject({ time: String(Date.UTC(2025, 0, 1, 0, 10)), side: 'sell', quantity: '0.0999', feeAsset: 'USDT', tag: 'out' });
  expect(Number(bought?.pricedSequence)).toBeGreaterThan(Number(bought?.decidedSequence));

  expect(readCsv(work.path('out/trades.csv'))).toMatchObject([
    {
      entryTime: bought?.time,
      exitTime: sold?.time,
      durationMs: '420000',
      entryQuantity: '0.1',
      exitQuantity: '0.0999',
      tag: 'in',
      exitTag: 'out',
    },
  ]);

  const orders = readCsv(work.path('out/orders.csv'));
  expect(orders.map(({ tag, status, type }) => [tag, status, type])).toEqual([
    ['in', 'filled', 'market'],
    ['out', 'filled', 'market'],
  ]);
  expect(orders.map(({ clientOrderId }) => clientOrderId)).toEqual([bought?.clientOrderId, sold?.clientOrderId]);
  expect(json).toMatchObject({ marketEvents: 1440, intents: 2, orders: 2, fills: 2, denied: 0, closedTrades: 1, finalPositions: {} });

  const lines = work.read('out/events.jsonl').trimEnd().split('\n');
  const kinds = lines.map((line) => (JSON.parse(line) as { kind: string }).kind);
  expect(kinds.filter((kind) => kind === 'intent')).toHaveLength(2);
  expect(kinds.filter((kind) => kind === 'orderFilled')).toHaveLength(2);

  // What caused an intent is told with its prices.
  const { stdout } = await work.run(['explain', 'out', sold!.clientOrderId!, '--json']);
  const { steps } = JSON.parse(stdout) as { steps: { step: string; words: string }[] };
  expect(steps.map(({ step }) => step).slice(0, 3)).toEqual(['data', 'intent', 'risk']);
  expect(steps[0]!.words).toMatch(
    /^bar \d+ of BTC-USDT, open [\d.]+, high [\d.]+, low [\d.]+, close [\d.]+, closed at 2025-01-01T00:10:00Z$/,
  );
});

test('the names that a strategy gives its orders are in every table that has orders', async () => {
  const named = STRATEGY.replace("tag: 'in'", "tag: 'in', ref: 'entry-1'").replace(
    "quantity: this.position(bar.symbol).quantity, tag: 'out'",
    "quantity: -1, tag: 'out', ref: 'exit-1'",
  );
  const work = workspace({ 's.ts': named });
  await work.backtest(['--events']);
  expect(readCsv(work.path('out/orders.csv')).map(({ ref }) => ref)).toEqual(['entry-1']);
  expect(readCsv(work.path('out/fills.csv')).map(({ ref }) => ref)).toEqual(['entry-1']);
  expect(readCsv(work.path('out/denied.csv'))).toMatchObject([{ code: 'quantityInvalid', side: 'sell', tag: 'out', ref: 'exit-1' }]);
  expect(work.read('out/events.jsonl')).toContain('"tag":"in","ref":"entry-1","decided"');
});

test('a run whose orders are all denied says so under --quiet too, and a misspelt hook is a warning', async () => {
  const work = workspace({ 's.ts': STRATEGY.replace('seen = 0;', 'seen = 0;\n  onCandle(): void {}') });
  const { json, stderr } = await work.backtest(['--set', 'strategies.0.params.size="1000"']);
  const [said = ''] = stderr.split('\n').filter((line) => line.startsWith('warning: '));
  expect(said).toMatch(/^warning: all orders were denied: (once|2 times), most for \w+: /);
  expect(json.warnings).toEqual(expect.arrayContaining([said.slice('warning: '.length)]));
  expect(json.warnings).toContain('strategy "one": its method onCandle is never called: Tidegate has no such hook (did you mean onBar?)');
});

test.each([
  ['1h by default', '', 3_600_000, 25],
  ['as report.equityEvery says', 'report: { equityEvery: 15m }\n', 900_000, 97],
])('equity.csv has a row at the start, every %s, and one at the end', async (_, settings, everyMs, rows) => {
  const work = workspace({ 'c.yaml': CONFIG + settings });
  const { json } = await work.backtest();
  const times = readCsv(work.path('out/equity.csv')).map(({ time }) => Number(time));
  expect(times).toHaveLength(rows);
  const [start, ...later] = times;
  expect(start).toBe(Date.parse(json.from));
  later.slice(1, -1).forEach((time, index) => {
    expect(time - later[index]!).toBe(everyMs);
  });
  expect(times.at(-1)).toBe(Date.parse(json.to));
  expect(readCsv(work.path('out/equity.csv')).at(-1)?.equity).toBe(json.finalEquity);
});

test('config.yaml is the effective config without secrets, and gives the same result', async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: that is how a config names an environment variable.
  const live = 'live: { keys: { key: "${MY_KEY}", secret: "${MY_SECRET}", passphrase: { file: ./pass } } }\n';
  const work = workspace({ 'c.yaml': CONFIG + live, pass: 'hush' });
  const { json } = await work.backtest(['--set', 'strategies.0.params.size="0.2"'], { env: { MY_KEY: 'abc123', MY_SECRET: 'def456' } });
  const resolved = work.read('out/config.yaml');
  expect(resolved).toContain('marketBuyCollar');
  expect(resolved).toContain('0.2');
  expect(resolved).not.toMatch(/abc123|def456|hush/);

  const again = await work.run(['backtest', 'resolved.yaml', '--json', '--quiet', '--out', 'again'], {
    files: { 'resolved.yaml': resolved },
  });
  expect(JSON.parse(again.stdout).eventLogSha256).toBe(json.eventLogSha256);
});

test('config.yaml shows the defaults of a strategy too, as text where they are text', async () => {
  const work = workspace();
  await work.backtest();
  expect(work.read('out/config.yaml')).toContain('params:\n      size: "0.1"\n');
});

test('a bare number is the digits as written where a parameter is text', async () => {
  const work = workspace({ 'c.yaml': CONFIG.replace('[BTC-USDT] }', '[BTC-USDT], params: { size: 0.20 } }') });
  const { json } = await work.backtest();
  expect(readCsv(work.path('out/fills.csv'))[0]).toMatchObject({ side: 'buy', quantity: '0.2' });
  expect(work.read('out/config.yaml')).toContain('params:\n      size: "0.20"\n');
  expect(json.strategies).toEqual(['one']);
});

test('default folders count up', async () => {
  const work = workspace();
  await work.run(['backtest', 'c.yaml', '--quiet']);
  const runs = await Promise.all([1, 2].map(() => work.run(['backtest', 'c.yaml', '--quiet', '--json'])));
  expect(runs.map(({ stdout }) => JSON.parse(stdout).out).sort()).toEqual(['runs/mine-2', 'runs/mine-3']);
  expect(readdirSync(work.path('runs')).sort()).toEqual(['mine-1', 'mine-2', 'mine-3']);
});

test('a given folder may be there and empty, but nothing is overwritten', async () => {
  const work = workspace();
  mkdirSync(work.path('out'));
  await work.run(['backtest', 'c.yaml', '--quiet', '--out', 'out']);
  const { stderr } = await work.run(['backtest', 'c.yaml', '--quiet', '--out', 'out'], { code: 2 });
  expect(stderr).toContain('OUT_NOT_EMPTY');
  expect(stderr).toContain(work.path('out'));
  writeFileSync(work.path('file'), '');
  expect((await work.run(['backtest', 'c.yaml', '--quiet', '--out', 'file'], { code: 2 })).stderr).toContain('is a file');
});
