import { expect, test } from '@jest/globals';
import { ACCOUNTS } from '../matching/tables/accounts.ts';
import { AMENDS } from '../matching/tables/amends.ts';
import { BAR_LIMITS } from '../matching/tables/bar-limits.ts';
import { BAR_MARKETS } from '../matching/tables/bar-markets.ts';
import { BAR_PATHS } from '../matching/tables/bar-paths.ts';
import { BAR_VOLUMES } from '../matching/tables/bar-volumes.ts';
import { DEPTH } from '../matching/tables/depth.ts';
import { HELD } from '../matching/tables/held.ts';
import { QUEUES } from '../matching/tables/queues.ts';
import { QUOTES } from '../matching/tables/quotes.ts';
import { SLIPPAGE } from '../matching/tables/slippage.ts';
import { TICKERS } from '../matching/tables/tickers.ts';
import { TRADES } from '../matching/tables/trades.ts';
import { httpDoor, onTheWire, REASONS, reasonAgainst } from './http-door.ts';

// The rules of the simulator that hold in process (test/matching), asked over HTTP.

const TABLES = {
  BAR_LIMITS,
  BAR_MARKETS,
  BAR_PATHS,
  BAR_VOLUMES,
  HELD,
  DEPTH,
  QUEUES,
  SLIPPAGE,
  QUOTES,
  TRADES,
  TICKERS,
  ACCOUNTS,
  AMENDS,
};
const ALL = Object.values(TABLES).flat();
const rows = ALL.filter((row) => reasonAgainst(row) === undefined);

test.each(rows.map((row) => [row.title, row] as const))('%s', async (_title, row) => {
  const { fills, ends, totals } = await httpDoor(row);
  expect({ fills, ends }).toEqual(onTheWire(row));
  if (row.totals !== undefined && row.account === 'spot') expect(totals).toEqual(row.totals);
});

test.each([
  ['BAR_LIMITS', ['bars']],
  ['BAR_MARKETS', ['bars']],
  ['BAR_PATHS', ['bars']],
  ['BAR_VOLUMES', ['bars']],
  ['HELD', ['bars', 'engine']],
  ['QUOTES', ['unpriced']],
  ['DEPTH', []],
  ['QUEUES', []],
  ['SLIPPAGE', ['bars']],
  ['TRADES', []],
  ['TICKERS', ['engine']],
  ['AMENDS', ['engine']],
  ['ACCOUNTS', ['byQuote']],
] as const)('rows of %s are left out for these reasons alone: %j', (name, expected) => {
  const reasons = TABLES[name].map(reasonAgainst);
  expect(Object.keys(REASONS).filter((reason) => reasons.includes(reason as keyof typeof REASONS))).toEqual(expected);
});

test('the other rows run over HTTP', () => {
  expect(rows.length).toBeGreaterThanOrEqual(113);
});
