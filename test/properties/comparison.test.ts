import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compareRuns } from '../../src/statistics/comparison/compare-runs.ts';
import type { ComparedFill, ComparedOrder } from '../../src/statistics/comparison/compared-run.ts';
import { comparedRun, decimal, fill, order } from '../statistics/comparison/builders.ts';

const cents = (min: number, max: number) => fc.integer({ min, max }).map((units) => decimal(units).div(100).toFixed());
const fills = fc.array(
  fc.record({ quantity: cents(1, 300), price: cents(5_000, 20_000), fee: cents(0, 99), inBase: fc.boolean(), later: fc.nat(90_000) }),
  { maxLength: 3 },
);
type Drawn<Of> = Of extends fc.Arbitrary<infer T> ? T : never;
type Filled = Drawn<typeof fills>;

const orders = fc.array(
  fc.record({
    time: fc.nat(600_000),
    sell: fc.boolean(),
    limit: fc.option(cents(5_000, 20_000)),
    asked: fc.option(cents(1, 900)),
    status: fc.constantFrom('filled', 'canceled', 'rejected', 'denied', 'open'),
    foreign: fc.boolean(),
    a: fc.option(fills),
    // Half of the orders are the same in both runs but for what is changed here.
    b: fc.option(fc.oneof(fc.constant(undefined), fills)),
    shift: fc.nat(70_000),
  }),
  { maxLength: 12 },
);
const moves = fc.array(
  fc.record({
    time: fc.nat(600_000),
    asset: fc.constantFrom('USDT', 'BTC'),
    amount: cents(-5_000, 5_000).map(decimal),
    reason: fc.constantFrom('deposit', 'funding', 'foreign', 'transfer', 'insurance', 'unexplained'),
  }),
  { maxLength: 4 },
);
const gap = fc.tuple(fc.nat(300_000), fc.nat(300_000)).map(([from, length]) => [from, from + length] as const);
const coverage = fc.array(gap, { maxLength: 2 }).map((pauses) => new Map([['BTC-USDT', { first: 0, last: 600_000, count: 601, pauses }]]));

type Moves = Drawn<typeof moves>;
type Coverage = Drawn<typeof coverage>;

const one = { limit: null, asked: null, status: 'filled', foreign: false } as const;
const piece = (quantity: string, later = 0) => ({ quantity, price: '50', fee: '0', inBase: false, later });
const whole = new Map([['BTC-USDT', { first: 0, last: 600_000, count: 601, pauses: [] }]]);
/** A fee in base above the quantity: the rounded shares of what it evens out use all of it up. */
const ROUNDED_AWAY: [Drawn<typeof orders>, Moves, Moves, string, string, Coverage, Coverage, string] = [
  [
    { ...one, time: 0, sell: true, a: [piece('0.06')], b: undefined, shift: 7_408 },
    { ...one, time: 12_125, sell: false, a: [piece('0.01', 47_877)], b: null, shift: 0 },
    { ...one, time: 14_815, sell: true, a: [{ ...piece('0.11'), fee: '0.25', inBase: true }], b: undefined, shift: 45_186 },
  ],
  [],
  [],
  '90',
  '90',
  whole,
  whole,
  '0',
];

function filled(list: Filled, time: number): ComparedFill[] {
  return list.map(({ quantity, price, fee, inBase, later }) => {
    return fill(quantity, price, { fee: decimal(fee), feeAsset: inBase ? 'BTC' : 'USDT', time: time + later });
  });
}

test('the amounts sum to the difference of the final equities, whatever differs', () => {
  fc.assert(
    fc.property(
      orders,
      moves,
      moves,
      cents(9_000, 11_000),
      cents(9_000, 11_000),
      coverage,
      coverage,
      cents(-9, 9),
      (list, movesA, movesB, ...rest) => {
        const [priceA, priceB, coverageA, coverageB, lost] = rest;
        const made = (of: 'a' | 'b') =>
          list.flatMap((one): ComparedOrder[] => {
            const own = of === 'b' && one.b === undefined ? one.a : one[of];
            if (own === null || own === undefined) return [];
            const time = one.time + (of === 'b' ? one.shift : 0);
            const { status, foreign, limit, asked } = one;
            const quantity = asked === null ? undefined : decimal(asked);
            const change = { side: one.sell ? 'sell' : 'buy', status, price: limit ?? '', quantity, foreign } as const;
            return [order(time, filled(own, time), change)];
          });
        const a = comparedRun({ orders: made('a'), moves: movesA, price: priceA, coverage: coverageA });
        const b = comparedRun({ orders: made('b'), moves: movesB, price: priceB, coverage: coverageB, lost });
        const { difference, causes, trades, others } = compareRuns(a, b, { windowMs: 60_000, toleranceMs: 0 });
        const sum = causes.reduce((total, { amount }) => total.plus(amount), decimal(0));
        expect(sum.toFixed()).toBe(b.finalEquity.minus(a.finalEquity).toFixed());
        expect(difference.toFixed()).toBe(sum.toFixed());
        // Every part is counted once, under its own cause.
        const parts = [...trades.flatMap((trade) => trade.parts), ...others];
        expect(causes.reduce((count, one) => count + one.count, 0)).toBe(parts.length);
        // What went without a record is told as just that, and as nothing more.
        const nobodyKnows = others.filter(({ cause, note }) => cause === 'unexplained' && note.startsWith('no fill'));
        expect(nobodyKnows.map(({ amount }) => amount.toFixed())).toEqual(
          decimal(lost).isZero() ? [] : [decimal(lost).negated().toFixed()],
        );
      },
    ),
    { numRuns: 1000, examples: [ROUNDED_AWAY] },
  );
});
