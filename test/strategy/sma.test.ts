import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Sma } from '../../src/strategy/sma.ts';

test('it is ready when its window is full and drops older values', () => {
  const sma = new Sma(3);
  const seen = [1, 2, 6, 10].map((value) => {
    sma.update(value);
    return [sma.ready, sma.sum, sma.value];
  });
  expect(seen).toEqual([
    [false, 1, 1],
    [false, 3, 1.5],
    [true, 9, 3],
    [true, 18, 6],
  ]);
});

test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('a length of %d is refused', (length) => {
  expect(() => new Sma(length)).toThrow(`an average needs a positive whole length, not ${length}`);
});

test('averages compare as the fractions they are, in any size, ties included', () => {
  const value = fc.integer({ min: 0, max: 2 ** 53 - 1 });
  fc.assert(
    fc.property(fc.array(fc.oneof(value, fc.integer({ min: 99, max: 101 })), { minLength: 12, maxLength: 40 }), (values) => {
      const small = values.map((one) => one % 2 ** 48);
      const [fast, slow] = [new Sma(4), new Sma(12)];
      for (const one of small) {
        fast.update(one);
        slow.update(one);
      }
      const sum = (length: number) => small.slice(-length).reduce((total, one) => total + BigInt(one), 0n);
      const difference = sum(4) * 12n - sum(12) * 4n;
      expect(fast.compare(slow)).toBe(difference > 0n ? 1 : difference < 0n ? -1 : 0);
      expect(slow.compare(fast) + fast.compare(slow)).toBe(0);
    }),
    { numRuns: 500 },
  );
});
