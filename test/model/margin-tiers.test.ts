import { describe, expect, test } from '@jest/globals';
import { Decimal } from '../../src/model/decimal.ts';
import { MarginTiers } from '../../src/model/instrument.ts';

const TIERS = new MarginTiers([
  { upTo: '50000', maintenance: '0.004', maxLeverage: '125' },
  { upTo: '250000', maintenance: '0.005', maxLeverage: '100' },
  { maintenance: '0.01' },
]);

test('the deductions are what lower tiers save: 50000 x 0.001, then 250000 x 0.005 more', () => {
  expect(TIERS.tiers.map(({ deduction }) => deduction.toFixed())).toEqual(['0', '50', '1300']);
});

test.each([
  ['0', '0'],
  // 50000 x 0.004
  ['50000', '200'],
  // 200 + 10000 x 0.005
  ['60000', '250'],
  // 200 + 200000 x 0.005
  ['250000', '1200'],
  // 1200 + 50000 x 0.01
  ['300000', '1700'],
  ['0.01', '0.00004'],
])('each rate holds for its part: the maintenance margin of %s is %s', (value, margin) => {
  expect(TIERS.maintenance(new Decimal(value)).toFixed()).toBe(margin);
});

test.each([
  ['49999.99', '125'],
  ['50000', '125'],
  ['50000.01', '100'],
  ['250000.01', undefined],
])('a value on a border belongs to the lower tier: %s allows leverage %s', (value, leverage) => {
  expect(TIERS.of(new Decimal(value)).maxLeverage?.toFixed()).toBe(leverage);
});

describe('tiers are refused', () => {
  test.each([
    ['that are none', []],
    ['without an open end', [{ upTo: '100', maintenance: '0.01' }]],
    ['with an open end before the last', [{ maintenance: '0.01' }, { maintenance: '0.02' }]],
    ['whose values do not rise', [{ upTo: '100', maintenance: '0.01' }, { upTo: '100', maintenance: '0.02' }, { maintenance: '0.03' }]],
    ['whose rates do not rise', [{ upTo: '100', maintenance: '0.01' }, { maintenance: '0.01' }]],
    ['below zero', [{ maintenance: '-0.01' }]],
    ['of the whole value', [{ maintenance: '1' }]],
    ['that end at nothing', [{ upTo: '0', maintenance: '0.01' }, { maintenance: '0.02' }]],
  ])('%s', (_title, specs) => {
    expect(() => new MarginTiers(specs)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });
});
