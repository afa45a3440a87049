import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Decimal } from '../../src/model/decimal.ts';
import { Instrument, isSymbol, likelySymbol, MarginTiers } from '../../src/model/instrument.ts';

test.each([
  ['BTC-USDT', 'spot', 'BTC', 'USDT'],
  ['ETH-USDT-PERP', 'futures', 'ETH', 'USDT'],
  ['1INCH-USD', 'spot', '1INCH', 'USD'],
])('%s is %s: %s priced in %s', (symbol, kind, base, quote) => {
  expect(new Instrument(0, { symbol, tickSize: '1', stepSize: '1' })).toMatchObject({ kind, base, quote, symbol });
});

test.each([
  ['BTC-USDT', true],
  ['BTC-USDT-PERP', true],
  ['btc-usdt', false],
  ['BTCUSDT', false],
  ['BTC-USDT-SWAP', false],
  ['BTC-', false],
  [' BTC-USDT', false],
])('"%s" is a symbol: %p', (text, is) => {
  expect(isSymbol(text)).toBe(is);
});

test.each([
  ['0.01', '0.00001', 6_543_210, 12_345, '8077.59274500'],
  ['0.1', '0.001', 1, 1, '0.0001'],
  ['5', '25', 3, 7, '2625'],
])('at tick %s and step %s, %d x %d is worth %s', (tickSize, stepSize, ticks, steps, notional) => {
  expect(new Instrument(0, { symbol: 'A-B', tickSize, stepSize }).notional(ticks, steps).equals(notional)).toBe(true);
});

test('the notional of any ticks and steps is the exact product, far beyond the safe integers', () => {
  const size = fc.tuple(fc.constantFrom('1', '2', '5', '25'), fc.integer({ min: 0, max: 13 }));
  const text = ([numerator, decimals]: [string, number]) => new Decimal(numerator).div(new Decimal(10).pow(decimals)).toFixed();
  const units = fc.oneof(fc.integer({ min: 0, max: 1e6 }), fc.integer({ min: 0, max: 2 ** 53 - 1 }));
  fc.assert(
    fc.property(size, size, units, units, (tick, step, ticks, steps) => {
      const instrument = new Instrument(0, { symbol: 'A-B', tickSize: text(tick), stepSize: text(step) });
      const big = BigInt(ticks) * BigInt(steps) * BigInt(tick[0]) * BigInt(step[0]);
      const exact = new Decimal(big.toString()).div(new Decimal(10).pow(tick[1] + step[1]));
      expect(instrument.notional(ticks, steps).toFixed()).toBe(exact.toFixed());
    }),
    { numRuns: 2000 },
  );
});

const TIERS = new MarginTiers([
  { upTo: '50000', maintenance: '0.004', maxLeverage: '125' },
  { upTo: '250000', maintenance: '0.005', maxLeverage: '100' },
  { maintenance: '0.01' },
]);

test('the deductions are the savings of lower tiers: 50000 x 0.001, then 250000 x 0.005 more', () => {
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

test.each([
  ['BTC/USDT', 'BTC-USDT'],
  ['btc_usdt', 'BTC-USDT'],
  ['BTCUSDT', 'BTC-USDT'],
  ['ETHBTC', 'ETH-BTC'],
  ['BTC/USDT:USDT', 'BTC-USDT-PERP'],
  ['BTC-USDT-SWAP', 'BTC-USDT-PERP'],
  ['BTCUSDT-PERP', 'BTC-USDT-PERP'],
  ['BTC-PERP', 'BTC-USDT-PERP'],
  ['PERP-USDT', 'PERP-USDT'],
  ['BTC', undefined],
  ['PERP', undefined],
  ['A/B/C', undefined],
  ['', undefined],
])('%j is probably meant as %s', (text, symbol) => {
  expect(likelySymbol(text)).toBe(symbol);
});
