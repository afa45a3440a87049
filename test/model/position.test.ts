import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Decimal, ZERO } from '../../src/model/decimal.ts';
import { Fill } from '../../src/model/fill.ts';
import { Instrument } from '../../src/model/instrument.ts';
import type { Side } from '../../src/model/order.ts';
import { Position } from '../../src/model/position.ts';

const UNIT = new Instrument(0, { symbol: 'BTC-USDT', tickSize: '1', stepSize: '1' });
const MILLI = new Instrument(0, { symbol: 'BTC-USDT', tickSize: '1', stepSize: '0.001' });

function fill(side: Side, steps: number, ticks: number, { fee = '0', feeAsset = 'BTC', of = UNIT } = {}): Fill {
  const notional = of.notional(ticks, steps);
  return new Fill('f', 'o', 'c', 's', of, side, 'net', ticks, steps, notional, new Decimal(fee), feeAsset, 'taker', '', 0, 0, 0, 0);
}

function after(...fills: Fill[]): { steps: number; cost: string; realized: string; dust: string } {
  const position = new Position();
  for (const one of fills) position.apply(one);
  return {
    steps: position.steps,
    cost: position.cost.toFixed(),
    realized: position.realizedProfit.toFixed(),
    dust: position.dust.toFixed(),
  };
}

test.each<[string, Fill[], number, string, string]>([
  ['a buy opens a long', [fill('buy', 2, 100)], 2, '200', '0'],
  ['buys average their cost', [fill('buy', 2, 100), fill('buy', 1, 130)], 3, '330', '0'],
  ['a partial close takes its share of the cost', [fill('buy', 2, 100), fill('buy', 2, 120), fill('sell', 1, 130)], 3, '330', '20'],
  ['a full close leaves nothing', [fill('buy', 3, 100), fill('sell', 3, 90)], 0, '0', '-30'],
  ['two partial closes', [fill('buy', 4, 100), fill('sell', 1, 110), fill('sell', 3, 90)], 0, '0', '-20'],
  ['a larger sell turns it: the rest opens at its own price', [fill('buy', 2, 100), fill('sell', 5, 110)], -3, '330', '20'],
  ['a sell opens a short', [fill('sell', 2, 100)], -2, '200', '0'],
  ['shorts average too', [fill('sell', 1, 100), fill('sell', 3, 120)], -4, '460', '0'],
  ['a short gains as the price falls', [fill('sell', 4, 100), fill('buy', 1, 90)], -3, '300', '10'],
  ['a larger buy turns a short', [fill('sell', 2, 100), fill('buy', 3, 120)], 1, '120', '-40'],
  ['back to flat and again', [fill('buy', 1, 100), fill('sell', 1, 110), fill('buy', 1, 200)], 1, '200', '10'],
])('%s', (_, fills, steps, cost, realized) => {
  expect(after(...fills)).toEqual({ steps, cost, realized, dust: '0' });
});

test('a share of the cost that has no finite decimal is carried on to the close, where nothing is lost', () => {
  // 100 for three: a third is sold at 40 twice, then at 20. Gains: 100 received, 100 paid.
  const third = 100 / 3;
  const first = after(fill('buy', 1, 34), fill('buy', 2, 33), fill('sell', 1, 40));
  expect(Number(first.realized)).toBeCloseTo(40 - third, 12);
  expect(after(fill('buy', 1, 34), fill('buy', 2, 33), fill('sell', 1, 40), fill('sell', 1, 40), fill('sell', 1, 20))).toEqual({
    steps: 0,
    cost: '0',
    realized: '0',
    dust: '0',
  });
});

test.each<[string, Fill[], number, string]>([
  // 1 BTC less 0.001: 0.999 whole.
  ['a fee of whole steps comes off', [fill('buy', 1000, 100, { fee: '0.001', of: MILLI })], 999, '0'],
  // 0.5 less 0.0005: 0.4995, of which 0.499 is whole.
  ['a fee below a step leaves dust', [fill('buy', 500, 100, { fee: '0.0005', of: MILLI })], 499, '0.0005'],
  [
    'dust gathers until it makes a step',
    [fill('buy', 500, 100, { fee: '0.0005', of: MILLI }), fill('buy', 500, 100, { fee: '0.0005', of: MILLI })],
    999,
    '0',
  ],
  [
    'dust is left when all whole steps are sold: flat',
    [fill('buy', 500, 100, { fee: '0.0005', of: MILLI }), fill('sell', 499, 100, { fee: '0.05', feeAsset: 'USDT', of: MILLI })],
    0,
    '0.0005',
  ],
  ['a fee in quote leaves the quantity alone', [fill('buy', 500, 100, { fee: '0.05', feeAsset: 'USDT', of: MILLI })], 500, '0'],
])('%s', (_, fills, steps, dust) => {
  expect(after(...fills)).toMatchObject({ steps, dust });
});

test('a base fee on a sell is a broken invariant', () => {
  expect(() => after(fill('sell', 1, 100, { fee: '0.001', of: MILLI }))).toThrow('fees in base are taken from what a buy receives');
});

const fills = fc.array(
  fc.record({
    side: fc.constantFrom<Side>('buy', 'sell'),
    steps: fc.integer({ min: 1, max: 1000 }),
    ticks: fc.integer({ min: 1, max: 1e6 }),
  }),
  { maxLength: 30 },
);

test('money is conserved: payments equal the open cost less the profit', () => {
  fc.assert(
    fc.property(fills, (list) => {
      const position = new Position();
      let paid = ZERO;
      let steps = 0;
      for (const { side, steps: size, ticks } of list) {
        const one = fill(side, size, ticks);
        position.apply(one);
        paid = side === 'buy' ? paid.plus(one.notional) : paid.minus(one.notional);
        steps += side === 'buy' ? size : -size;
      }
      const standing = position.steps >= 0 ? position.cost : position.cost.negated();
      expect(position.steps).toBe(steps);
      expect(position.cost.isNegative() && !position.cost.isZero()).toBe(false);
      expect(paid.minus(standing.minus(position.realizedProfit)).abs().lessThan('1e-40')).toBe(true);
      if (steps === 0) expect(position.cost.isZero()).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test('base is conserved: bought less fees less sold is whole steps and dust', () => {
  const spot = fc.array(fc.tuple(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 0, max: 3000 })), { maxLength: 30 });
  fc.assert(
    fc.property(spot, (list) => {
      const position = new Position();
      let base = ZERO;
      for (const [bought, sold] of list) {
        const fee = new Decimal(bought).times('0.000001234');
        position.apply(fill('buy', bought, 100, { fee: fee.toFixed(), of: MILLI }));
        base = base.plus(MILLI.step.toDecimal(bought)).minus(fee);
        const sale = Math.min(sold, position.steps);
        if (sale < 1) continue;
        position.apply(fill('sell', sale, 100, { of: MILLI }));
        base = base.minus(MILLI.step.toDecimal(sale));
      }
      expect(MILLI.step.toDecimal(position.steps).plus(position.dust).toFixed()).toBe(base.toFixed());
      expect(position.dust.isNegative() && !position.dust.isZero()).toBe(false);
      expect(position.dust.lessThan('0.001')).toBe(true);
    }),
    { numRuns: 300 },
  );
});
