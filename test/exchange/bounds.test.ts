import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { change, changeOrEmpty, changeOrRole, price, quantity, quantityOrEmpty, text } from '../../src/exchange/fields.ts';
import { numberText, parseJson } from '../../src/exchange/json.ts';
import { decodePayload } from '../../src/exchange/operations/codecs.ts';
import { OPERATIONS } from '../../src/exchange/operations/operations.ts';

const takes = (field: z.ZodType, wire: unknown) => z.safeDecode(field as z.ZodType<unknown, unknown>, wire).success;

describe('a number in a reply', () => {
  test.each(['0', '-0.5', '1e-8', '1E23', '.5', '+7', '123456789012345678901234.5e-2', `0.${'1'.repeat(60)}`])('may be %s', (value) => {
    expect(takes(change, value)).toBe(true);
  });

  test.each([
    ['a power that no double holds', '1e400'],
    ['a power of twenty digits', '1e99999999999999999999'],
    ['1e24', '1e24'],
    ['25 digits', '1'.repeat(25)],
    ['61 places', `0.${'1'.repeat(61)}`],
    ['100,000 places', `60000.${'1'.repeat(100_000)}`],
    ['no number', 'NaN'],
    ['no end', 'Infinity'],
  ])('may not have %s', (_, value) => {
    expect([change, changeOrEmpty, changeOrRole].map((field) => takes(field, value))).toEqual([false, false, false]);
  });

  test.each(['MAKER', 'TAKER', '', null, '-0.5', '1e-8'])('or a role in its place may be %j', (value) => {
    expect(takes(changeOrRole, value)).toBe(true);
  });

  test('has a sign where it may be owed, and nowhere else', () => {
    expect([change, changeOrEmpty].map((field) => takes(field, '-0.5'))).toEqual([true, true]);
    expect([price, quantity, quantityOrEmpty].map((field) => takes(field, '-0.5'))).toEqual([false, false, false]);
  });

  test('of more digits than any field takes stays text: as a number it would take minutes to read', () => {
    const digits = '7'.repeat(15_000_000);
    const { quantity } = parseJson(`{"quantity":${digits}}`) as { quantity: unknown };
    expect(typeof quantity).toBe('object');
    expect(numberText(quantity)).toHaveLength(15_000_000);
    expect(takes(change, quantity)).toBe(false);
  });
});

test('a text in a reply has at most 4,000 characters', () => {
  expect([takes(text, 'x'.repeat(4_000)), takes(text, 'x'.repeat(4_001))]).toEqual([true, false]);
});

test.each([
  ['orderInfo', (records: unknown) => records, '0.accountId'],
  ['fills', (records: unknown) => ({ fillsOrderResultList: records, nextPage: false, totals: 2 }), 'fillsOrderResultList.0.accountId'],
] as const)('a list of wrong records (%s) is read no further than its first', (name, reply, field) => {
  const unread = new Proxy(
    {},
    {
      get: () => {
        throw new Error('a record was read after a wrong one');
      },
    },
  );
  const decoded = decodePayload({ ...OPERATIONS[name], name } as never, reply([{}, unread]));
  expect(decoded).toEqual({ complaint: `${field}: must be text` });
});

test('a text in a reply has no characters that a terminal obeys', () => {
  expect(z.decode(text as z.ZodType<unknown, unknown>, '\u001b[2JBTC\u0007\u202e\u2028\nUSDT\u009b')).toBe('[2JBTCUSDT');
});
