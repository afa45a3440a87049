import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ItemColumn, MadeRows, MoneyColumn, NumberColumn } from '../../src/model/columns.ts';
import { Decimal, decimalOf } from '../../src/model/decimal.ts';

function columnOf(values: readonly number[]): NumberColumn {
  const column = new NumberColumn();
  for (const value of values) column.push(value);
  return column;
}

const read = (column: { readonly length: number; at(index: number): unknown }) =>
  Array.from({ length: column.length }, (_, index) => column.at(index));

/** Values that need each of the widths, some of them special. */
const NUMBER = fc.oneof(
  fc.constantFrom(0, -0, 7, Number.NaN, Number.POSITIVE_INFINITY, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER),
  fc.integer({ min: -128, max: 127 }),
  fc.integer({ min: -40_000, max: 40_000 }),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double(),
);

describe('a column of numbers', () => {
  test('gives back what was pushed, chunk after chunk and width after width', () => {
    fc.assert(
      fc.property(fc.array(NUMBER, { minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 300 }), (some, times) => {
        const values = Array.from({ length: times }, () => some).flat();
        expect(read(columnOf(values))).toEqual(values);
      }),
      { numRuns: 60 },
    );
  });

  test('takes other values at any index, of the newest chunk and of full ones', () => {
    const changes = fc.array(fc.tuple(fc.nat(), NUMBER), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(fc.array(NUMBER, { minLength: 1, maxLength: 50 }), fc.constantFrom(1, 5_000), changes, (some, least, changed) => {
        const values = Array.from({ length: Math.ceil(least / some.length) }, () => some).flat();
        const column = columnOf(values);
        for (const [index, value] of changed) {
          column.set(index % values.length, value);
          values[index % values.length] = value;
        }
        expect(read(column)).toEqual(values);
      }),
      { numRuns: 60 },
    );
  });

  test('takes 2 bytes for each time of bars', () => {
    const times = Array.from({ length: 100_000 }, (_, index) => 1_700_000_000_000 + index * 60_000);
    const before = process.memoryUsage().arrayBuffers;
    const column = columnOf(times);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100_000 * 4);
    expect(column.at(99_999)).toBe(times.at(-1));
  });
});

const TEXT = fc
  .tuple(fc.bigInt({ min: -(10n ** 64n), max: 10n ** 64n }), fc.integer({ min: 0, max: 64 }), fc.integer({ min: 0, max: 40 }))
  .map(([whole, cut, places]) => `${whole / 10n ** BigInt(cut)}e-${places}`);

describe('a column of amounts', () => {
  test('gives back each amount to its last digit', () => {
    fc.assert(
      fc.property(fc.array(TEXT, { maxLength: 20 }), fc.constantFrom(1, 300), TEXT, (some, times, other) => {
        const texts = Array.from({ length: times }, () => some).flat();
        const column = new MoneyColumn();
        for (const text of texts) column.push(new Decimal(text));
        const shown = () => (read(column) as Decimal[]).map((value) => value.toFixed());
        expect(shown()).toEqual(texts.map((text) => new Decimal(text).toFixed()));
        if (texts.length === 0) return;
        column.set(0, new Decimal(other));
        expect(shown()[0]).toBe(new Decimal(other).toFixed());
      }),
      { numRuns: 60 },
    );
  });
});

test('the ratio of two amounts is that of their decimals', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(TEXT, TEXT), { minLength: 1, maxLength: 20 }), (pairs) => {
      const [above, below] = [new MoneyColumn(), new MoneyColumn()];
      for (const [one, other] of pairs) {
        above.push(new Decimal(one));
        below.push(new Decimal(other));
      }
      const expected = pairs.map(([one, other]) => new Decimal(one).div(other).toNumber());
      expect(pairs.map((_, index) => above.ratioAt(index, below))).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});

test('a whole number times a power of ten is what decimal.js makes of its text', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), fc.integer({ min: -40, max: 40 }), (whole, power) => {
      const { s, e, d } = decimalOf(whole, power);
      const expected = new Decimal(`${whole}e${power}`);
      expect([s, e, d]).toEqual([expected.s, expected.e, expected.d]);
    }),
    { numRuns: 500 },
  );
});

test('rows that are made are counted from both ends', () => {
  const rows = new MadeRows(3, (index) => index * 10);
  expect([...rows]).toEqual([0, 10, 20]);
  expect([rows.at(0), rows.at(-1), rows.at(3), rows.at(-4)]).toEqual([0, 20, undefined, undefined]);
});

test('a column of items keeps each distinct item once, whatever the order of the rows', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ side: fc.constantFrom('buy', 'sell'), tag: fc.constantFrom('', 'a', 'b') })), (items) => {
      const column = new ItemColumn<{ side: string; tag: string }>(({ side, tag }) => `${side}/${tag}`);
      for (const item of items) column.push(item);
      expect(read(column)).toEqual(items);
      for (const [index, item] of items.entries()) column.set(index, { ...item, tag: 'c' });
      expect(read(column)).toEqual(items.map((item) => ({ ...item, tag: 'c' })));
    }),
  );
});

test('texts are items, too', () => {
  const column = new ItemColumn<string>((text) => text);
  for (const text of ['', 'filled', '', 'canceled', 'filled']) column.push(text);
  column.set(0, 'filled');
  expect(read(column)).toEqual(['filled', 'filled', '', 'canceled', 'filled']);
});
