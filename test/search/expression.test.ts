import { describe, expect, test } from '@jest/globals';
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
