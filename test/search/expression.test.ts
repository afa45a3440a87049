import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FormulaError, parseFormula } from '../../src/search/expression.ts';

const NAMES = ['a', 'b', 'c', 'risk.maxDrawdown', 'mean-window'];
const of = (text: string, values: Readonly<Record<string, number | null>> = {}) => parseFormula(text, NAMES).of(values);

describe('a formula', () => {
  test.each([
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['10 - 4 - 3', 3],
    ['24 / 4 / 3', 2],
    ['-2 ^ 2', -4],
    ['2 ^ 3 ^ 2', 512],
    ['2 ^ -1', 0.5],
    ['1.5e3 + .5', 1500.5],
    ['max(1, min(5, 3)) + abs(-2)', 5],
    ['sqrt(16) + log(exp(2))', 6],
    ['1 < 2', 1],
    ['2 <= 1', 0],
    ['1 == 1 and 2 != 2 or 3 > 2', 1],
    ['not 1 > 2 and 2 > 1', 1],
    ['a + 2 * b', 7],
    ['mean-window - a', 9],
    ['risk.maxDrawdown < 0.25', 1],
  ])('%s is %p', (text, expected) => {
    expect(of(text, { a: 1, b: 3, 'mean-window': 10, 'risk.maxDrawdown': 0.2 })).toBe(expected);
  });

  test.each(['a', 'a + 1', 'a < 1', 'not a', 'a and 1', 'a or 1', 'max(a, 1)', '1 / 0', '0 / 0', 'log(0)', 'sqrt(-1)'])(
    '%s has no value without a value of a, or if it is not finite',
    (text) => {
      expect(of(text)).toBeUndefined();
      expect(of(text, { a: null })).toBeUndefined();
    },
  );

  // a is 2 or more, b is between -1 and 3, c may be anything.
  test.each([
    ['a < 2', false],
    ['a <= 2', true],
    ['a > 2', true],
    ['a == 1', false],
    ['a != 1', true],
    ['2 > a', false],
    ['not a >= 2', false],
    ['a < 2 and c > 0', false],
    ['a < 2 or c > 0', true],
    ['a < 2 or b > 3', false],
    ['-a > -2', false],
    ['a + 1 < 3', false],
    ['a + b < 1', false],
    ['a + b < 1.1', true],
    ['a * 2 < 4', false],
    ['a * b < 0', true],
    ['1 / a > 0.5', false],
    ['1 / b > 100', true],
    ['a - a > 0', true],
    ['abs(b) > 3', false],
    ['sqrt(a + 2) < 2', false],
    ['min(a, b) > 3', false],
    ['max(a, 1) < 2', false],
    ['a ^ 2 < 1', true],
    ['log(a) < 0', true],
    ['exp(a) < 1', true],
    ['a < c', true],
    ['0', false],
    ['1', true],
  ])('%s can hold within bounds: %p', (text, holds) => {
    expect(parseFormula(text, NAMES).canHold({ a: [2, Number.POSITIVE_INFINITY], b: [-1, 3] })).toBe(holds);
  });

  test('that holds of some values can hold within bounds around them', () => {
    const value = fc.double({ min: -100, max: 100, noNaN: true });
    const term: fc.Memo<string> = fc.memo((depth) =>
      depth <= 1
        ? fc.oneof(
            fc.constantFrom('a', 'b', '0', '2.5'),
            fc.integer({ min: -9, max: 9 }).map((one) => `(${one})`),
          )
        : fc.oneof(
            fc
              .tuple(term(), fc.constantFrom('+', '-', '*', '/', '<', '<=', '>', '>=', '==', '!=', 'and', 'or'), term())
              .map(([x, sign, y]) => `(${x} ${sign} ${y})`),
            fc.tuple(fc.constantFrom('not ', '-'), term()).map(([sign, x]) => `(${sign}${x})`),
            fc.tuple(fc.constantFrom('abs', 'sqrt', 'log', 'exp'), term()).map(([name, x]) => `${name}(${x})`),
            fc.tuple(fc.constantFrom('min', 'max'), term(), term()).map(([name, x, y]) => `${name}(${x}, ${y})`),
          ),
    );
    fc.assert(
      fc.property(term(4), value, value, fc.double({ min: 0, max: 9, noNaN: true }), (text, a, b, less) => {
        const formula = parseFormula(text, NAMES);
        if ((formula.of({ a, b }) ?? 0) === 0) return;
        expect(formula.canHold({ a: [a - less, Number.POSITIVE_INFINITY], b: [b, b] })).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['', 'expected a number, a name or a function', 0],
    ['a +', 'expected a number, a name or a function', 3],
    ['a b', 'unexpected "b"', 2],
    ['(a', 'expected ")"', 2],
    ['a $ b', 'unexpected "$"', 2],
    ['sharp', 'no such name "sharp"', 0],
    ['a < b < c', 'compare two values at a time: write a < b and b < c', 6],
    ['maximum(a)', 'no such function "maximum"', 0],
    ['sqrt(a, b)', 'sqrt takes 1 values, not 2', 0],
    ['constructor(a)', 'no such function "constructor"', 0],
    ['process.exit(1)', 'no such function "process.exit"', 0],
    ['a and', 'expected a number, a name or a function', 5],
  ])('"%s" is none', (text, message, at) => {
    let thrown: unknown;
    try {
      parseFormula(text, NAMES);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(FormulaError);
    expect((thrown as FormulaError).message).toContain(message);
    expect((thrown as FormulaError).at).toBe(at);
  });

  test('of a thousand characters and more is refused, however deep', () => {
    expect(() => parseFormula('('.repeat(1_001), NAMES)).toThrow('at most 1000 characters');
    expect(of(`${'('.repeat(400)}1${')'.repeat(400)}`)).toBe(1);
  });
});
