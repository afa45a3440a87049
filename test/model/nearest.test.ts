import { expect, test } from '@jest/globals';
import { nearest, suggestion } from '../../src/model/nearest.ts';

const KNOWN = ['tickSize', 'stepSize', 'makerFee', 'takerFee', 'minQuantity', 'maxQuantity'];

test.each([
  ['tickSize', 'tickSize'],
  ['ticksize', 'tickSize'],
  ['tick_size', 'tickSize'],
  ['tick-size', 'tickSize'],
  ['tcikSize', 'tickSize'],
  ['steSize', 'stepSize'],
  ['takerfees', 'takerFee'],
  ['makrFee', 'makerFee'],
  ['maxQty', undefined],
  ['colour', undefined],
  ['', undefined],
])('of "%s" the nearest known name is %s', (name, expected) => {
  expect(nearest(name, KNOWN)).toBe(expected);
});

test('a long name ends quickly', () => {
  expect(nearest('x'.repeat(1_000_000), KNOWN)).toBeUndefined();
});

test('few names are listed, many are not', () => {
  expect(suggestion('zzz', ['a', 'b'])).toBe(' (known: a, b)');
  expect(
    suggestion(
      'zzz',
      Array.from({ length: 16 }, (_, i) => `name${i}`),
    ),
  ).toBe('');
});
