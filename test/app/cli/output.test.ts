import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../../support/cli.ts';
import { CONFIG, STRATEGY, workspace } from './workspace.ts';

const PROMISED = [
  ...['name', 'strategies', 'from', 'to', 'marketEvents', 'intents', 'denied', 'orders', 'fills', 'closedTrades', 'startEquity'],
  ...['finalEquity', 'totalFees', 'finalBalances', 'finalPositions', 'maxDrawdown', 'statistics', 'eventLogSha256', 'dataSha256'],
  ...['elapsedMs', 'eventsPerSecond', 'out', 'warnings'],
];

test('--json prints exactly one object on stdout, the same as summary.json', async () => {
  const work = workspace();
  const { stdout, json } = await work.backtest();
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  expect(json).toEqual(JSON.parse(work.read('out/summary.json')));
  expect(Object.keys(json)).toEqual(expect.arrayContaining(PROMISED));
  expect(json).toMatchObject({ name: 'mine', strategies: ['one'], startEquity: '100000', out: 'out', interrupted: false, error: null });
  expect(json.finalBalances).toEqual({ USDT: expect.stringMatching(/^\d+\.\d+$/), BTC: expect.stringMatching(/^[\d.]+$/) });
  expect(json.eventLogSha256).toMatch(/^[0-9a-f]{64}$/);
});

test('without options the result is a table on stdout, with the path of the files', async () => {
  const { stdout } = await workspace().run(['backtest', 'c.yaml']);
  expect(stdout).toContain('Final equity');
  expect(stdout).toContain('Results: runs/mine-1');
  expect(stdout).toContain('Report:  runs/mine-1/report.html');
  expect(stdout).toContain('is synthetic');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no colour codes where stdout is no terminal.
  expect(stdout).not.toMatch(/\u001b/);
});

test('--breakdown adds its tables to stdout and to summary.json, in the given order', async () => {
  const work = workspace();
  const { stdout } = await work.run(['backtest', 'c.yaml', '--out', 'out', '--breakdown', 'month', '--breakdown', 'exitReason']);
  expect(stdout).toMatch(/\nBy month \(UTC\)\n[\s\S]*\nBy exit reason\n/);
  const { breakdowns, statistics, closedTrades } = JSON.parse(work.read('out/summary.json'));
  expect(Object.keys(breakdowns)).toEqual(['month', 'exitReason']);
  expect(breakdowns.month).toMatchObject([
    { key: '2025-01', trades: closedTrades, equityReturn: expect.closeTo(statistics.totalReturn, 10) },
  ]);
});

test('--quiet prints nothing at all when all is well', async () => {
  const { stdout, stderr } = await workspace().run(['backtest', 'c.yaml', '--quiet']);
  expect(stdout).toBe('');
  expect(stderr).toBe('');
});

test('progress is written to stderr as plain lines without a terminal', async () => {
  const slow = STRATEGY.replace('this.seen++;', 'this.seen++;\n    for (let i = 0; i < 20_000; i++) Math.sqrt(i);');
  const work = workspace({ 'c.yaml': CONFIG.replace(', to: 2025-01-02', ''), 's.ts': slow });
  const { stdout, stderr } = await work.run(['backtest', 'c.yaml', '--json']);
  expect(JSON.parse(stdout).marketEvents).toBe(40320);
  const lines = stderr.trimEnd().split('\n');
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines) expect(line).toMatch(/^\d+ % \| [\d,]+ events \| [\d,]+\/s \| \d+ s left$/);
  const shares = lines.map((line) => Number.parseInt(line, 10));
  expect(shares).toEqual([...shares].sort((a, b) => a - b));
});

test('a command whose reader closes the pipe continues silently', async () => {
  const child = spawn(process.execPath, [join(ROOT, 'bin/tidegate.mjs'), 'data', 'list', '--data-dir', join(ROOT, 'data')]);
  child.stdout.destroy();
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const [code] = await once(child, 'close');
  expect([code, said]).toEqual([0, '']);
});
