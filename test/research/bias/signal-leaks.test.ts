import { expect, test } from '@jest/globals';
import { Random } from '../../../src/model/random.ts';
import { signalLeak, type TestedSignal } from '../../../src/research/signal-leaks.ts';

const MINUTE = 60_000;
const COUNT = 3_000;
const WARM = 100;

/** The closes of a random walk with steps of 0.1 %, one a minute: close `i` is known at `(i + 1)` minutes. */
function walk(seed: number, swing = 0): number[] {
  const random = new Random(seed, 'walk');
  const closes = [100];
  let step = 0;
  for (let bar = 1; bar < COUNT; bar++) {
    step = 0.001 * gauss(random) - swing * step;
    closes.push(closes[bar - 1]! * Math.exp(step));
  }
  return closes;
}

function gauss(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.uniform())) * Math.cos(2 * Math.PI * random.uniform());
}

type Made = (closes: readonly number[], bar: number, random: Random) => number | string | null;

/** A signal made for each bar, at the close of this bar (or so many minutes later). */
function tested(make: Made, { seed = 1, swing = 0, every = 1, laterMs = 0 } = {}): TestedSignal {
  const closes = walk(seed, swing);
  const random = new Random(seed, 'signal');
  const bars = Array.from({ length: COUNT - 2 * WARM }, (_, index) => index + WARM).filter((bar) => bar % every === 0);
  return {
    times: bars.map((bar) => (bar + 1) * MINUTE + laterMs),
    values: bars.map((bar) => make(closes, bar, random)),
    priceTimes: closes.map((_, bar) => (bar + 1) * MINUTE),
    prices: closes,
  };
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const back = (closes: readonly number[], bar: number, count: number) => closes.slice(bar - count + 1, bar + 1);
const sma = (closes: readonly number[], bar: number, count: number) => mean(back(closes, bar, count));
const change = (closes: readonly number[], from: number, to: number) => Math.log(closes[to]! / closes[from]!);

/** Each is made from bars that close after its time: `bar` is the newest that has closed. */
const LEAKS: readonly (readonly [string, Made, Parameters<typeof tested>[1]?])[] = [
  ['the return of the next bar', (c, bar) => change(c, bar, bar + 1)],
  ['its sign as text', (c, bar) => (c[bar + 1]! > c[bar]! ? 'up' : 'down')],
  ['the close of the next bar', (c, bar) => c[bar + 1]!],
  ['a mean reversion stamped with the open of its bar', (c, bar) => c[bar + 1]! / sma(c, bar + 1, 20)],
  ['a centred average', (c, bar) => mean(c.slice(bar - 5, bar + 6))],
  ['two averages, shifted by a row too far', (c, bar) => sma(c, bar + 1, 3) - sma(c, bar + 1, 10)],
  ['the highest close of the next five minutes', (c, bar) => Math.max(...c.slice(bar + 1, bar + 6)) / c[bar]!],
  ['a probability trained on its own label', (c, bar, random) => 1 / (1 + Math.exp(-(change(c, bar, bar + 10) / 0.003 + gauss(random))))],
  ['an hour stamped with its beginning', (c, bar) => change(c, bar, bar + 60), { every: 60 }],
  [
    'the side of a label of three classes',
    (c, bar) => [-1, 0, 1][change(c, bar, bar + 5) > 0.001 ? 2 : change(c, bar, bar + 5) < -0.001 ? 0 : 1]!,
  ],
];

/** Every row with its options: where one is missing, jest passes a callback in its place and waits for it. */
const whole = (rows: typeof LEAKS) => rows.map(([name, make, options = {}]) => [name, make, options] as const);

test.each(whole(LEAKS))('finds a leak: %s', (_, make, options) => {
  for (const seed of [1, 2, 3]) expect(signalLeak(tested(make, { seed, ...options }))).toBeDefined();
});

const HONEST: typeof LEAKS = [
  ['noise', (_, __, random) => gauss(random)],
  ['noise as text', (_, __, random) => (random.uniform() > 0.5 ? 'up' : 'down')],
  ['momentum', (c, bar) => change(c, bar - 20, bar)],
  ['the last close', (c, bar) => c[bar]!],
  ['an average', (c, bar) => sma(c, bar, 20)],
  ['a forecast that is right a little more often than not', (c, bar, random) => change(c, bar, bar + 10) / 0.003 + 9 * gauss(random)],
  ['the reversal of prices that swing', (c, bar) => -change(c, bar - 1, bar), { swing: 0.5 }],
  ['the hour that is over', (c, bar) => change(c, bar - 60, bar), { every: 60 }],
  ['a constant', () => 1],
  ['nothing', () => null],
];

test.each(whole(HONEST))('does not blame %s', (_, make, options) => {
  for (let seed = 1; seed <= 5; seed++) expect(signalLeak(tested(make, { seed, ...options }))).toBeUndefined();
});

test('a leak is gone when the signals arrive after what they know', () => {
  const [, make] = LEAKS[3]!;
  expect(signalLeak(tested(make, { laterMs: 0 }))).toMatchObject({ horizonMs: MINUTE });
  expect(signalLeak(tested(make, { laterMs: MINUTE }))).toBeUndefined();
});

/** Each signal several times, as a file has them that repeats the state of a model for each of its columns. */
const repeated = ({ times, values, ...prices }: TestedSignal, count: number): TestedSignal => ({
  times: times.flatMap((time) => Array.from({ length: count }, () => time)),
  values: values.flatMap((value) => Array.from({ length: count }, () => value)),
  ...prices,
});

test('signals of one time count once: a few of them, repeated, prove nothing by chance', () => {
  // 46 honest signals an hour apart: by chance alone, the correlation of some reaches 0.3.
  const noise: Made = (_, __, random) => gauss(random);
  for (let seed = 1; seed <= 40; seed++) expect(signalLeak(repeated(tested(noise, { seed, every: 60 }), 20))).toBeUndefined();
  const [, next] = LEAKS[0]!;
  expect(signalLeak(repeated(tested(next), 2))).toMatchObject({ horizonMs: MINUTE });
});

test('signals in bursts with long breaks between them are tested over long returns', () => {
  // Three a minute apart, every hour, that know the next ten minutes.
  const all = tested((c, bar) => change(c, bar, bar + 10));
  const kept = all.times.flatMap((time, index) => ((time / MINUTE) % 60 < 3 ? [index] : []));
  const burst = { ...all, times: kept.map((index) => all.times[index]!), values: kept.map((index) => all.values[index]!) };
  expect(signalLeak(burst)).toMatchObject({ horizonMs: 10 * MINUTE });
});
