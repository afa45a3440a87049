import { expect, test } from '@jest/globals';
import { Decimal as Base } from 'decimal.js';
import fc from 'fast-check';
import { Decimal, exactSum, ratioOf, toDouble, ZERO } from '../../src/model/decimal.ts';

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

test('a ratio is the nearest double of the exact quotient', () => {
  fc.assert(
    fc.property(texts, texts, (a, b) => {
      const [value, by] = [new Decimal(a), new Decimal(b)];
      expect(ratioOf(value, by)).toBe(value.div(by).toNumber());
    }),
    { numRuns: 5_000 },
  );
});

test.each([
  ['1', '3'],
  ['-0.1', '30000'],
  ['0', '-7'],
  ['9007199254740991', '9007199254740.993'],
  ['1e300', '1e-300'],
  ['1', '0'],
])('that of %s and %s too', (a, b) => expect(ratioOf(new Decimal(a), new Decimal(b))).toBe(new Decimal(a).div(b).toNumber()));

test('an exact sum equals the addition of one amount after the other', () => {
  fc.assert(
    fc.property(fc.array(texts), (several) => {
      const amounts = several.map((text) => new Decimal(text));
      // Digits beyond the 64 of a Decimal would be rounded at every step.
      fc.pre(amounts.every(({ e }) => e < 30));
      const oneByOne = amounts.reduce((sum, amount) => sum.plus(amount), ZERO);
      expect(exactSum(amounts, (amount) => amount).toFixed()).toBe(oneByOne.toFixed());
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  [['0.1', '0.2', '-0.3'], '0'],
  [['1e300', '1'], new Decimal('1e300').plus(1).toFixed()],
  [['9999999', '1'], '10000000'],
  [['-9999999.9999999', '0.0000001'], '-9999999.9999998'],
])('the exact sum of %j is %s', (texts, sum) => {
  const amounts = texts.map((text) => new Decimal(text));
  expect(exactSum(amounts, (amount) => amount).toFixed()).toBe(sum);
});

/** decimal.js as it is, with the same precision. */
const Plain = Base.clone({ precision: 64, rounding: Base.ROUND_HALF_EVEN });
/** Amounts near the borders of words, and amounts of many words. */
const operands = fc.oneof(
  texts,
  fc.tuple(fc.maxSafeInteger(), fc.integer({ min: -30, max: 30 })).map(([whole, exponent]) => `${whole}e${exponent}`),
  fc.constantFrom('0', '-0', '9999999', '10000000', '0.0000001', '99999999999999', '-1e-7', '1e-8', '1e60', '1e-60', 'NaN', 'Infinity'),
);
const fieldsOf = ({ s, e, d }: Base) => ({ s, e, d });

test('sums, products, comparisons and negatives are those of decimal.js, word for word', () => {
  fc.assert(
    fc.property(operands, operands, (a, b) => {
      const [x, y] = [new Decimal(a), new Decimal(b)];
      const [plainX, plainY] = [new Plain(a), new Plain(b)];
      for (const operation of ['plus', 'minus', 'times', 'add', 'sub', 'mul'] as const) {
        const made = x[operation](y);
        expect({ operation, ...fieldsOf(made) }).toEqual({ operation, ...fieldsOf(plainX[operation](plainY)) });
        expect(made instanceof Decimal).toBe(true);
      }
      expect(x.comparedTo(y)).toBe(plainX.comparedTo(plainY));
      for (const comparison of ['lessThan', 'lessThanOrEqualTo', 'greaterThan', 'greaterThanOrEqualTo', 'equals'] as const) {
        expect(x[comparison](y)).toBe(plainX[comparison](plainY));
      }
      expect(fieldsOf(x.negated())).toEqual(fieldsOf(plainX.negated()));
      // The operands stay as they were.
      expect([fieldsOf(x), fieldsOf(y)]).toEqual([fieldsOf(plainX), fieldsOf(plainY)]);
    }),
    { numRuns: 5_000 },
  );
});

test('operands as numbers and texts give the results of decimal.js', () => {
  const numbers = fc.oneof(fc.maxSafeInteger(), fc.integer(), fc.double(), fc.constantFrom(1e7, -1e7, 1e14, 1e14 - 1, 2 ** 53, 0.1));
  fc.assert(
    fc.property(operands, numbers, (a, number) => {
      for (const value of [number, String(number)]) {
        for (const operation of ['plus', 'minus', 'times'] as const) {
          expect(fieldsOf(new Decimal(a)[operation](value))).toEqual(fieldsOf(new Plain(a)[operation](value)));
        }
        expect(new Decimal(a).comparedTo(value)).toBe(new Plain(a).comparedTo(value));
      }
    }),
    { numRuns: 2_000 },
  );
});
