import { describe, expect, test } from '@jest/globals';
import { backtestDoor } from './doors/backtest-door.ts';
import { httpDoor } from './doors/http-door.ts';
import { matchingDoor } from './doors/matching-door.ts';
import { expressible, wireOutcome } from './doors/on-the-wire.ts';
import type { FuturesDoor, FuturesOutcome, FuturesRow } from './row.ts';
import { FUNDING } from './tables/funding.ts';
import { LIQUIDATION } from './tables/liquidation.ts';
import { MARGIN } from './tables/margin.ts';
import { TRIGGERS } from './tables/triggers.ts';

const ROWS: readonly FuturesRow[] = [...TRIGGERS, ...MARGIN, ...LIQUIDATION, ...FUNDING];

interface Door {
  readonly name: string;
  readonly door: FuturesDoor;
  /** The rows that it can take. */
  readonly takes: (row: FuturesRow) => boolean;
  /** What it must tell of a row. */
  readonly tells: (row: FuturesRow) => FuturesOutcome;
}

const everything = (row: FuturesRow): FuturesOutcome => ({
  events: row.expect,
  total: row.total,
  frozen: row.frozen ?? '0',
  held: { long: 0, short: 0, ...row.held },
  insurance: row.insurance ?? '0',
});

/** Every way into the simulator. */
const DOORS: readonly Door[] = [
  { name: 'matching alone', door: matchingDoor, takes: () => true, tells: everything },
  { name: 'the wired backtest', door: backtestDoor, takes: (row) => row.venueOnly !== true, tells: everything },
  { name: 'the local exchange over HTTP', door: httpDoor, takes: expressible, tells: wireOutcome },
];

describe.each(DOORS)('through $name', ({ door, takes, tells }) => {
  test.each(ROWS.filter(takes).map((row) => [row.title, row] as const))('%s', async (_title, row) => {
    expect(await door(row)).toEqual(tells(row));
  });
});

test('every row except those on bars runs over HTTP', () => {
  expect(ROWS.filter(expressible)).toHaveLength(58);
  expect(ROWS.filter((row) => !expressible(row) && row.data.bar === undefined)).toEqual([]);
});

test('no two rows state the same rule', () => {
  const titles = ROWS.map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
});
