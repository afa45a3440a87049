import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { Decimal } from '../../src/model/decimal.ts';
import { rollingWindows } from '../../src/statistics/returns/daily-returns.ts';
import { worstDrawdowns } from '../../src/statistics/returns/drawdown-statistics.ts';
import { YEAR_MS } from '../../src/statistics/returns/trading-calendar.ts';
import { computeStatistics, type Statistics } from '../../src/statistics/statistics.ts';
import { DAY_MS, fill, runRecord } from './builders.ts';

/** Made by `reference.py` beside it: numpy 2.4.6, scipy 1.17.1, empyrical-reloaded 0.7.1, quantstats 0.0.86, pandas 3.1.1. */
interface Vectors {
  readonly returns: readonly number[];
  readonly benchmark: readonly number[];
  readonly figures: Readonly<Partial<Record<keyof Statistics, number>>>;
  readonly rolling30: { readonly sharpe: readonly number[]; readonly volatility: readonly number[]; readonly beta: readonly number[] };
  /** By quantstats, which begins a drawdown at the first day below its peak and ends it at the last. */
  readonly worst: readonly { readonly depth: number; readonly start: string; readonly trough: string; readonly end: string }[];
  readonly profits: readonly number[];
  readonly tradeFigures: Readonly<Partial<Record<keyof Statistics, number>>>;
}
const vectors = JSON.parse(readFileSync(new URL('reference-vectors.json', import.meta.url), 'utf8')) as Vectors;

const START = 1000;
const curve = (returns: readonly number[]) => {
  let equity = START;
  return returns.map((value) => {
    equity *= 1 + value;
    return equity;
  });
};
const equities = curve(vectors.returns);
const record = runRecord({
  // empyrical counts 365 days a year: as many days make the same share of a year.
  to: (equities.length / 365) * YEAR_MS,
  finalEquity: new Decimal(equities.at(-1)!),
  dayEquity: equities.map((equity, index) => ({ time: (index + 1) * DAY_MS, equity: new Decimal(equity) })),
  // One point of the equity curve per day.
  equity: equities.map((equity, index) => ({
    time: (index + 1) * DAY_MS,
    equity: new Decimal(equity),
    drawdown: 0,
    exposure: 0,
    netExposure: 0,
  })),
  benchmark: { label: 'market', equity: curve(vectors.benchmark), dayEquity: curve(vectors.benchmark) },
});

const near = (value: unknown, expected: number) =>
  expect(Math.abs(Number(value) - expected)).toBeLessThan(1e-10 * Math.max(1, Math.abs(expected)));

describe('240 daily returns with a benchmark', () => {
  const statistics = computeStatistics(record);

  test.each(Object.entries(vectors.figures))('%s agrees with numpy, scipy, empyrical and quantstats', (key, expected) => {
    near(statistics[key as keyof Statistics], expected);
  });
});

test('Sharpe ratio, volatility and beta over 30 days agree with the rolling windows of pandas', () => {
  const [month, quarter, half] = rollingWindows(record);
  expect([month!.days, quarter!.days, half!.days]).toEqual([30, 90, 180]);
  expect(month!.points).toHaveLength(211);
  expect(month!.points[0]!.time).toBe(30 * DAY_MS);
  expect(half!.points).toHaveLength(61);
  for (const [index, { sharpe, volatility, beta }] of month!.points.entries()) {
    near(sharpe, vectors.rolling30.sharpe[index]!);
    near(volatility, vectors.rolling30.volatility[index]!);
    near(beta, vectors.rolling30.beta[index]!);
  }
});

test('the five worst drawdowns are those of quantstats', () => {
  const day = (date: string) => (Date.parse(date) - Date.parse('2024-01-01')) / DAY_MS;
  for (const [index, found] of worstDrawdowns(record, 5).entries()) {
    const { depth, start, trough, end } = vectors.worst[index]!;
    near(found.depth, depth);
    // The value of day n is the point at the end of that day; the peak is the point before the first day below it.
    expect(found.peakTime).toBe(day(start) * DAY_MS);
    expect(found.troughTime).toBe((day(trough) + 1) * DAY_MS);
    expect(found.recoveredTime ?? record.equity.at(-1)!.time).toBe((day(end) + (found.recoveredTime === null ? 1 : 2)) * DAY_MS);
  }
});

describe('the profits of 60 trades', () => {
  /** Bought for 1,000, sold for that and the profit. */
  const fills = vectors.profits.flatMap((profit, index) => [
    fill({ side: 'buy', quantity: '1', price: '1000', time: 2 * index }),
    fill({ side: 'sell', quantity: '1', price: (1000 + profit).toFixed(2), time: 2 * index + 1 }),
  ]);
  const statistics = computeStatistics(runRecord({ fills }));

  test.each(Object.entries(vectors.tradeFigures))('%s agrees with numpy and quantstats', (key, expected) => {
    near(statistics[key as keyof Statistics], expected);
  });
});
