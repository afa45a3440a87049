import { describe, expect, test } from '@jest/globals';
import { Decimal } from '../../src/model/decimal.ts';
import type { MarginTierSpec } from '../../src/model/instrument.ts';
import {
  initialMargin,
  liquidationPrice,
  liquidationPriceAmong,
  maintenanceMargin,
  marginLeft,
  shareOf,
  unrealizedProfit,
} from '../../src/model/margin.ts';
import { instrument, perpetual } from '../builders.ts';

describe('a share of money', () => {
  test.each([
    ['10', 1, 3, '3.333333333333333333'],
    ['20', 1, 3, '6.666666666666666667'],
    ['-10', 2, 3, '-6.666666666666666667'],
    // Half to even: 2.5 and 3.5 units of the 18th place.
    ['0.000000000000000005', 1, 2, '0.000000000000000002'],
    ['0.000000000000000007', 1, 2, '0.000000000000000004'],
  ])('the share of %s, %d of %d parts, is %s', (amount, part, whole, share) => {
    expect(shareOf(new Decimal(amount), part, whole).toFixed()).toBe(share);
  });

  test('the share of everything is everything, with any number of places', () => {
    expect(shareOf(new Decimal('0.1234567890123456789012'), 7, 7).toFixed()).toBe('0.1234567890123456789012');
  });
});

test.each([
  ['100', '3', '33.333333333333333334'],
  ['10', '4', '2.5'],
  ['0', '20', '0'],
])('the initial margin of %s at leverage %s is %s, rounded up', (value, leverage, margin) => {
  expect(initialMargin(new Decimal(value), new Decimal(leverage)).toFixed()).toBe(margin);
});

const RATE: readonly MarginTierSpec[] = [{ maintenance: '0.1' }];
/** 10 % up to 1000, 20 % beyond: the deduction is 100. */
const TWO: readonly MarginTierSpec[] = [{ upTo: '1000', maintenance: '0.1' }, { maintenance: '0.2' }];
const position = (positionSide: 'long' | 'short', steps: number, openValue: string, tiers = RATE) => ({
  instrument: perpetual({ stepSize: '0.5', contract: { tiers } }),
  positionSide,
  steps,
  openValue: new Decimal(openValue),
});

test.each([
  // 4 steps of 0.5 at 1050.5: 2101 against 2000.
  ['long', '101'],
  ['short', '-101'],
] as const)('the unrealised profit of a %s is %s', (side, profit) => {
  expect(unrealizedProfit(position(side, 4, '2000'), new Decimal('1050.5')).toFixed()).toBe(profit);
});

test('the maintenance margin depends on the value at the mark', () => {
  // 2 x 900 x 0.2 - 100
  expect(maintenanceMargin(position('long', 4, '2000', TWO), new Decimal(900)).toFixed()).toBe('260');
});

test('a symbol that is no contract has no maintenance margin and no liquidation price', () => {
  const spot = { instrument: instrument(), positionSide: 'long', steps: 1, openValue: new Decimal(100) } as const;
  expect(maintenanceMargin(spot, new Decimal(90)).toFixed()).toBe('0');
  expect(liquidationPrice(spot, new Decimal(10))).toBeUndefined();
});

describe('the liquidation price', () => {
  test.each([
    // (1000 - 190) / 0.9
    ['a long', position('long', 2, '1000'), '190', '900'],
    // (1000 + 210) / 1.1
    ['a short', position('short', 2, '1000'), '210', '1100'],
    // (2000 - 460 - 100) / (2 x 0.8): 1800 lies in the second tier.
    ['a long in the second tier', position('long', 4, '2000', TWO), '460', '900'],
    // (2000 + 540 + 100) / (2 x 1.2): 2200 lies in the second tier.
    ['a short in the second tier', position('short', 4, '2000', TWO), '540', '1100'],
    // (2000 - 1280) / (2 x 0.9): 800 lies in the first tier.
    ['a long that falls into the first tier', position('long', 4, '2000', TWO), '1280', '400'],
    // (2000 - 1100) / (2 x 0.9): 1000 is the border, where both tiers agree.
    ['a long on the border', position('long', 4, '2000', TWO), '1100', '500'],
    // (990 + 0.99) / 1.1
    ['a short with little margin', position('short', 2, '990'), '0.99', '900.9'],
  ])('at the liquidation price of %s, balance and maintenance are equal', (_title, held, collateral, price) => {
    const due = liquidationPrice(held, new Decimal(collateral));
    expect(due?.toFixed()).toBe(price);
    expect(new Decimal(collateral).plus(unrealizedProfit(held, due!)).toFixed()).toBe(maintenanceMargin(held, due!).toFixed());
  });

  test('is none where the collateral pays for a fall to nothing', () => {
    expect(liquidationPrice(position('long', 2, '1000'), new Decimal(1000))).toBeUndefined();
    expect(liquidationPrice(position('long', 4, '2000', TWO), new Decimal(5000))).toBeUndefined();
  });

  test('is none of a flat position', () => {
    expect(liquidationPrice(position('long', 0, '0'), new Decimal(1000))).toBeUndefined();
  });
});

describe('the liquidation price among positions of one contract', () => {
  const LOW: readonly MarginTierSpec[] = [{ upTo: '1000', maintenance: '0.01' }, { maintenance: '0.2' }];
  const FREE: readonly MarginTierSpec[] = [{ maintenance: '0' }];
  type Side = 'long' | 'short';
  const prices = (positions: ReturnType<typeof position>[], collateral: string) =>
    (['long', 'short'] as const).map((side: Side) => {
      const price = liquidationPriceAmong(positions, side, new Decimal(collateral));
      // At it, nothing is left.
      if (price !== undefined) expect(marginLeft(positions, price, new Decimal(collateral)).toFixed(30)).toBe(new Decimal(0).toFixed(30));
      return price?.toFixed(6);
    });

  test.each<[string, ReturnType<typeof position>[], string, [string | undefined, string | undefined]]>([
    // 3 p - 3000 + C = 0.1 x 5 p, C = 500: 2500 / 2.5
    ['net long, by a fall alone', [position('long', 8, '4000'), position('short', 2, '1000')], '500', ['1000.000000', undefined]],
    // 3000 - 3 p + 500 = 0.5 p
    ['net short, by a rise alone', [position('long', 2, '1000'), position('short', 8, '4000')], '500', [undefined, '1000.000000']],
    // 3200 - 4000 + 1000 - 800 + 1220 = 620: the long's 3200 needs 540, the short's 800 is in the first tier and needs 80.
    [
      'each value in its own tier',
      [position('long', 8, '4000', TWO), position('short', 2, '1000', TWO)],
      '1220',
      ['800.000000', undefined],
    ],
    // 1200 - 1000 + 4000 - 4800 + 1600 = 1000: 4800 needs 860, 1200 needs 140.
    ['the mirror of it', [position('long', 2, '1000', TWO), position('short', 8, '4000', TWO)], '1600', [undefined, '1200.000000']],
    // 800 - 4000 + 3000 - 600 + 814 = 14 at 200; and 1940 - 4000 + 3000 - 1455 + 814 = 299 = 0.2 x 3395 - 380 at 485.
    [
      'both, where high values need more than they gain',
      [position('long', 8, '4000', LOW), position('short', 6, '3000', LOW)],
      '814',
      ['200.000000', '485.000000'],
    ],
    // Profit stands still: only what they need grows, 380 = 0.1 x 4 p.
    ['fully hedged, by what both need', [position('long', 4, '2000'), position('short', 4, '2000')], '380', [undefined, '950.000000']],
    [
      'fully hedged and nothing needed',
      [position('long', 4, '2000', FREE), position('short', 4, '2000', FREE)],
      '380',
      [undefined, undefined],
    ],
    // 4 x 450 - 3600 + 1980 = 180: 900 needs 90, twice; 1800 in one would need 260.
    [
      'several of one side, each in its own tier',
      [position('long', 4, '1800', TWO), position('long', 4, '1800', TWO)],
      '1980',
      ['450.000000', undefined],
    ],
    ['nothing is left at any price', [position('long', 4, '2000'), position('short', 4, '2000')], '-1', [undefined, undefined]],
    ['a flat side has none', [position('long', 0, '0'), position('short', 2, '1000')], '210', [undefined, '1100.000000']],
  ])('%s', (_title, positions, collateral, expected) => {
    expect(prices(positions, collateral)).toEqual(expected);
  });
});
