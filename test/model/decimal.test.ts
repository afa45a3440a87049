import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Decimal, toDouble } from '../../src/model/decimal.ts';

/** Decimal text of up to 24 digits, the point anywhere, at times with an exponent. */
const texts = fc
  .tuple(
    fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 24 }),
    fc.nat(24),
    fc.integer({ min: -30, max: 30 }),
    fc.boolean(),
  )
  .map(([digits, places, exponent, negative]) => {
    const point = Math.max(0, digits.length - places);
    const text = `${digits.slice(0, point).join('') || '0'}.${digits.slice(point).join('') || '0'}`;
    return `${negative ? '-' : ''}${text}${exponent > 20 ? `e${exponent}` : ''}`;
  });

test('the double of an amount is the one that JavaScript reads from its text', () => {
  fc.assert(
    fc.property(texts, (text) => expect(toDouble(new Decimal(text))).toBe(Number(text))),
    { numRuns: 5_000 },
  );
});

test.each([
  '0',
  '-0',
  '1e22',
  '1e23',
  '9007199254740991',
  '9007199254740993',
  '1e-22',
  '123e-25',
  '1000000000.1234',
  '10000000.0000001',
  'NaN',
  '-Infinity',
])('that of %s too', (text) => expect(toDouble(new Decimal(text))).toBe(Number(text)));
