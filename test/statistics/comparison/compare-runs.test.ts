import { expect, test } from '@jest/globals';
import { compareRuns } from '../../../src/statistics/comparison/compare-runs.ts';
import type { ComparedRun } from '../../../src/statistics/comparison/compared-run.ts';
import { comparedRun, decimal, fill, order, type RunOptions } from './builders.ts';

const MINUTE = 60_000;

function causes(a: ComparedRun, b: ComparedRun, toleranceMs = 0): Record<string, string> {
  const comparison = compareRuns(a, b, { windowMs: MINUTE, toleranceMs });
  const sum = comparison.causes.reduce((total, { amount }) => total.plus(amount), decimal(0));
  expect(sum.toFixed()).toBe(b.finalEquity.minus(a.finalEquity).toFixed());
  return Object.fromEntries(comparison.causes.map(({ cause, amount }) => [cause, amount.toFixed()]));
}

const BOUGHT = order(MINUTE, [fill(1, 90)]);
const SOLD = order(2 * MINUTE, [fill(1, 95)], { side: 'sell' });
const A = comparedRun({ orders: [BOUGHT, SOLD] });
/** A gap in the middle of prices that otherwise come every second. */
const coverageOf = (pauses: readonly (readonly [number, number])[]) =>
  new Map([['BTC-USDT', { first: 0, last: 600_000, count: 601, pauses }]]);

const CASES: readonly (readonly [what: string, b: RunOptions, expected: Record<string, string>])[] = [
  ['the same fill at the same moment at another price', { orders: [order(MINUTE, [fill(1, 91)]), SOLD] }, { price: '-1' }],
  ['the same fill a second later', { orders: [order(MINUTE, [fill(1, 91, { time: 61_000 })]), SOLD] }, { latency: '-1' }],
  [
    'an order that nobody knows why one run alone has, with its exit',
    { orders: [BOUGHT, SOLD, order(5 * MINUTE, [fill(2, 100)]), order(8 * MINUTE, [fill(2, 93)], { side: 'sell' })] },
    { unexplained: '-14' },
  ],
  [
    'an order for another quantity',
    { orders: [order(MINUTE, [fill(2, 90)]), order(2 * MINUTE, [fill(2, 95)], { side: 'sell' })] },
    { unexplained: '5' },
  ],
  ['a limit order that asked for another price', { orders: [order(MINUTE, [fill(1, 88)], { price: '88' }), SOLD] }, { unexplained: '2' }],
  [
    'a refused entry, whose exit never came',
    { orders: [order(MINUTE, [], { quantity: decimal(1), status: 'rejected', reason: 'insufficientBalance' })] },
    { refused: '-5' },
  ],
  [
    'a refusal that does not tell what it was of, and a second try',
    {
      orders: [
        order(MINUTE, [], { side: undefined, type: '', quantity: undefined, status: 'denied', reason: 'maxPosition' }),
        order(MINUTE + 10_000, [fill(1, 94)]),
        SOLD,
      ],
    },
    { refused: '-4' },
  ],
  [
    'a partial fill of an order that asked for less',
    {
      orders: [
        order(MINUTE, [fill('0.25', 90)], { quantity: decimal('0.5'), status: 'canceled' }),
        order(2 * MINUTE, [fill('0.25', 95)], { side: 'sell' }),
      ],
    },
    // Of the 0.75 fewer, which gained 5 each, 0.25 were asked for and not filled.
    { unexplained: '-2.5', partialFill: '-1.25' },
  ],
  [
    'an entry that was denied, where the denial names its side but neither type nor position side',
    { orders: [order(MINUTE, [], { type: '', quantity: undefined, status: 'denied', reason: 'reducing' })] },
    { refused: '-5' },
  ],
  [
    'an entry that a latch canceled before it was filled, whose exit never came',
    { orders: [order(MINUTE, [], { quantity: decimal(1), status: 'canceled', reason: 'riskLatch' })] },
    { refused: '-5' },
  ],
  [
    'an entry that a kill denied',
    { orders: [order(MINUTE, [], { type: '', quantity: undefined, status: 'denied', reason: 'killed' })] },
    { killed: '-5' },
  ],
  [
    'an entry that a kill canceled after a quarter of it',
    {
      orders: [
        order(MINUTE, [fill('0.25', 90)], { quantity: decimal(1), status: 'canceled', reason: 'killed' }),
        order(2 * MINUTE, [fill('0.25', 95)], { side: 'sell' }),
      ],
    },
    { killed: '-3.75' },
  ],
  [
    'an entry that a stop canceled',
    { orders: [order(MINUTE, [], { quantity: decimal(1), status: 'canceled', reason: 'stopping' })] },
    { stopped: '-5' },
  ],
  [
    'an entry that was still open when the process ended',
    {
      orders: [order(MINUTE, [], { quantity: decimal(1), status: 'open' })],
      absences: [{ cause: 'stopped', from: MINUTE, to: Number.POSITIVE_INFINITY }],
    },
    { stopped: '-5' },
  ],
  [
    'a position that a kill closed, before its exit in the other run',
    {
      orders: [BOUGHT, order(90_000, [fill(1, 93)], { side: 'sell', tag: 'kill' })],
      absences: [{ cause: 'killed', from: 90_000, to: Number.POSITIVE_INFINITY }],
    },
    { killed: '-2' },
  ],
  [
    'no order during a kill, also while the process does not run',
    {
      absences: [
        { cause: 'killed', from: 50_000, to: Number.POSITIVE_INFINITY },
        { cause: 'stopped', from: 55_000, to: 300_000 },
      ],
    },
    { killed: '-5' },
  ],
  ['no order while the process did not run', { absences: [{ cause: 'stopped', from: 50_000, to: 130_000 }] }, { stopped: '-5' }],
  ['no order after the process ran again', { absences: [{ cause: 'stopped', from: 50_000, to: 60_000 }] }, { unexplained: '-5' }],
  ['what somebody else bought', { orders: [BOUGHT, SOLD, order(MINUTE, [fill(1, 99)], { foreign: true })] }, { foreign: '1' }],
  [
    'what somebody else moved, and a smaller start',
    {
      orders: [BOUGHT, SOLD],
      moves: [
        { time: 5, asset: 'BTC', amount: decimal('0.1'), reason: 'foreign' },
        { time: 0, asset: 'USDT', amount: decimal(-3), reason: 'deposit' },
      ],
    },
    { foreign: '10', start: '-3' },
  ],
  ['another last price, with nothing held', { orders: [BOUGHT, SOLD], price: '70' }, {}],
  ['money that went without a record', { orders: [BOUGHT, SOLD], lost: '0.01' }, { unexplained: '-0.01' }],
  [
    'a higher fee on a dearer fill',
    { orders: [order(MINUTE, [fill(1, 91, { fee: decimal('0.2') })]), SOLD] },
    // A paid no fee: at its rate the dearer fill costs none either.
    { price: '-1', fee: '-0.2' },
  ],
];

test.each(CASES)('%s has its own cause and its exact amount', (_, b, expected) => {
  expect(causes(A, comparedRun(b))).toEqual(expected);
});

const SIZED = (quantity: string) => [order(2 * MINUTE, [fill(quantity, 90)]), order(3 * MINUTE, [fill(quantity, 95)], { side: 'sell' })];

test.each([
  // B has 1100 where A has 1000: it buys 1.1 where A buys 1, and gains 5 on the 0.1 more.
  ['the ratio of the equities', '1.1', 1100, 'size'],
  ['the ratio, rounded to the step', '1.12', 1108, 'size'],
  // The expected difference is 0.1; a quarter of it may be wrong.
  ['somewhat more than the ratio', '1.12', 1100, 'size'],
  ['much more than the ratio', '1.13', 1100, 'unexplained'],
  ['less, with more equity', '0.9', 1100, 'unexplained'],
  ['twice, with the same equity', '2', 1000, 'unexplained'],
] as const)('a quantity of %s has its cause', (_, quantity, equity, cause) => {
  const a = comparedRun({
    orders: SIZED('1'),
    equity: [
      [0, 1000],
      [MINUTE, 1000],
      [4 * MINUTE, 1005],
    ],
  });
  const b = comparedRun({
    orders: SIZED(quantity),
    equity: [
      [0, 1000],
      [MINUTE, equity],
      [4 * MINUTE, 1005],
    ],
  });
  const amount = decimal(quantity).minus(1).times(5).toFixed();
  expect(causes(a, b)).toEqual({ [cause]: amount });
});

test('a result between two samples shows at the first sample after the decision', () => {
  const samples = (last: number) =>
    [
      [0, 1000],
      [10 * MINUTE, last],
    ] as const;
  const [a, b] = [comparedRun({ orders: SIZED('10'), equity: samples(1000) }), comparedRun({ orders: SIZED('12'), equity: samples(1200) })];
  expect(causes(a, b)).toEqual({ size: '10' });
});

test('a holding at another last price differs by that', () => {
  const [a, b] = [comparedRun({ orders: [BOUGHT] }), comparedRun({ orders: [BOUGHT], price: '130' })];
  expect(causes(a, b)).toEqual({ endPrice: '30' });
});

test('a fee in base is a fee, and so is the smaller exit that it makes', () => {
  const a = comparedRun({ orders: [BOUGHT, SOLD] });
  const bought = order(MINUTE, [fill(1, 90, { fee: decimal('0.1'), feeAsset: 'BTC' })]);
  const b = comparedRun({ orders: [bought, order(2 * MINUTE, [fill('0.9', 95)], { side: 'sell' })] });
  // 0.1 BTC that could not be sold at 95.
  expect(causes(a, b)).toEqual({ fee: '-9.5' });
});

test('a decision while the other run had no prices is missing data, and so is its exit', () => {
  const [a, b] = [coverageOf([[0, 1_000]]), coverageOf([[50_000, 100_000]])];
  expect(causes(comparedRun({ orders: [BOUGHT, SOLD], coverage: a }), comparedRun({ coverage: b }))).toEqual({ missingData: '-5' });
});

test('a decision while the other run neither ran nor had prices is of its stop', () => {
  const [a, b] = [coverageOf([[0, 1_000]]), coverageOf([[50_000, 100_000]])];
  const absences = [{ cause: 'stopped', from: 50_500, to: 99_000 }] as const;
  expect(causes(comparedRun({ orders: [BOUGHT, SOLD], coverage: a }), comparedRun({ coverage: b, absences }))).toEqual({ stopped: '-5' });
  // It decides when it runs again, 7 dearer.
  const late = comparedRun({ orders: [order(101_000, [fill(1, 97)])], coverage: b, absences });
  expect(causes(comparedRun({ orders: [BOUGHT], coverage: a }), late)).toEqual({ stopped: '-7' });
});

test('a decision after the data returned is missing data, however late', () => {
  const [a, b] = [coverageOf([[0, 1_000]]), coverageOf([[50_000, 400_000]])];
  const late = order(401_000, [fill(1, 97)]);
  const [runA, runB] = [comparedRun({ orders: [BOUGHT], coverage: a }), comparedRun({ orders: [late], coverage: b })];
  expect(causes(runA, runB)).toEqual({ missingData: '-7' });
});

test.each([
  ['as long as the other run has it, too', [[50_000, 100_000]], [[50_000, 100_000]]],
  ['no longer than the usual distance of prices', [[0, 1_000]], [[59_500, 60_500]]],
] as const)('a pause is no gap where it is %s', (_, a, b) => {
  const runs = [comparedRun({ orders: [BOUGHT, SOLD], coverage: coverageOf(a) }), comparedRun({ coverage: coverageOf(b) })] as const;
  expect(causes(...runs)).toEqual({ unexplained: '-5' });
});

test('fills within the tolerance are of the same moment', () => {
  const b = comparedRun({ orders: [order(MINUTE, [fill(1, 91, { time: MINUTE + 300 })]), SOLD] });
  expect([causes(A, b, 299), causes(A, b, 300)]).toEqual([{ latency: '-1' }, { price: '-1' }]);
});

test('the second run compared with the first differs by as much the other way', () => {
  const bought = order(MINUTE, [fill('0.6', 91)], { quantity: decimal(1), status: 'canceled' });
  const b = comparedRun({ orders: [bought, order(2 * MINUTE, [fill('0.6', 95)], { side: 'sell' })] });
  // 0.4 fewer that gained 5 each, and 0.6 that cost 1 more each.
  expect(causes(A, b)).toEqual({ partialFill: '-2', price: '-0.6' });
  expect(causes(b, A)).toEqual({ partialFill: '2', price: '0.6' });
});

test('runs in two currencies are not compared', () => {
  const b = { ...comparedRun({}), currency: 'BTC' };
  expect(() => compareRuns(A, b, { windowMs: 0, toleranceMs: 0 })).toThrow(/USDT.*BTC: expected two runs in one currency/);
});
