import { expect, test } from '@jest/globals';
import {
  checkFeeModel,
  checkLatencyModel,
  checkLimitModel,
  checkPathModel,
  checkSlippageModel,
} from '../../../src/app/library/check-models.ts';
import { Decimal } from '../../../src/model/decimal.ts';
import type { FeeModel, LatencyModel, LimitModel, PathModel, SlippageModel } from '../../../src/ports/models.ts';
import * as copies from '../models/copies.ts';

test('copies of the built-in rules pass', () => {
  for (const Copy of [copies.Spread, copies.VolumeShare, copies.SquareRoot]) checkSlippageModel(() => new Copy());
  checkFeeModel(() => new copies.Rates());
  for (const Copy of [copies.Touch, copies.Penetrate]) checkLimitModel(() => new Copy());
  for (const Copy of [copies.HighFirst, copies.Nearest, copies.Worst, copies.Best]) checkPathModel(() => new Copy());
  for (const Copy of [copies.Constant, copies.Uniform]) checkLatencyModel(() => new Copy());
});

/** Counts over all instances, so two instances never answer alike. */
let shared = 0;
const next = () => ++shared;

const slippage = (slippageTicks: SlippageModel['slippageTicks'], more: Partial<SlippageModel> = {}) => ({ slippageTicks, ...more });
/** Remembers the fills of its instance. */
const remembering = (): SlippageModel => {
  let fills = 0;
  return { slippageTicks: () => fills++ };
};

test.each<[string, () => SlippageModel, string]>([
  ['a better price', () => slippage(() => -1), 'answered -1; expected a number of ticks of at least 0'],
  ['no number', () => slippage(() => Number.NaN), 'answered NaN'],
  ['no end', () => slippage(() => Number.POSITIVE_INFINITY), 'answered Infinity'],
  ['chance', () => slippage(next), 'two instances answered'],
  ['memory', remembering, 'expected no memory'],
  ['less for more', () => slippage(({ steps }) => 1 / steps), 'answered 1 for 1 steps and 0.142'],
  ['a size that does not count', () => slippage(({ steps }) => steps, { bySize: false }), 'expected the same, as bySize is false'],
  ['no period', () => slippage(() => 0, { days: 0 }), 'days is 0; expected a number above 0'],
])('refuses slippage with %s', (_what, create, text) => {
  expect(() => checkSlippageModel(create)).toThrow(
    expect.objectContaining({ code: 'MODEL_FAILED', message: expect.stringContaining(text) }),
  );
});

const rule = 'expected a Decimal of at most 30 places, smaller than `amount`';
test.each<[string, () => FeeModel, string]>([
  ['numbers', () => ({ fee: () => 0.1 as never }), rule],
  ['the whole fill', () => ({ fee: ({ amount }) => amount }), rule],
  ['a rebate of the whole fill', () => ({ fee: ({ amount }) => amount.negated() }), rule],
  ['too many places', () => ({ fee: ({ amount }) => amount.div(3) }), rule],
  ['no number', () => ({ fee: () => new Decimal(Number.NaN) }), rule],
  ['chance', () => ({ fee: ({ amount }) => amount.times('0.000001').times(next()) }), 'two instances answered'],
])('refuses fees of %s', (_what, create, text) => {
  expect(() => checkFeeModel(create)).toThrow(expect.objectContaining({ code: 'MODEL_FAILED', message: expect.stringContaining(text) }));
});

test('fees may depend on earlier fills', () => {
  const tiers = (): FeeModel => {
    let fills = 0;
    return { fee: ({ amount }) => amount.times(++fills > 10 ? '0.0005' : '0.001') };
  };
  expect(() => checkFeeModel(tiers)).not.toThrow();
});

test.each<[string, () => LimitModel, string]>([
  ['fractions', () => ({ penetrationTicks: () => 0.5 }), 'answered 0.5; expected a whole number of ticks of at least 0'],
  ['less than a touch', () => ({ penetrationTicks: () => -1 }), 'answered -1'],
  ['chance', () => ({ penetrationTicks: next }), 'two instances answered'],
])('refuses limit fills with %s', (_what, create, text) => {
  expect(() => checkLimitModel(create)).toThrow(expect.objectContaining({ code: 'MODEL_FAILED', message: expect.stringContaining(text) }));
});

test.each<[string, () => PathModel, string]>([
  ['numbers', () => ({ highFirst: () => 1 as never }), 'answered 1; expected true or false'],
  ['chance', () => ({ highFirst: () => next() % 2 === 0 }), 'two instances answered'],
])('refuses paths of %s', (_what, create, text) => {
  expect(() => checkPathModel(create)).toThrow(expect.objectContaining({ code: 'MODEL_FAILED', message: expect.stringContaining(text) }));
});

test.each<[string, () => LatencyModel, string]>([
  ['less than nothing', () => ({ delayMs: () => -0.001 }), 'answered -0.001; expected ms of at least 0'],
  ['no end', () => ({ delayMs: () => Number.POSITIVE_INFINITY }), 'answered Infinity'],
  ['a fault of prices alone', () => ({ delaysPrices: true, delayMs: ({ leg }) => (leg === 'feed' ? -1 : 0) }), '"leg":"feed"'],
  ['chance', () => ({ delayMs: next }), 'two instances answered'],
])('refuses latency with %s', (_what, create, text) => {
  expect(() => checkLatencyModel(create)).toThrow(
    expect.objectContaining({ code: 'MODEL_FAILED', message: expect.stringContaining(text) }),
  );
});

test.each<[string, () => void, string, string]>([
  ['a class', () => checkSlippageModel(copies.Spread as never), 'USAGE', 'slippage model: expected a function that makes a new one'],
  ['an instance', () => checkLatencyModel(new copies.Constant() as never), 'USAGE', 'latency model: expected a function that makes'],
  [
    'a promise as an answer',
    () => checkPathModel(() => ({ highFirst: (() => Promise.reject(new Error('later'))) as never })),
    'MODEL_FAILED',
    'path model: answered a promise; expected true or false: {"symbol":"BTC-USDT"',
  ],
])('refuses %s', (_what, check, code, text) => {
  expect(check).toThrow(expect.objectContaining({ code, message: expect.stringContaining(text) }));
});
