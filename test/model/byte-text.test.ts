import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ByteText, onGrid } from '../../src/model/byte-text.ts';
import { Decimal } from '../../src/model/decimal.ts';
import { Grid } from '../../src/model/grid.ts';

function written(write: (text: ByteText) => void): string {
  const pieces: Buffer[] = [];
  const text = new ByteText((bytes) => pieces.push(Buffer.from(bytes)));
  write(text);
  text.flush();
  return Buffer.concat(pieces).toString();
}

const TEXTS = fc.oneof(fc.string({ unit: 'binary', maxLength: 20 }), fc.string({ maxLength: 20 }));
const NUMBERS = fc.oneof(
  fc.constantFrom(0, -0, 9, 10, 999_999_999, 1_000_000_000, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, Number.NaN, 2 ** 60),
  fc.maxSafeInteger(),
  fc.integer(),
  fc.integer({ min: -20, max: 20 }),
  fc.double(),
);
const AMOUNTS = fc.oneof(
  fc.tuple(fc.bigInt({ min: -(10n ** 45n), max: 10n ** 45n }), fc.integer({ min: -60, max: 60 })),
  fc.tuple(fc.bigInt({ min: -(10n ** 9n), max: 10n ** 9n }), fc.integer({ min: -16, max: 9 })),
  fc.tuple(fc.constantFrom(1n, 10n, 5_000_000n, -10_000_000n), fc.integer({ min: -30, max: 30 })),
);
const decimalOfParts = ([whole, power]: readonly [bigint, number]) => new Decimal(`${whole}e${power}`);
const GRIDS = fc.constantFrom('1', '0.01', '0.5', '25', '0.000000000000001', '0.00000125', '1000').map((text) => new Grid(text));
const UNITS = fc.oneof(
  fc.maxSafeInteger(),
  fc.integer(),
  fc.integer({ min: -200, max: 200 }),
  fc.integer().map((units) => units / 2),
);

test('numbers, amounts and units are written as String, toFixed and the value of the grid have them', () => {
  fc.assert(
    fc.property(TEXTS, NUMBERS, AMOUNTS, GRIDS, UNITS, (text, number, parts, grid, units) => {
      const amount = decimalOfParts(parts);
      const exact = new Decimal(grid.text).times(units).toFixed();
      const own = written((line) => {
        line.write`é${text}|${number}|${amount}|${onGrid(grid, units)}|${number > 0}`;
        line.endLine();
        line.text(text).number(number).amount(amount).units(grid, units);
      });
      const utf8 = Buffer.from(text).toString();
      expect(own).toBe(`é${utf8}|${number}|${amount.toFixed()}|${exact}|${number > 0}\n${utf8}${number}${amount.toFixed()}${exact}`);
    }),
    { numRuns: 2_000 },
  );
});

test('amounts that are no finite number are written as their names', () => {
  const [none, most, least] = ['NaN', 'Infinity', '-Infinity'].map((name) => new Decimal(name)) as [Decimal, Decimal, Decimal];
  expect(written((line) => line.amount(none).text(' ').amount(most).text(' ').amount(least))).toBe('NaN Infinity -Infinity');
});

test('pieces are whole lines, also where one line is longer than the buffer', () => {
  const pieces: string[] = [];
  const text = new ByteText((bytes) => pieces.push(Buffer.from(bytes).toString()));
  const lines = Array.from({ length: 400 }, (_, at) => `${at}:${'x'.repeat(at === 200 ? 300_000 : at * 3)}`);
  for (const line of lines) text.text(line).endLine();
  text.flush();
  expect(pieces.length).toBeGreaterThan(2);
  for (const piece of pieces) expect(piece.endsWith('\n')).toBe(true);
  expect(pieces.join('')).toBe(`${lines.join('\n')}\n`);
});
