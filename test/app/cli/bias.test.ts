import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../../support/cli.ts';
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
