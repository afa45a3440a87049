import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { alignedLines, terminalWidth, wrapped } from '../../../src/app/data/cli-text.ts';
import { ROOT } from '../../support/cli.ts';
import { terminalTest } from '../../support/terminal.ts';

const ROWS = [
  ['', 'rows', 'first (UTC)', 'step'],
  ['BTC-USDT bar 1m', '44,640', '2025-01-01 00:00', '0.01'],
  ['BTC-USDT funding', '93', '2025-01-01 00:00', ''],
];

test('a table that fits the terminal is aligned, figures to the right', () => {
  expect(alignedLines(ROWS, [1], 60)).toEqual([
    '                    rows  first (UTC)       step',
    'BTC-USDT bar 1m   44,640  2025-01-01 00:00  0.01',
    'BTC-USDT funding      93  2025-01-01 00:00',
  ]);
});

test('on a narrower terminal each row is a card, without empty cells', () => {
  expect(alignedLines(ROWS, [1], 40)).toEqual([
    'BTC-USDT bar 1m',
    '  rows         44,640',
    '  first (UTC)  2025-01-01 00:00',
    '  step         0.01',
    'BTC-USDT funding',
    '  rows         93',
    '  first (UTC)  2025-01-01 00:00',
  ]);
});

test('text is broken at the width, and a file or a pipe has no width', () => {
  expect(wrapped('one two three four', 4, 14)).toEqual(['    one two', '    three four']);
  expect(terminalWidth({ isTTY: true, columns: 60 })).toBe(60);
  expect(terminalWidth({ isTTY: true, columns: 20 })).toBe(40);
  expect(terminalWidth({ columns: 60 })).toBe(Number.POSITIVE_INFINITY);
});

terminalTest('the lines of data check fit a terminal of 40 columns', () => {
  const command = `stty cols 40; exec '${process.execPath}' bin/tidegate.mjs data check sample`;
  const { stdout } = spawnSync('script', ['--quiet', '--command', command, '/dev/null'], { cwd: ROOT, encoding: 'utf8' });
  const lines = stdout.trimEnd().split(/\r?\n/);
  expect(lines.filter((line) => line.length > 40)).toEqual([]);
  expect(lines).toContainEqual(expect.stringMatching(/^ {4}good, longest pause/));
});
