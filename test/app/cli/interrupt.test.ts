import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT, readCsv } from '../../support/cli.ts';
import { CONFIG, STRATEGY, workspace } from './workspace.ts';

/** Trades in and out, and takes its time: some 10 s for the four weeks. */
const SLOW = STRATEGY.replace('this.seen++;', 'this.seen = (this.seen % 20) + 1;\n    for (let i = 0; i < 200_000; i++) Math.sqrt(i);');

test.each(['SIGINT', 'SIGTERM'] as const)('%s in the middle keeps the finished work and exits with 130', async (signal) => {
  const work = workspace({ 'c.yaml': CONFIG.replace(', to: 2025-01-02', ''), 's.ts': SLOW });
  await work.run(['--version']);
  const child = spawn(process.execPath, [join(ROOT, 'bin/tidegate.mjs'), 'backtest', 'c.yaml', '--json', '--events', '--out', 'out'], {
    cwd: work.folder,
  });
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  let stderr = '';
  let isSent = false;
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
    // The first line of progress says that the run is in its middle.
    if (isSent || !/\d %/.test(stderr)) return;
    isSent = child.kill(signal);
  });
  const ended = await new Promise((resolve) => child.on('close', (code, by) => resolve({ code, by, stderr: code === 130 ? '' : stderr })));

  expect(ended).toEqual({ code: 130, by: null, stderr: '' });
  const summary = JSON.parse(stdout);
  expect(summary).toEqual(JSON.parse(work.read('out/summary.json')));
  expect(summary.interrupted).toBe(true);
  expect(summary.marketEvents).toBeGreaterThan(1000);
  expect(summary.marketEvents).toBeLessThan(40320);
  expect(readCsv(work.path('out/fills.csv'))).toHaveLength(summary.fills);
  expect(readCsv(work.path('out/orders.csv'))).toHaveLength(summary.orders);
  expect(readCsv(work.path('out/equity.csv')).at(-1)).toMatchObject({ time: String(Date.parse(summary.to)), equity: summary.finalEquity });
  expect(work.read('out/events.jsonl').endsWith('}\n')).toBe(true);
  expect(work.read('out/report.html')).toContain('</html>');
});

test('a second Ctrl-C is not needed where a strategy takes its time over each bar', async () => {
  const slow = STRATEGY.replace(
    'this.seen++;',
    'for (const until = performance.now() + 200; performance.now() < until; );\n    this.seen++;',
  );
  const work = workspace({
    'c.yaml': CONFIG,
    's.ts': slow.replace('this.seen === 3', "(this.seen === 3 && this.log.info('third') === undefined)"),
  });
  await work.run(['--version']);
  const child = spawn(process.execPath, [join(ROOT, 'bin/tidegate.mjs'), 'backtest', 'c.yaml', '--quiet', '--out', 'out'], {
    cwd: work.folder,
  });
  while (!work.has('out/log.jsonl') || work.read('out/log.jsonl') === '') await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill('SIGINT');
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(130);
  const { marketEvents } = JSON.parse(work.read('out/summary.json'));
  // The whole day would take five minutes.
  expect(marketEvents).toBeGreaterThanOrEqual(3);
  expect(marketEvents).toBeLessThan(200);
});
