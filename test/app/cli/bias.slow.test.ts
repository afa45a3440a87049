import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT, readCsv } from '../../support/cli.ts';
import { CONFIG, workspace } from './workspace.ts';

/** A strategy of one rule, by which it buys a minute's bar. */
const strategy = (head: string, rule: string) => `import { readFileSync } from 'node:fs';
import { type Bar, type Intents, place, Strategy } from 'tidegate';
${head}
export class Planted extends Strategy {
  static needs = { bars: '1m' };
  static seen: number[] = [];

  onBar(bar: Bar): Intents {
    const buys = ${rule};
    Planted.seen.push(bar.close);
    return buys ? place({ symbol: bar.symbol, side: 'buy', type: 'market', quantity: '0.001' }) : undefined;
  }
}
`;

const PLANTED: readonly (readonly [kind: string, head: string, rule: string])[] = [
  [
    'sharedState',
    'const ALL = new Map<number, number>();',
    'ALL.set(bar.time, bar.close) && (ALL.get(bar.time + 60_000) ?? 0) > bar.close',
  ],
  ['wallClock', '', 'Math.floor(Date.now() / 86_400_000) % 7 === Math.floor(bar.time / 60_000) % 7'],
  ['chance', '', 'Math.random() < 0.05'],
  ['files', '', `readFileSync('prices.txt', 'utf8').includes(String(bar.time))`],
  ['date', `const KNOWN = new Set([1735690200000, 1735693800000]);`, 'KNOWN.has(bar.time)'],
];

test.each(PLANTED)('a strategy of %s is found out', async (kind, head, rule) => {
  const prices = [1735690200000, 1735693800000].join('\n');
  const files = { 's.ts': strategy(head, rule), 'prices.txt': prices, 'c.yaml': CONFIG.replace('2025-01-02', '2025-01-01T04:00:00Z') };
  const told = await workspace(files).run(['bias', 'c.yaml', '--cuts', '1', '--starts', '0', '--json'], { code: 8 });
  const kinds = JSON.parse(told.stdout).findings.map((finding: { kind: string }) => finding.kind);
  // What is read of a file is of its dates.
  expect(kinds).toEqual(kind === 'files' ? ['date', 'files'] : [kind]);
});

/** Ten columns that are made from bars which close after the time of the row, and two that are honest. `at` has closed. */
const LEAKY: Readonly<Record<string, (closes: readonly number[], at: number) => number | string>> = {
  next: (c, at) => c[at + 1]! / c[at]! - 1,
  direction: (c, at) => (c[at + 1]! > c[at]! ? 'up' : 'down'),
  close: (c, at) => c[at + 1]!,
  label: (c, at) => c[at + 1]! / mean(c.slice(at - 18, at + 2)),
  centred: (c, at) => mean(c.slice(at - 5, at + 6)),
  crossed: (c, at) => mean(c.slice(at - 1, at + 2)) - mean(c.slice(at - 8, at + 2)),
  highest: (c, at) => Math.max(...c.slice(at + 1, at + 6)) / c[at]!,
  probability: (c, at) => 1 / (1 + Math.exp(-(c[at + 10]! / c[at]! - 1) * 400 - Math.sin(at * 12.9898) * 0.3)),
  change: (c, at) => c[at + 5]! - c[at - 5]!,
  classes: (c, at) => (c[at + 5]! > c[at]! * 1.001 ? 1 : c[at + 5]! < c[at]! * 0.999 ? -1 : 0),
  momentum: (c, at) => c[at]! / c[at - 20]! - 1,
  last: (c, at) => c[at]!,
};

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

test('each of ten columns of signals that know the future is found, and none that is honest', async () => {
  const config = `${CONFIG.replace('2025-01-02', '2025-01-01T12:00:00Z')}\nsignals: { preds: { recording: preds } }\n`;
  const quiet = strategy('', 'false');
  const work = workspace({ 's.ts': quiet, 'c.yaml': config.replace(/^dataDir:.*$/m, 'dataDir: data') });
  cpSync(join(ROOT, 'data/sample'), join(work.folder, 'data/sample'), { recursive: true });
  await work.run(['data', 'export', 'sample', '--data-dir', 'data', '--symbol', 'BTC-USDT', '--kind', 'bar', '--out', 'bars.csv']);
  const rows = readCsv(join(work.folder, 'bars.csv')).slice(0, 12 * 60);
  const closes = rows.map(({ close }) => Number(close));
  const lines = closes.flatMap((_, at) =>
    at < 30 || at > closes.length - 30
      ? []
      : [[Date.parse(rows[at]!.time!) + 60_000, 'BTC-USDT', ...Object.values(LEAKY).map((make) => make(closes, at))].join(',')],
  );
  writeFileSync(join(work.folder, 'preds.csv'), [`time,symbol,${Object.keys(LEAKY).join(',')}`, ...lines, ''].join('\n'));
  await work.run(['data', 'import', 'preds.csv', '--kind', 'signal', '--name', 'preds', '--data-dir', 'data']);
  const told = await work.run(['bias', 'c.yaml', '--cuts', '1', '--starts', '0', '--json'], { code: 8 });
  const [finding, ...others] = JSON.parse(told.stdout).findings;
  expect(others).toEqual([]);
  expect(finding.kind).toBe('signals');
  expect(finding.leaks.map(({ column }: { column: string }) => column)).toEqual(Object.keys(LEAKY).slice(0, 10));
  const text = await work.run(['bias', 'c.yaml', '--cuts', '1', '--starts', '0', '--set', 'signals.preds.availableAfter=1m'], { code: 8 });
  // What knows only the next bar is honest when it arrives a bar later.
  expect(text.stdout).not.toContain('preds.next:');
  expect(text.stdout).toContain('preds.centred: correlation');
});

test('a strategy that reads only the past has no bias', async () => {
  const honest = strategy('', 'this.bars++ % 40 === 0 && new Date(bar.time).getUTCFullYear() > 0').replace(
    '  static seen',
    '  bars = 0;\n  static seen',
  );
  const work = workspace({ 's.ts': honest, 'c.yaml': CONFIG.replace('2025-01-02', '2025-01-01T04:00:00Z') });
  const told = await work.run(['bias', 'c.yaml', '--cuts', '2', '--starts', '1']);
  expect(told.stdout).toContain('No look-ahead was found.');
  // It counts bars from its start: a later one never does the same.
  expect(told.stdout).toMatch(/With a later start:\n +2025-01-01T02:\S+ +never the same/);
});

/** Every ten minutes by the clock, it is in or out with a tenth of the equity. */
const SIZED = `import { type Bar, type Intents, place, Strategy } from 'tidegate';

export class Sized extends Strategy {
  static needs = { bars: '1m' };

  onBar({ symbol, time, close }: Bar): Intents {
    if (time % 600_000 !== 0) return undefined;
    const { quantity } = this.position(symbol);
    if (quantity > 0) return time % 1_200_000 === 0 ? undefined : place({ symbol, side: 'sell', type: 'market', quantity });
    if (time % 1_200_000 !== 0) return undefined;
    return place({ symbol, side: 'buy', type: 'market', quantity: (0.1 * this.account.equity) / close });
  }
}
`;

test('where sizes follow equity, a later start is the same but for sizes, and that is explained', async () => {
  const work = workspace({ 's.ts': SIZED, 'c.yaml': CONFIG.replace('2025-01-02', '2025-01-01T04:00:00Z') });
  const told = await work.run(['bias', 'c.yaml', '--cuts', '1', '--starts', '1']);
  expect(told.stdout).not.toContain('never the same');
  expect(told.stdout).toMatch(
    /2025-01-01T02:\S+ +the same but for sizes, after 18 min \(12 decisions; .* one: 0\.\d+ in the unchanged run, 0\.\d+ with the later start\)/,
  );
  expect(told.stdout).toContain('Only sizes differ: the strategy sizes its orders by equity');
  const json = JSON.parse((await work.run(['bias', 'c.yaml', '--cuts', '1', '--starts', '1', '--json'])).stdout);
  expect(json.starts[0]).toMatchObject({ sizesApart: { since: Date.UTC(2025, 0, 1, 2, 20) } });
});

test('bars with marks and funding of the same times give no finding', async () => {
  const told = await workspace().run(['bias', join(ROOT, 'configs/funding-harvester.yaml'), '--cuts', '3', '--starts', '0']);
  expect(told.stdout).toContain('2 decisions');
  expect(told.stdout).toContain('No look-ahead was found.');
});
