import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { checkSeries } from '../../src/recording/checks/check-series.ts';
import { withDuck } from '../../src/recording/duckdb.ts';
import { Quarantine } from '../../src/recording/import/rows.ts';
import { thrown, Workshop } from './builders.ts';

const shop = new Workshop();

const HEADER = 'time,kind,last_id,prev_id,side,price,qty';
const depth = (...rows: string[]) => [HEADER, ...rows].join('\n');
const GOOD = '1735689600,snapshot,7,,bid,94.2,1.5';

test('JSON lines of depth are read as their CSV is', () => {
  const csv = shop.import(depth(GOOD, '1735689601,delta,9,7,ask,94.3,0'), { kind: 'depth' });
  const json = shop.import(
    [
      '{"time":1735689600,"kind":"snapshot","last_id":7,"prev_id":null,"side":"bid","price":"94.2","qty":1.5}',
      '{"time":1735689601,"kind":"delta","last_id":9,"prev_id":7,"side":"ask","price":"94.3","qty":0}',
    ].join('\n'),
    { kind: 'depth' },
  );
  expect(shop.read(json).columns).toEqual([
    [1, -1],
    [942, 943],
    [15, 0],
    [1, 0],
    [7, 9],
    [0, 7],
  ]);
  expect(json.sha256).toBe(csv.sha256);
});

/** The columns of a recorder, and their values in the order of `keys`; what matters here are the three numbers. */
const RECORDED = ['local_ns', 'kind', 'first_id', 'last_id', 'prev_id', 'side', 'price', 'qty'];
type Recorded = readonly [kind: string, first: string, last: number, previous: string];
function recorded(rows: readonly Recorded[], keys: readonly string[] = RECORDED): string {
  const lines = rows.map(([kind, first, last, previous], second) => {
    const values = [`173568960${second}000000000`, kind, first, last, previous, 'b', '94.2', '1'];
    return keys.map((key) => values[RECORDED.indexOf(key)]).join(',');
  });
  return [keys.join(','), ...lines].join('\n');
}

test('in a spot file that begins with a snapshot the previous numbers follow from the first ones, and losses are found', async () => {
  const content = recorded([
    ['snapshot', '', 100, ''],
    ['delta', '95', 110, ''],
    ['delta', '121', 130, ''],
  ]);
  expect(shop.read(shop.import(content, { kind: 'depth' })).columns[5]).toEqual([0, 94, 120]);
  const { series } = await shop.keep(content, { kind: 'depth', name: 'lost' });
  expect(checkSeries(series).findings.map(({ severity, text }) => `${severity}: ${text}`)).toEqual([
    'error: changes that do not follow the one before: updates are lost (1): row 3 at 2025-01-01T00:00:02Z (120 should be 110)',
  ]);
});

const MIXED: readonly Recorded[] = [
  ['delta', '95', 100, '93'],
  ['delta', '101', 110, ''],
  ['delta', '121', 130, '-1'],
  ['delta', '', 140, '130'],
  ['delta', '-1', 150, ' '],
];
const FILLED = [93, 100, 120, 130, 0];
const LAST_FIRST = ['local_ns', 'kind', 'prev_id', 'last_id', 'side', 'price', 'qty', 'first_id'];

test.each([
  ['after it', recorded(MIXED)],
  ['before it', recorded(MIXED, LAST_FIRST)],
  ['before it, at the end of lines with CRLF', recorded(MIXED, LAST_FIRST).replaceAll('\n', '\r\n')],
  ['after it at the end of the line', recorded(MIXED, [...RECORDED.filter((key) => key !== 'prev_id'), 'prev_id'])],
])('a first number replaces a missing previous number in each row, if its column is %s', (_, content) => {
  expect(shop.read(shop.import(content, { kind: 'depth' })).columns[5]).toEqual(FILLED);
});

test('first numbers replace missing ones in JSON lines too, and in each of several files separately', () => {
  const json = MIXED.map(([kind, first, last, previous], second) =>
    JSON.stringify({ time: 1735689700 + second, kind, first_id: first, last_id: last, prev_id: previous, side: 'b', price: 94, qty: 1 }),
  );
  const before = recorded([
    ['snapshot', '', 80, ''],
    ['delta', '81', 90, ''],
  ]);
  const files = [shop.write('a.csv', before), shop.write('b.json', json.join('\n'))];
  expect(shop.read(shop.importFiles(files, { kind: 'depth' })).columns[5]).toEqual([0, 80, ...FILLED]);
});

test('no first number is used if the column of the previous number is named', () => {
  const meta = shop.import(recorded(MIXED), { kind: 'depth', columns: { previous: 'prev_id' } });
  expect(shop.read(meta).columns[5]).toEqual([93, 0, 0, 130, 0]);
});

const DAMAGED = [
  ['a side that is none', '1735689601,delta,9,7,long,94.3,1', 'column "side": expected bid or ask, not "long"'],
  ['no side', '1735689601,delta,9,7,,94.3,1', 'column "side": expected bid or ask, not ""'],
  ['a flag that is none', '1735689601,maybe,9,7,ask,94.3,1', 'column "kind": expected true or false, snapshot or delta, not "maybe"'],
  [
    'a number with a fraction',
    '1735689601,delta,9.5,7,ask,94.3,1',
    'column "last_id": expected a whole number below 2^53 or nothing, not "9.5"',
  ],
  ['a negative number', '1735689601,delta,9,-7,ask,94.3,1', 'column "prev_id": expected a whole number below 2^53 or nothing, not "-7"'],
  ['a number of 54 bits', '1735689601,delta,9007199254740993,7,ask,94.3,1', 'column "last_id": expected a whole number below 2^53'],
  ['a negative quantity', '1735689601,delta,9,7,ask,94.3,-1', 'column "qty": expected a quantity of at least 0, not "-1"'],
] as const;

test.each(DAMAGED)('refuses depth with %s, and a quarantine takes the row', (_, row, message) => {
  const content = depth(GOOD, row, '1735689602,delta,9,7,ask,94.3,1');
  expect(thrown(() => shop.import(content, { kind: 'depth' })).message).toContain(`in.csv: row 3: ${message}`);
  const quarantine = new Quarantine(join(shop.folder, 'bad.csv'), true);
  const meta = shop.import(content, { kind: 'depth', quarantine });
  expect([meta.rows, quarantine.count, quarantine.first?.row]).toEqual([2, 1, 3]);
  quarantine.abort();
});

test('Parquet of depth shows sides as text, snapshots as truth values, and no number where there is none', async () => {
  const { file } = await shop.keep(depth(GOOD, '1735689601,delta,9,7,ask,94.3,0'), { kind: 'depth' });
  const read = await withDuck(async (duck) => {
    const found = await duck.runAndReadAll(`SELECT side, snapshot, "update", previous FROM '${file}'`);
    return { types: found.columnTypes().map(String), rows: found.getRowsJS() };
  });
  expect(read.types).toEqual(['VARCHAR', 'BOOLEAN', 'BIGINT', 'BIGINT']);
  expect(read.rows).toEqual([
    ['buy', true, 7n, null],
    ['sell', false, 9n, 7n],
  ]);
});
