import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { Quarantine } from '../../src/recording/import/rows/quarantine.ts';
import { withDuck } from '../../src/recording/parquet/duck.ts';
import { thrown, Workshop } from './builders.ts';

const shop = new Workshop();
afterAll(() => shop.remove());

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
