import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import * as signals from 'trading-signals';
import { Bar } from '../../src/model/market-events.ts';
import { BarIndicator, inputOf, type Updatable } from '../../src/strategy/indicators.ts';
import { BTC } from '../engine/builders.ts';

const PAGE = readFileSync(new URL('../../docs/reference/indicators.md', import.meta.url), 'utf8');
/** Code and input of each indicator of the first table of the page, and of those that only the table of flat prices has. */
const LISTED = [...PAGE.matchAll(/^\| [A-Z][^|]* \| `(new [^`]*)` \| `(close|bar)` \|/gm)].map(
  ([, code, input]) => [code!, input!] as const,
);
const MORE = [
  ['new DX(14)', 'bar'],
  ['new ADXR(14)', 'bar'],
  ['new PercentB()', 'close'],
  ['new ProjectionOscillator()', 'bar'],
] as const;
const ALL = [...LISTED, ...MORE];

type Prices = readonly [open: number, high: number, low: number, close: number];

const wave = (at: number, scale = 1): Prices => {
  const close = scale * (100 + 5 * Math.sin(at / 5) + at / 50);
  return [close - 0.3 * scale, close + scale, close - scale, close];
};
const flat = (price: number): Prices => [price, price, price, price];
/** 300 bars of each kind; 100.07 and its like are no doubles, so that sums of them have rounding. */
const KINDS: readonly (readonly [string, (at: number) => Prices])[] = [
  ['one price only', () => flat(100.07)],
  ['one price at the start', (at) => (at < 120 ? flat(100.07) : wave(at))],
  ['one price in between', (at) => (at < 60 || at >= 200 ? wave(at) : flat(100.07))],
  ['one bar again and again', () => [100.05, 100.11, 99.98, 100.07]],
  ['jumping', (at) => flat(at % 50 < 25 ? 100.07 : 1_000.1 * (1 + (at % 3)))],
  ['tiny', (at) => wave(at, 1e-9)],
  ['tiny with one price in between', (at) => (at < 60 || at >= 200 ? wave(at, 1e-9) : flat(1.0007e-7))],
];

function made(code: string): Updatable<unknown, unknown> {
  return new Function(...Object.keys(signals), `return ${code}`)(...Object.values(signals)) as Updatable<unknown, unknown>;
}

function valuesOf(code: string, input: string, prices: (at: number) => Prices, count = 300) {
  const list = Array.from({ length: count }, (_, at) => new Bar(BTC, at * 60_000, 0, 60_000, ...prices(at), at % 7));
  const held: Bar[] = [];
  const faults = {
    wrong: (): never => {
      throw new Error('no number');
    },
    held: (bar: Bar) => void held.push(bar),
  };
  const indicator = new BarIndicator('BTC-USDT', 60_000, made(code), inputOf(input)!, () => [], faults);
  const values = list.map((bar) => {
    indicator.take(bar);
    return indicator.value;
  });
  return { values, held, indicator };
}

const parts = (value: unknown) => (typeof value === 'object' && value !== null ? Object.values(value) : [value]);

test('the page lists the indicators', () => expect(LISTED.length).toBeGreaterThan(20));

test.each(ALL.flatMap(([code, input]) => KINDS.map(([kind, prices]) => [code, kind, input, prices] as const)))(
  '%s has a number at each bar of %s prices, once it has one',
  (code, _kind, input, prices) => {
    const { values, held, indicator } = valuesOf(code, input, prices);
    const first = values.findIndex((value) => value !== undefined);
    expect(first).toBeGreaterThanOrEqual(0);
    for (const value of values.slice(first))
      for (const part of parts(value)) if (typeof part === 'number') expect(Number.isFinite(part)).toBe(true);
    // The warning is given once, and the count has each bar.
    expect(held.length).toBe(indicator.held > 0 ? 1 : 0);
  },
);

// By the rules of the page. TA-Lib has 0 for CCI and for ADX there, too.
test.each([
  ['new CCI(20)', 'bar', 0],
  ['new PercentB()', 'close', 0.5],
  ['new ProjectionOscillator()', 'bar', 50],
  ['new ADX(14)', 'bar', 0],
  ['new DX(14)', 'bar', 0],
  ['new ADXR(14)', 'bar', 0],
  ['new StochasticRSI(14)', 'close', 0],
] as const)('%s is a stated figure at one price, not rounding or a number beyond its range', (code, input, expected) => {
  for (const price of [100.07, 1.0007e-7, 61_234.7]) {
    const { values } = valuesOf(code, input, () => flat(price));
    expect([...new Set(values.filter((value) => value !== undefined))]).toEqual([expected]);
  }
});

test('a stochastic RSI keeps its last value while the price does not move, and goes on after it', () => {
  const prices = (at: number) => (at < 60 || at >= 100 ? wave(at) : flat(100.07));
  const { values, indicator } = valuesOf('new StochasticRSI(14)', 'close', prices);
  // Bar 60 has the flat price first; with bar 73 the window of 14 has no other.
  const [last, ...kept] = values.slice(72, 100);
  expect(new Set(kept)).toEqual(new Set([last]));
  expect(indicator.held).toBe(27);
  expect(values.slice(100, 120)).not.toEqual(Array.from({ length: 20 }, () => last));
});

test('CCI of bars that do not move is 0 from the bar on from which its window has one price', () => {
  const { values } = valuesOf('new CCI(20)', 'bar', (at) => (at < 60 || at >= 100 ? wave(at) : flat(100.07)));
  expect(values[78]).not.toBe(0);
  expect(values.slice(79, 100)).toEqual(Array.from({ length: 21 }, () => 0));
  expect(values[100]).not.toBe(0);
});

test('ADX recovers from flat bars at the start, with the value that it has if they count as no move', () => {
  const { values } = valuesOf('new ADX(3)', 'bar', (at) => (at < 10 ? flat(100) : [100 + at, 101 + at, 99 + at, 100 + at]));
  // Flat bars have DX 0, and each later one 100, as only highs rise: Wilder's average of 3 goes a third of the way to 100.
  const expected = [100 / 3, 500 / 9, 1900 / 27];
  expect(values[9]).toBe(0);
  for (const [at, value] of values.slice(10, 13).entries()) expect(value).toBeCloseTo(expected[at]!, 9);
});

test('an indicator of your own keeps its last value, part by part', () => {
  const results = [null, { a: 1, b: Number.NaN }, { a: Number.NaN, b: 5 }, { a: 3, b: Number.NaN }];
  const faults = {
    wrong: (): never => {
      throw new Error('no number');
    },
    held: () => {},
  };
  const own = { add: (_: unknown) => results.shift() };
  const indicator = new BarIndicator(
    'BTC-USDT',
    60_000,
    own,
    (bar) => bar,
    () => [],
    faults,
  );
  const values = [0, 1, 2, 3].map((at) => {
    indicator.take(new Bar(BTC, at * 60_000, 0, 60_000, 1, 1, 1, 1, 1));
    return indicator.value;
  });
  expect(values).toEqual([undefined, { a: 1, b: 0 }, { a: 1, b: 5 }, { a: 3, b: 5 }]);
  expect(indicator.held).toBe(3);
});
