import { expect, test } from '@jest/globals';
import { ACCOUNTS } from '../matching/tables/accounts.ts';
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

const TABLES = { BAR_LIMITS, BAR_MARKETS, BAR_PATHS, BAR_VOLUMES, HELD, DEPTH, QUEUES, SLIPPAGE, QUOTES, TRADES, TICKERS, ACCOUNTS };
const ALL = Object.values(TABLES).flat();
const rows = ALL.filter((row) => reasonAgainst(row) === undefined);

test.each(rows.map((row) => [row.title, row] as const))('%s', async (_title, row) => {
  const { fills, ends, totals } = await httpDoor(row);
  expect({ fills, ends }).toEqual(onTheWire(row));
  if (row.totals !== undefined && row.account === 'spot') expect(totals).toEqual(row.totals);
});

test.each([
  ['BAR_LIMITS', { bars: 26 }],
  ['BAR_MARKETS', { bars: 21 }],
  ['BAR_PATHS', { bars: 16 }],
  ['BAR_VOLUMES', { bars: 10 }],
  ['HELD', { bars: 64, engine: 6 }],
  ['QUOTES', { unpriced: 1 }],
  ['DEPTH', {}],
  ['QUEUES', {}],
  ['SLIPPAGE', { bars: 13 }],
  ['TRADES', {}],
  ['TICKERS', {}],
  ['ACCOUNTS', { byQuote: 1 }],
] as const)('of %s, what is not asked has its reason', (name, expected) => {
  const reasons = TABLES[name].map(reasonAgainst).filter((reason) => reason !== undefined);
  const counts = Object.keys(REASONS).map((reason) => [reason, reasons.filter((one) => one === reason).length] as const);
  expect(Object.fromEntries(counts.filter(([, count]) => count > 0))).toEqual(expected);
});
