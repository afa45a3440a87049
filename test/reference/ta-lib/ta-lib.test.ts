import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import {
  AD,
  ADOSC,
  ADX,
  ADXR,
  APO,
  Aroon,
  ATR,
  BOP,
  BollingerBands,
  CCI,
  DEMA,
  DX,
  EMA,
  KAMA,
  LinearRegression,
  MACD,
  MFI,
  MOM,
  NATR,
  OBV,
  PPO,
  PSAR,
  ROC,
  RSI,
  SMA,
  StochasticOscillator,
  T3,
  TEMA,
  TR,
  TRIMA,
  TRIX,
  UltimateOscillator,
  WilliamsR,
  WMA,
  WSMA,
} from 'trading-signals';
import { ROOT } from '../../support/cli.ts';

/** Bars, and what TA-Lib computes from them, as `ta_lib.py` has printed it. */
interface Golden {
  readonly library: string;
  readonly bars: readonly (readonly [open: number, high: number, low: number, close: number, volume: number])[];
  readonly values: Readonly<Record<string, readonly (number | null)[]>>;
}
const GOLDEN = JSON.parse(readFileSync(join(ROOT, 'test/reference/ta-lib/ta-lib.json'), 'utf8')) as Golden;
const BARS = GOLDEN.bars.map(([open, high, low, close, volume]) => ({ open, high, low, close, volume }));
const PAGE = readFileSync(join(ROOT, 'docs/reference/indicators.md'), 'utf8');
/** The golden values have ten decimals. */
const EQUAL = 1e-9;

type Bar = (typeof BARS)[number];
type Value = number | null | undefined;
/** The value after each bar. */
type Indicator = (bar: Bar) => Value;

const close = (indicator: { add(price: number): Value }): Indicator => {
  return (bar) => indicator.add(bar.close);
};
const whole = (indicator: { add(bar: Bar): Value }): Indicator => {
  return (bar) => indicator.add(bar);
};
/** One figure of an indicator that has several. */
const figure = <Result>(indicator: { add(price: number): Result | null }, of: (result: Result) => number): Indicator => {
  return (bar) => {
    const result = indicator.add(bar.close);
    return result === null ? null : of(result);
  };
};
const figureOfBar = <Result>(indicator: { add(bar: Bar): Result | null }, of: (result: Result) => number): Indicator => {
  return (bar) => {
    const result = indicator.add(bar);
    return result === null ? null : of(result);
  };
};

/** An EMA that begins with the average of its first values: that of the page. */
class SeededEma {
  readonly #ema: EMA;
  readonly #first: number[] = [];

  constructor(readonly interval: number) {
    this.#ema = new EMA(interval);
  }

  add(value: Value): number | null {
    if (value === null || value === undefined) return null;
    if (this.#first.length === this.interval) return this.#ema.add(value);
    this.#first.push(value);
    if (this.#first.length < this.interval) return null;
    return this.#ema.add(this.#first.reduce((sum, one) => sum + one, 0) / this.interval);
  }
}

/** Wilder's average from the second value of another indicator on. */
function wilder(interval: number, of: Indicator): Indicator {
  const average = new WSMA(interval);
  let isFirst = true;
  return (bar) => {
    const value = of(bar);
    if (value === null || value === undefined) return null;
    if (!isFirst) return average.add(value);
    isFirst = false;
    return null;
  };
}

/** Averages of averages, the outermost last. */
function chain(...averages: readonly SeededEma[]): (bar: Bar) => readonly (number | null)[] {
  return (bar) => {
    const values: (number | null)[] = [];
    let value: number | null = bar.close;
    for (const average of averages) {
      value = average.add(value);
      values.push(value);
    }
    return values;
  };
}

function combined(averages: (bar: Bar) => readonly (number | null)[], of: (...values: number[]) => number): Indicator {
  return (bar) => {
    const values = averages(bar);
    return values.includes(null) ? null : of(...(values as number[]));
  };
}

/** The fast and the slow average begin at the same bar: the fast one is not given the first 26 - 12 closes. */
function fastAndSlow(): (bar: Bar) => readonly (number | null)[] {
  const [fast, slow] = [new SeededEma(12), new SeededEma(26)];
  let count = 0;
  return (bar) => [count++ < 14 ? null : fast.add(bar.close), slow.add(bar.close)];
}

function seededMacd(of: 'macd' | 'signal' | 'histogram'): Indicator {
  const line = combined(fastAndSlow(), (fast, slow) => fast - slow);
  const average = new SeededEma(9);
  return (bar) => {
    const macd = line(bar);
    const signal = average.add(macd);
    if (signal === null) return null;
    return of === 'signal' ? signal : of === 'macd' ? macd : macd! - signal;
  };
}

function rateOf(indicator: Indicator): Indicator {
  let before: Value = null;
  return (bar) => {
    const value = indicator(bar);
    const rate = value == null || before == null ? null : (value / before - 1) * 100;
    before = value;
    return rate;
  };
}

function seededAdxr(): Indicator {
  const adx = wilder(14, whole(new DX(14)));
  const values: number[] = [];
  return (bar) => {
    const value = adx(bar);
    if (value == null) return null;
    values.push(value);
    return values.length < 14 ? null : (value + values.at(-14)!) / 2;
  };
}

const t3 = (a: number) => (_1: number, _2: number, e3: number, e4: number, e5: number, e6: number) =>
  -(a ** 3) * e6 + (3 * a ** 2 + 3 * a ** 3) * e5 + (-6 * a ** 2 - 3 * a - 3 * a ** 3) * e4 + (1 + 3 * a + a ** 3 + 3 * a ** 2) * e3;

const emas = (count: number, interval: number) => Array.from({ length: count }, () => new SeededEma(interval));
const macd = (of: 'macd' | 'signal' | 'histogram') =>
  figure(new MACD(new EMA(12), new EMA(26), new EMA(9)), (result: Record<'macd' | 'signal' | 'histogram', number>) => result[of]);
const bands = (of: 'lower' | 'middle' | 'upper') =>
  figure(new BollingerBands(20, 2), (result: Record<'lower' | 'middle' | 'upper', number>) => result[of]);
const stochastic = () => new StochasticOscillator({ kPeriod: 14, kSlowingPeriod: 3, dPeriod: 3 });

/** Equal to TA-Lib from its first value on. */
const SAME: Readonly<Record<string, () => Indicator>> = {
  AD: () => whole(new AD()),
  'ADOSC(3,10)': () => whole(new ADOSC({ fastPeriod: 3, slowPeriod: 10 })),
  'AROON(14) down': () => figureOfBar(new Aroon(14), ({ aroonDown }) => aroonDown),
  'AROON(14) up': () => figureOfBar(new Aroon(14), ({ aroonUp }) => aroonUp),
  'BBANDS(20,2) lower': () => bands('lower'),
  'BBANDS(20,2) middle': () => bands('middle'),
  'BBANDS(20,2) upper': () => bands('upper'),
  BOP: () => whole(new BOP()),
  'CCI(14)': () => whole(new CCI(14)),
  'CMO(14)': () => figure(new RSI(14), (rsi: number) => 2 * rsi - 100),
  'DX(14)': () => whole(new DX(14)),
  'KAMA(10)': () => close(new KAMA(10)),
  'LINEARREG(14)': () => figure(new LinearRegression(14), ({ intercept, slope }) => intercept + slope * 13),
  'MFI(14)': () => whole(new MFI(14)),
  'MOM(10)': () => close(new MOM(10)),
  OBV: () => figureOfBar(new OBV(2), (obv: number) => obv + BARS[0]!.volume),
  'ROC(10)': () => figure(new ROC(10), (rate: number) => rate * 100),
  'RSI(14)': () => close(new RSI(14)),
  'SMA(14)': () => close(new SMA(14)),
  'STOCH(14,3,3) slowD': () => figureOfBar(stochastic(), ({ stochD }) => stochD),
  'STOCH(14,3,3) slowK': () => figureOfBar(stochastic(), ({ stochK }) => stochK),
  TRANGE: () => whole(new TR()),
  'TRIMA(14)': () => close(new TRIMA(14)),
  'ULTOSC(7,14,28)': () => whole(new UltimateOscillator({ shortPeriod: 7, mediumPeriod: 14, longPeriod: 28 })),
  'WILLR(14)': () => whole(new WilliamsR(14)),
  'WMA(14)': () => close(new WMA(14)),
};

/** Different at first: the class, and the seed with which it is equal; without one, it has other rules. */
const DIFFERENT: Readonly<Record<string, readonly [own: () => Indicator, seeded?: () => Indicator]>> = {
  'EMA(14)': [() => close(new EMA(14)), () => close(new SeededEma(14))],
  'EMA(50)': [() => close(new EMA(50)), () => close(new SeededEma(50))],
  'DEMA(10)': [() => close(new DEMA(10)), () => combined(chain(...emas(2, 10)), (e1, e2) => 2 * e1 - e2)],
  'TEMA(8)': [() => close(new TEMA(8)), () => combined(chain(...emas(3, 8)), (e1, e2, e3) => 3 * e1 - 3 * e2 + e3)],
  'T3(5)': [() => close(new T3(5)), () => combined(chain(...emas(6, 5)), t3(0.7))],
  'TRIX(10)': [() => close(new TRIX(10)), () => rateOf(combined(chain(...emas(3, 10)), (_1, _2, e3) => e3))],
  'MACD(12,26,9) macd': [() => macd('macd'), () => seededMacd('macd')],
  'MACD(12,26,9) signal': [() => macd('signal'), () => seededMacd('signal')],
  'MACD(12,26,9) histogram': [() => macd('histogram'), () => seededMacd('histogram')],
  'APO(12,26)': [() => close(new APO({ fastPeriod: 12, slowPeriod: 26 })), () => combined(chainOf(12, 26), (fast, slow) => fast - slow)],
  'PPO(12,26)': [
    () => close(new PPO({ fastPeriod: 12, slowPeriod: 26 })),
    () => combined(chainOf(12, 26), (fast, slow) => (fast / slow - 1) * 100),
  ],
  'ATR(14)': [() => whole(new ATR(14)), () => wilder(14, whole(new TR()))],
  'NATR(14)': [() => whole(new NATR(14)), () => natr()],
  'ADX(14)': [() => whole(new ADX(14)), () => wilder(14, whole(new DX(14)))],
  'ADXR(14)': [() => whole(new ADXR(14)), () => seededAdxr()],
  'PLUS_DI(14)': [() => pdi()],
  'SAR(0.02,0.2)': [() => whole(new PSAR({ accelerationStep: 0.02, accelerationMax: 0.2 }))],
};

/** Two averages of the closes, each with its own seed. */
function chainOf(...intervals: readonly number[]): (bar: Bar) => readonly (number | null)[] {
  const averages = intervals.map((interval) => new SeededEma(interval));
  return (bar) => averages.map((average) => average.add(bar.close));
}

function natr(): Indicator {
  const atr = wilder(14, whole(new TR()));
  return (bar) => {
    const value = atr(bar);
    return value == null ? null : (100 * value) / bar.close;
  };
}

function pdi(): Indicator {
  const adx = new ADX(14);
  return (bar) => {
    adx.add(bar);
    return adx.pdi === undefined ? null : 100 * (adx.pdi as number);
  };
}

/** The differences from TA-Lib, bar by bar; null where one of the two has no value. */
function differences(name: string, indicator: Indicator): (number | null)[] {
  const theirs = GOLDEN.values[name]!;
  return BARS.map((bar, index) => {
    const value = indicator(bar);
    const expected = theirs[index];
    return value == null || expected == null ? null : Math.abs(value - expected);
  });
}

/** Compares from TA-Lib's first value on. OBV has no value at the first bar, where it is the volume. */
function expectEqual(name: string, indicator: Indicator): void {
  const first = Math.max(
    name === 'OBV' ? 1 : 0,
    GOLDEN.values[name]!.findIndex((value) => value !== null),
  );
  const all = differences(name, indicator).slice(first);
  expect(all).not.toContain(null);
  expect(Math.max(...(all as number[]))).toBeLessThan(EQUAL);
}

test.each(Object.keys(SAME))('%s is equal from the first value on', (name) => expectEqual(name, SAME[name]!()));

const SEEDED = Object.entries(DIFFERENT).filter(([, [, seeded]]) => seeded !== undefined);
test.each(SEEDED)('%s is equal with its seed, from the first value on', (name, [, seeded]) => expectEqual(name, seeded!()));

/** A difference with two digits. */
function shown(difference: number | null | undefined): string {
  if (difference == null) return 'n/a';
  return difference < EQUAL ? '0' : Number(difference.toPrecision(2)).toString();
}

describe('docs/reference/indicators.md', () => {
  const cells = (line: string) => line.split('|').map((cell) => cell.trim());
  const rows = PAGE.slice(PAGE.indexOf('## Compared with TA-Lib'))
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map(cells);

  test('names the version of TA-Lib', () => expect(PAGE).toContain(GOLDEN.library));

  test('lists every indicator that was compared, each once', () => {
    const names = rows.map(([, name]) => name!.replaceAll('`', ''));
    expect(names.sort()).toEqual([...Object.keys(SAME), ...Object.keys(DIFFERENT)].sort());
  });

  test('has the measured differences', () => {
    const measured = Object.entries(DIFFERENT).map(([name, [own]]) => {
      const all = differences(name, own());
      return [`\`${name}\``, shown(all.find((one) => one !== null)), shown(all[59]), shown(all[119])];
    });
    const written = rows.filter((row) => row.length > 5).map(([, name, first, sixty, last]) => [name, first, sixty, last]);
    expect(written).toEqual(measured);
  });
});
