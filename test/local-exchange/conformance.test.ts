import { expect, test } from '@jest/globals';
import { ACCOUNTS } from '../matching/tables/accounts.ts';
import { QUOTES } from '../matching/tables/quotes.ts';
import { TICKERS } from '../matching/tables/tickers.ts';
import { TRADES } from '../matching/tables/trades.ts';
import { expressible, httpDoor, onTheWire } from './http-door.ts';

// The rules of the simulator that hold in process (test/matching), asked over HTTP.

const rows = [...QUOTES, ...TRADES, ...TICKERS, ...ACCOUNTS].filter(expressible);

test('many rules can be asked over HTTP', () => {
  expect(rows.length).toBeGreaterThan(40);
});

test.each(rows.map((row) => [row.title, row] as const))('%s', async (_title, row) => {
  const { fills, ends, totals } = await httpDoor(row);
  expect({ fills, ends }).toEqual(onTheWire(row));
  if (row.totals !== undefined && row.account === 'spot') expect(totals).toEqual(row.totals);
});
