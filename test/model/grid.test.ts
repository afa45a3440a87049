import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Decimal } from '../../src/model/decimal.ts';
import { Grid } from '../../src/model/grid.ts';

test('every price from 0.1 to 10000 at a tick of 0.1 is the double that its decimal text parses to', () => {
  const grid = new Grid('0.1');
  let wrong = 0;
  for (let ticks = 1; ticks <= 1e5; ticks++) {
    const text = `${Math.floor(ticks / 10)}.${ticks % 10}`;
    if (grid.toNumber(ticks) !== Number(text) || grid.snap(Number(text), 'down') !== ticks || grid.snap(text, 'up') !== ticks) wrong++;
  }
  expect(wrong).toBe(0);
});

test('ticks x tickSize, the way not taken, is wrong for many prices', () => {
  let wrong = 0;
  for (let ticks = 1; ticks <= 1e5; ticks++) if (ticks * 0.1 !== Number(`${Math.floor(ticks / 10)}.${ticks % 10}`)) wrong++;
  expect(wrong).toBeGreaterThan(20_000);
});

test.each([
  ['0.5', 3, 1.5, '1.5'],
  ['0.25', 3, 0.75, '0.75'],
  ['5', 7, 35, '35'],
  ['0.00000001', 1, 1e-8, '0.00000001'],
  ['0.00000001', -150_000_000, -1.5, '-1.5'],
  ['0.000000000000001', 3, 3e-15, '0.000000000000003'],
  ['1e-3', 1500, 1.5, '1.5'],
  ['100', 12, 1200, '1200'],
  ['0.01', 0, 0, '0'],
  ['0.01', 100.5, 1.005, '1.005'],
])('on a grid of %s, %d units are %d, exactly "%s"', (text, units, number, exact) => {
  const grid = new Grid(text);
  expect(grid.toNumber(units)).toBe(number);
  expect(grid.toText(units)).toBe(exact);
  expect(grid.toDecimal(units).toFixed()).toBe(exact);
});

test.each([
  // A thousandth of a tick counts as being on it, on either side; beyond that the direction decides.
  ['0.1', '10.00009', 'up', 100],
  ['0.1', '9.99991', 'down', 100],
  ['0.1', '10.00011', 'up', 101],
  ['0.1', '10.00011', 'down', 100],
  ['0.1', '9.99989', 'down', 99],
  // Long text is judged as a decimal: exactly a thousandth is within.
  ['0.1', '10.00010000000000000', 'up', 100],
  ['0.1', '10.00010000000000001', 'up', 101],
  ['0.1', '9.99989', 'up', 100],
  ['0.1', 10.00009, 'up', 100],
  ['0.1', 10.0002, 'up', 101],
  ['0.1', 9.9998, 'down', 99],
  // Sums of doubles that miss their decimal.
  ['0.1', 0.1 + 0.2, 'up', 3],
  ['0.1', 0.1 + 0.2, 'down', 3],
  ['0.01', 1.005 * 100, 'down', 10_050],
  ['0.01', 1.1 * 3, 'up', 330],
  ['0.5', 10.3, 'down', 20],
  ['0.5', 10.3, 'up', 21],
  ['5', 12, 'down', 2],
  ['5', 12, 'up', 3],
  ['0.01', 0.009, 'down', 0],
  ['0.01', 0.001, 'up', 1],
  ['0.01', -0.001, 'down', -1],
  ['0.01', '1e-2', 'down', 1],
  ['0.01', '.5', 'down', 50],
  ['0.01', '+7.', 'down', 700],
  ['0.000001', '473551564.29', 'down', 473_551_564_290_000],
  // Text is exact where a number has no room for it.
  ['0.000000001', '123456.123456789', 'down', 123_456_123_456_789],
  // A number is taken back as what the grid made of it, however coarse doubles are there.
  ['0.000000001', 123456.123456789, 'down', 123_456_123_456_789],
  ['0.1', Number.NaN, 'down', undefined],
  ['0.1', Number.POSITIVE_INFINITY, 'down', undefined],
  ['0.1', '1e300', 'down', undefined],
  ['0.1', 1e300, 'up', undefined],
  ['0.1', '', 'down', undefined],
  ['0.1', 'abc', 'down', undefined],
  ['0.1', '0x10', 'down', undefined],
  ['0.1', '1,5', 'down', undefined],
  ['0.1', ' 1', 'down', undefined],
  ['0.1', 'NaN', 'down', undefined],
  ['0.1', 'Infinity', 'down', undefined],
] as const)('on a grid of %s, %j rounds %s to %p units', (text, value, direction, units) => {
  expect(new Grid(text).snap(value, direction)).toBe(units);
});

test('a snap to nothing from below zero is 0 and not -0', () => {
  expect(Object.is(new Grid('1').snap(-0.0001, 'up'), 0)).toBe(true);
});

test.each(['0', '0.00', '-1', '', 'x', 'NaN', '0x1', '1e-16', '1e16', '99999999999999999'])('a tick of "%s" is refused', (text) => {
  expect(() => new Grid(text)).toThrow(`a tick or step must be a positive decimal of at most 15 places, not "${text}"`);
});

test.each([
  ['1.2399', 123],
  ['1.24', 124],
  ['-0.001', -1],
  ['0.009999999999999999999999', 0],
])('flooring %s to steps of 0.01 has no tolerance: %d', (value, units) => {
  expect(new Grid('0.01').floorUnits(new Decimal(value))).toBe(units);
});

const grids = fc.tuple(fc.integer({ min: 0, max: 15 }), fc.constantFrom(1, 2, 5, 25)).map(([decimals, numerator]) => {
  return new Grid(new Decimal(numerator).div(new Decimal(10).pow(decimals)).toFixed());
});

test('number, text and decimal of any units agree, and snapping takes each back', () => {
  fc.assert(
    fc.property(grids, fc.integer({ min: 0, max: 2 ** 50 }), (grid, wide) => {
      const units = Math.floor(wide / grid.numerator);
      const exact = new Decimal(units).times(grid.numerator).div(new Decimal(10).pow(grid.decimals));
      expect(grid.toText(units)).toBe(exact.toFixed());
      expect(grid.toDecimal(units).equals(exact)).toBe(true);
      expect(grid.toNumber(units)).toBe(Number(exact.toFixed()));
      expect(grid.snap(grid.toText(units), 'down')).toBe(units);
      // A double gives back what it can still tell apart.
      const again = grid.snap(grid.toNumber(units), 'down');
      expect(grid.toNumber(again!)).toBe(grid.toNumber(units));
    }),
    { numRuns: 2000 },
  );
});

test.each<[step: string, value: number | string, units: number]>([
  // A quantity is never rounded up: one step above all free coins is denied.
  ['0.00001', 0.00999999, 999],
  ['0.00001', '0.00999999', 999],
  ['0.00001', '0.009999999999999', 999],
  ['1', 2.9999, 2],
  // Noise in the last digits of a double is no quantity below the step.
  ['0.1', 0.3 - 0.1, 2],
  ['0.1', String(0.3 - 0.1), 2],
  ['0.1', 0.1 + 0.2, 3],
  ['0.00001', 0.1 * 3, 30_000],
  ['0.01', 1.1 * 1.1, 121],
  ['0.00001', 0.01, 1000],
  ['0.5', 0.49, 0],
])('on steps of %s, %p is %d whole ones', (step, value, units) => {
  expect(new Grid(step).floor(value)).toBe(units);
});

test('every whole number of steps is its own floor, and a thousandth of a step less is one step less', () => {
  const grid = new Grid('0.00001');
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e9 }), (units) => {
      expect(grid.floor(grid.toNumber(units))).toBe(units);
      expect(grid.floor(grid.toText(units))).toBe(units);
      expect(grid.floor(grid.toNumber(units) - 1e-8)).toBe(units - 1);
    }),
  );
});
