import { expect, test } from '@jest/globals';
import { Decimal } from '../../../src/model/decimal.ts';
import type { MarginTierSpec } from '../../../src/model/instrument.ts';
import { liquidationPrice } from '../../../src/model/margin.ts';
import { perpetual } from '../../builders.ts';
import { type MarginOptions, Market } from './market.ts';

/** Without fees, so that the collateral is what was paid in. */
const contract = (index: number, symbol: string, ...tiers: MarginTierSpec[]) => perpetual({ symbol, contract: { tiers } }, index);
const TENTH = { maintenance: '0.1' };
const TWO = [{ upTo: '1000', maintenance: '0.1' }, { maintenance: '0.2' }];

interface Case {
  readonly side: 'long' | 'short';
  readonly steps: number;
  readonly deposit: string;
  readonly tiers: readonly MarginTierSpec[];
  readonly margin: MarginOptions;
  readonly price: number;
}

/** Opened at 1000. Each price is worked out by hand; at it, balance and maintenance are equal. */
const CASES: readonly (readonly [string, Case])[] = [
  // (1000 - 190) / 0.9: 190 - 100 = 90 = 900 x 0.1
  ['shared long', { side: 'long', steps: 1, deposit: '190', tiers: [TENTH], margin: {}, price: 900 }],
  // (1000 + 210) / 1.1: 210 - 100 = 110 = 1100 x 0.1
  ['shared short', { side: 'short', steps: 1, deposit: '210', tiers: [TENTH], margin: {}, price: 1100 }],
  // (2000 - 460 - 100) / (2 x 0.8): 460 - 200 = 260 = 1800 x 0.2 - 100
  ['shared long in the second tier', { side: 'long', steps: 2, deposit: '460', tiers: TWO, margin: {}, price: 900 }],
  // (2000 + 540 + 100) / (2 x 1.2): 540 - 200 = 340 = 2200 x 0.2 - 100
  ['shared short in the second tier', { side: 'short', steps: 2, deposit: '540', tiers: TWO, margin: {}, price: 1100 }],
  // (2000 - 1280) / (2 x 0.9): 1280 - 1200 = 80 = 800 x 0.1
  ['shared long fallen into the first tier', { side: 'long', steps: 2, deposit: '1280', tiers: TWO, margin: {}, price: 400 }],
  // Margin 2000 / 4. (2000 - 500) / (2 x 0.9375): 500 - 400 = 100 = 1600 x 0.0625
  [
    'isolated long',
    {
      side: 'long',
      steps: 2,
      deposit: '9999',
      tiers: [{ maintenance: '0.0625' }],
      margin: { mode: 'isolated', leverage: '4' },
      price: 800,
    },
  ],
  // Margin 2000 / 2. (2000 + 1000) / (2 x 1.25): 1000 - 400 = 600 = 2400 x 0.25
  [
    'isolated short',
    {
      side: 'short',
      steps: 2,
      deposit: '9999',
      tiers: [{ maintenance: '0.25' }],
      margin: { mode: 'isolated', leverage: '2' },
      price: 1200,
    },
  ],
  // Margin 2000 / 4. (2000 - 500 - 100) / (2 x 0.8): 500 - 250 = 250 = 1750 x 0.2 - 100
  [
    'isolated long in the second tier',
    { side: 'long', steps: 2, deposit: '9999', tiers: TWO, margin: { mode: 'isolated', leverage: '4' }, price: 875 },
  ],
];

test.each(CASES)(
  '%s: a tick before its liquidation price it stands, at it it goes',
  (_title, { side, steps, deposit, tiers, margin, price }) => {
    const perp = contract(0, 'BTC-USDT-PERP', ...tiers);
    const opened = () => {
      const market = new Market({ instruments: [perp], deposit, margin }).price(1000).open(side, steps);
      market.told();
      return market;
    };
    const { openValue, isolatedMargin } = opened().futures.positionRecords()[0]!;
    const collateral = margin.mode === 'isolated' ? isolatedMargin : new Decimal(deposit);
    expect(liquidationPrice({ instrument: perp, positionSide: side, steps, openValue }, collateral)?.toFixed()).toBe(String(price));

    const before = side === 'long' ? price + 1 : price - 1;
    expect(opened().price(before).told()).toEqual([]);
    expect(opened().price(price).held(side)).toBeLessThan(steps);
    // By the mark as well, while the last price stays.
    expect(opened().mark(before).told()).toEqual([]);
    expect(opened().mark(price).held(side)).toBeLessThan(steps);
  },
);

test('of one position among others: their profit and their maintenance count', () => {
  const btc = contract(0, 'BTC-USDT-PERP', TENTH);
  const eth = contract(1, 'ETH-USDT-PERP', TENTH);
  const opened = () => {
    const market = new Market({ instruments: [btc, eth], deposit: '330' }).price(1000).price(500, eth).open('long', 1);
    market.open('short', 1, { instrument: eth });
    market.told();
    return market;
  };
  // The short's 500 x 0.1 is kept for it: (1000 - (330 - 50)) / 0.9. At 800: 330 - 200 = 130 = 80 + 50.
  const held = { instrument: btc, positionSide: 'long', steps: 1, openValue: new Decimal(1000) } as const;
  expect(liquidationPrice(held, new Decimal(280))?.toFixed()).toBe('800');
  expect(opened().price(801).told()).toEqual([]);
  const market = opened().price(800);
  expect(market.told()).toEqual(['burstLiquidation BTC long 1@800 fee 0']);
  expect(market.held('short', eth)).toBe(1);
});

test('is exact where doubles are not precise enough', () => {
  const perp = perpetual({ tickSize: '0.1', stepSize: '0.001', contract: { tiers: [TENTH] } });
  // 3 steps at 10000: (30 - 5.69919) / (0.003 x 0.9) = 9000.3, where 5.69919 - 2.9991 = 2.70009 = 27.0009 x 0.1.
  const at = (deposit: string) => {
    const market = new Market({ instruments: [perp], deposit }).price(100_000).open('long', 3).price(90_003);
    return market.held('long');
  };
  expect(at('5.69919')).toBe(0);
  expect(at('5.69919000000000000001')).toBe(3);
});

test('a mark keeps its own decimals', () => {
  const perp = contract(0, 'BTC-USDT-PERP', TENTH);
  const at = (units: number) => new Market({ instruments: [perp], deposit: '190' }).price(1000).open('long', 1).mark(units, 8).held('long');
  expect(at(900_00000001)).toBe(1);
  expect(at(900_00000000)).toBe(0);
});
