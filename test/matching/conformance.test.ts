import { describe, expect, test } from '@jest/globals';
import { backtestDoor } from './doors/backtest-door.ts';
import { matchingDoor } from './doors/matching-door.ts';
import { type ConformanceRow, type Door, needsEngine } from './row.ts';
import { ACCOUNTS } from './tables/accounts.ts';
import { AMENDS } from './tables/amends.ts';
import { BAR_LIMITS } from './tables/bar-limits.ts';
import { BAR_MARKETS } from './tables/bar-markets.ts';
import { BAR_PATHS } from './tables/bar-paths.ts';
import { BAR_VOLUMES } from './tables/bar-volumes.ts';
import { DEPTH } from './tables/depth.ts';
import { HELD } from './tables/held.ts';
import { QUEUES } from './tables/queues.ts';
import { QUOTES } from './tables/quotes.ts';
import { SLIPPAGE } from './tables/slippage.ts';
import { TICKERS } from './tables/tickers.ts';
import { TRADES } from './tables/trades.ts';

const ROWS: readonly ConformanceRow[] = [
  ...BAR_MARKETS,
  ...BAR_LIMITS,
  ...BAR_VOLUMES,
  ...BAR_PATHS,
  ...QUOTES,
  ...DEPTH,
  ...QUEUES,
  ...TRADES,
  ...TICKERS,
  ...ACCOUNTS,
  ...HELD,
  ...AMENDS,
  ...SLIPPAGE,
];

/** Every way into the simulator, and the rows that it can take. */
const DOORS: readonly (readonly [string, Door, (row: ConformanceRow) => boolean])[] = [
  ['matching alone', matchingDoor, (row) => !needsEngine(row)],
  ['the wired backtest', backtestDoor, (row) => row.venueOnly !== true],
];

describe.each(DOORS)('through %s', (_name, door, takes) => {
  test.each(ROWS.filter(takes).map((row) => [row.title, row] as const))('%s', async (_title, row) => {
    const { fills, ends, pathFills, unguardedBars, narrowTrailBars, totals } = await door(row);
    expect({ fills, ends }).toEqual({ fills: row.expect, ends: row.ends ?? [] });
    if (row.pathFills !== undefined) expect(pathFills).toBe(row.pathFills);
    if (row.unguardedBars !== undefined) expect(unguardedBars).toBe(row.unguardedBars);
    if (row.narrowTrailBars !== undefined) expect(narrowTrailBars).toBe(row.narrowTrailBars);
    if (row.totals !== undefined) expect(totals).toEqual(row.totals);
  });
});

test('no two rows state the same rule', () => {
  const titles = ROWS.map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
});
