import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { numberText, parseJson, writeJson } from '../../src/exchange/json.ts';

test('an order id above 2^53 survives, where JSON.parse corrupts it', () => {
  const text = '{"orderId":690800371848708186,"ids":[ 690800371848708187,\n690800371848708188]}';
  expect(parseJson(text)).toEqual({ orderId: 690800371848708186n, ids: [690800371848708187n, 690800371848708188n] });
  expect(JSON.parse('690800371848708186')).toBe(690800371848708200);
});

test.each(['1.10', '0.12345678901234567890', '1e400', '12345678901234567890', '1E5', '100.0', '-690800371848708186'])(
  'the number %s keeps its digits',
  (digits) => {
    expect(numberText((parseJson(`{"a":${digits}}`) as { a: unknown }).a)).toBe(digits);
  },
);

test("a number that no double holds can be compared, as schemas do with a list's length", () => {
  expect((parseJson('{"length":-1e400}') as { length: number }).length <= 20).toBe(true);
  expect((parseJson('[1e400,1e-400]') as number[]).map(Number)).toEqual([Infinity, 0]);
});

test('any JSON has the same text after a round trip', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      expect(writeJson(parseJson(text))).toBe(text);
    }),
  );
});

test('any whole number keeps its digits', () => {
  fc.assert(
    fc.property(fc.bigInt(), (value) => {
      expect(writeJson(parseJson(`{"id":${value}}`))).toBe(`{"id":${value}}`);
    }),
  );
});

describe('text that is no JSON', () => {
  test.each(['', '{', '{"a":1.}', '{"a":01}', '{"a":1,}', 'undefined', '{"a":690800371848708186', '[1.5,]', '\u0000'])(
    '%j is refused',
    (text) => {
      expect(() => parseJson(text)).toThrow(SyntaxError);
    },
  );

  test('any text gives a value or a SyntaxError', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          parseJson(text);
        } catch (error) {
          expect(error).toBeInstanceOf(SyntaxError);
        }
      }),
    );
  });

  test('nesting without end is refused, not a crash', () => {
    expect(() => parseJson(`[1.5,${'['.repeat(500_000)}`)).toThrow(SyntaxError);
  });

  test('a member named __proto__ is data', () => {
    const value = parseJson('{"a":1.10,"__proto__":{"code":"00000"}}') as Record<string, unknown>;
    expect(value.code).toBeUndefined();
  });
});
