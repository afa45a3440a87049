import { expect, test } from '@jest/globals';
import { SeriesCheck } from '../../src/recording/checks/check-series.ts';
import type { SeriesMeta } from '../../src/recording/columns/series-meta.ts';

/** Seconds, side, price in tenths, quantity, then snapshot, update, previous. */
type Row = readonly [number, 'bid' | 'ask', number, number, boolean?, number?, number?];

/** What is found in the rows, in chunks of 2: changes may lie across them. */
function found(rows: readonly Row[], more: Partial<SeriesMeta> = {}) {
  const snapshots = rows.filter(([, , , , snapshot]) => snapshot === true).length;
  const check = new SeriesCheck({ kind: 'depth', priceDecimals: 1, quantityDecimals: 0, snapshots, firstTime: 0, ...more } as SeriesMeta);
  for (let from = 0; from < rows.length; from += 2) {
    const chunk = rows.slice(from, from + 2);
    const column = (value: (row: Row) => number) => Float64Array.from(chunk, value);
    check.update({
      length: chunk.length,
      time: column(([seconds]) => seconds * 1_000),
      columns: [
        column(([, side]) => (side === 'bid' ? 1 : -1)),
        column(([, , price]) => price),
        column(([, , , quantity]) => quantity),
        column(([, , , , snapshot = false]) => (snapshot ? 1 : 0)),
        column(([, , , , , update = 0]) => update),
        column(([, , , , , , previous = 0]) => previous),
      ],
      nanos: undefined,
    });
  }
  return check.findings().map(({ code, severity, text }) => `${severity} ${code}: ${text}`);
}

const SNAPSHOT: readonly Row[] = [
  [0, 'bid', 99, 5, true, 10],
  [0, 'ask', 101, 5, true, 10],
];

test('a book that follows its snapshot has no findings, whatever levels become zero and however far apart they are', () => {
  expect(
    found([...SNAPSHOT, [1, 'bid', 99, 0, false, 13, 8], [2, 'ask', 900_000, 1, false, 15, 13], [3, 'bid', 1, 1, false, 16, 15]]),
  ).toEqual([]);
});

test('a change without its predecessor is reported with both numbers; one that begins before a snapshot is not', () => {
  const rows: readonly Row[] = [
    ...SNAPSHOT,
    [1, 'bid', 98, 1, false, 12, 9],
    [2, 'bid', 97, 1, false, 15, 13],
    [3, 'bid', 98, 1, true, 20],
    [4, 'bid', 97, 1, false, 21, 19],
  ];
  expect(found(rows)).toEqual([
    'error lostUpdates: changes that do not follow the one before: updates are lost (1): row 4 at 1970-01-01T00:00:02Z (13 should be 12)',
  ]);
});

const NEWER: readonly Row[] = [
  [2, 'bid', 98, 1, false, 12, 10],
  [3, 'bid', 99, 5, true, 17],
];

test.each([
  ['the first snapshot', SNAPSHOT, 'row 3 at 1970-01-01T00:00:04Z (20 should be 10)'],
  ['a snapshot that is newer than the change before', [...SNAPSHOT, ...NEWER], 'row 5 at 1970-01-01T00:00:04Z (20 should be 17)'],
])('a gap right after %s is reported with the number of the snapshot', (_, rows, place) => {
  expect(found([...rows, [4, 'bid', 98, 1, false, 21, 20], [5, 'bid', 98, 2, false, 22, 21]])).toEqual([
    `error lostUpdates: changes that do not follow the one before: updates are lost (1): ${place}`,
  ]);
});

test('changes that are older than a snapshot may have a gap behind it, and the first newer one may reach back', () => {
  expect(found([...SNAPSHOT, [1, 'bid', 98, 1, false, 6, 5], [2, 'bid', 98, 1, false, 9, 8], [3, 'bid', 98, 1, false, 12, 9]])).toEqual([]);
});

test('a change follows the newest snapshot, though an older one comes after that', () => {
  expect(found([...SNAPSHOT, [1, 'bid', 98, 1, true, 8], [2, 'bid', 97, 1, false, 11, 10]])).toEqual([]);
});

/** A series that begins with changes a recorder had in hand before its snapshot of number 15. */
const early = (update: number, previous: number, ...then: Row[]): Row[] => [
  [0, 'bid', 95, 1, false, update, previous],
  [1, 'bid', 98, 5, true, 15],
  ...then,
];

test('if the first change does not follow the first snapshot, a loss before that change is reported', () => {
  const lost =
    'error lostUpdates: changes that do not follow the one before: updates are lost (1): row 1 at 1970-01-01T00:00:00Z (20 should be 15)';
  expect(found(early(21, 20, [2, 'bid', 97, 1, false, 22, 21], [3, 'bid', 97, 1, true, 18]))).toEqual([lost]);
});

test.each([
  ['older than it', 12, 11],
  ['of its number', 15, 14],
  ['across it', 18, 13],
  ['right after it', 16, 15],
  ['without the number before', 21, 0],
])('a first change before the first snapshot that is %s is no loss', (_, update, previous) => {
  expect(found(early(update, previous, [2, 'bid', 97, 1, false, 22, Math.max(update, 15)]))).toEqual([]);
});

test('rows from inside a series may begin with changes that are newer than the snapshot after them', () => {
  expect(found(early(21, 20, [2, 'bid', 97, 1, false, 22, 21]), { firstTime: -1 })).toEqual([]);
});

test('a number that does not rise is disorder', () => {
  expect(found([...SNAPSHOT, [1, 'bid', 98, 1, false, 12, 10], [2, 'bid', 97, 1, false, 12, 11], [3, 'bid', 97, 2, false, 11, 0]])).toEqual(
    [
      'error disorder: changes whose number is not above that of the one before (2): row 4 at 1970-01-01T00:00:02Z (12 after 12), row 5 at 1970-01-01T00:00:03Z (11 after 12)',
    ],
  );
});

test('a book is checked after complete changes: rows of one time and number are one', () => {
  const both = (number: number): Row[] => [
    [1, 'bid', 102, 1, false, 11, 10],
    [1, 'ask', 101, 0, false, number, 10],
    [1, 'ask', 103, 1, false, number, 10],
  ];
  expect(found([...SNAPSHOT, ...both(11)])).toEqual([]);
  expect(found([...SNAPSHOT, ...both(12)])).toEqual([
    'error crossedBooks: changes that leave a bid above the ask (1): row 3 at 1970-01-01T00:00:01Z (bid 10.2 ask 10.1)',
  ]);
});

test('a bid at the ask is a warning, and a snapshot repairs it', () => {
  const rows: readonly Row[] = [
    [0, 'bid', 99, 5, true],
    [1, 'ask', 99, 1],
    [2, 'bid', 98, 1],
    [3, 'bid', 98, 1, true],
    [4, 'bid', 97, 1],
  ];
  expect(found(rows)).toEqual([
    'warning lockedBooks: changes that leave a bid at the ask (2): row 2 at 1970-01-01T00:00:01Z (bid 9.9 ask 9.9), row 3 at 1970-01-01T00:00:02Z (bid 9.9 ask 9.9)',
  ]);
});

test('changes before the first snapshot make no book', () => {
  const before: readonly Row[] = [
    [0, 'bid', 150, 1, false, 8, 7],
    [1, 'bid', 99, 5, true, 10],
    [1, 'ask', 101, 5, true, 10],
  ];
  expect(found(before)).toEqual([]);
});

test('a series without a snapshot is a warning; rows from inside a series make the book that they can', () => {
  const rows: readonly Row[] = [
    [1, 'bid', 99, 1],
    [2, 'ask', 98, 1],
  ];
  expect(found(rows)).toEqual([
    'error crossedBooks: changes that leave a bid above the ask (1): row 2 at 1970-01-01T00:00:02Z (bid 9.9 ask 9.8)',
    'warning noSnapshot: no snapshot: the book is what changed since the first row (1): row 1 at 1970-01-01T00:00:01Z',
  ]);
  expect(found(rows, { snapshots: 1 })).toHaveLength(1);
});

test('impossible prices and quantities are reported, and prices far apart are no outliers', () => {
  expect(found([...SNAPSHOT, [1, 'bid', 0, 1], [2, 'bid', 98, -1], [3, 'bid', 98, 0]]).map((text) => text.split(':')[0])).toEqual([
    'error nonPositivePrices',
    'error negativeQuantities',
  ]);
});
