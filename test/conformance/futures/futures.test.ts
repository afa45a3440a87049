import { describe, expect, test } from '@jest/globals';
import { backtestDoor } from './doors/backtest-door.ts';
import { matchingDoor } from './doors/matching-door.ts';
import type { FuturesDoor, FuturesRow } from './row.ts';
import { FUNDING } from './tables/funding.ts';
import { LIQUIDATION } from './tables/liquidation.ts';
import { MARGIN } from './tables/margin.ts';
import { TRIGGERS } from './tables/triggers.ts';

const ROWS: readonly FuturesRow[] = [...TRIGGERS, ...MARGIN, ...LIQUIDATION, ...FUNDING];

/** Every way into the simulator, and the rows that it can take. */
const DOORS: readonly (readonly [string, FuturesDoor, (row: FuturesRow) => boolean])[] = [
  ['matching alone', matchingDoor, () => true],
  ['the wired backtest', backtestDoor, (row) => row.venueOnly !== true],
];

describe.each(DOORS)('through %s', (_name, door, takes) => {
  test.each(ROWS.filter(takes).map((row) => [row.title, row] as const))('%s', async (_title, row) => {
    expect(await door(row)).toEqual({
      events: row.expect,
      total: row.total,
      frozen: row.frozen ?? '0',
      held: { long: 0, short: 0, ...row.held },
      insurance: row.insurance ?? '0',
    });
  });
});

test('no two rows state the same rule', () => {
  const titles = ROWS.map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
});
