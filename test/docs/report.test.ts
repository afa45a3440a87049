import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { MOST_CURVES, MOST_POINTS } from '../../src/app/backtest/recorders/allocation-recorder.ts';
import { MAX_CHART_BARS } from '../../src/report/chart-bars.ts';
import { PAGE_LIMITS } from '../../src/report/page-report.ts';
import { ROOT } from '../support/cli.ts';

test('the limits of the page are those that its document names', () => {
  const text = readFileSync(join(ROOT, 'docs/reference/report.md'), 'utf8');
  const named = Object.fromEntries(
    [...text.matchAll(/^\| ([a-z, ]+) \| ([\d,]+)([^|]*)\|/gm)].map(([, name, count, more]) => [name!, `${count}${more}`.trim()]),
  );
  const shown = (count: number) => count.toLocaleString('en-US');
  expect(named).toEqual({
    'points of equity': shown(PAGE_LIMITS.equity),
    'points of the allocation': shown(MOST_POINTS),
    'curves of the allocation': shown(MOST_CURVES),
    candles: `${shown(MAX_CHART_BARS)} a symbol, ${shown(PAGE_LIMITS.candles)} in all`,
    'fills, orders': `${shown(PAGE_LIMITS.fills)} of each`,
    'dots of trades': shown(PAGE_LIMITS.dots),
    'rows of trades': shown(PAGE_LIMITS.trades),
    'rows by time': `${shown(PAGE_LIMITS.periods)} a table`,
  });
  expect(PAGE_LIMITS.orders).toBe(PAGE_LIMITS.fills);
});
