import { expect, test } from '@jest/globals';
import { Decimal } from '../../src/model/decimal.ts';
import { formatStatistic } from '../../src/report/format.ts';
import { definitionsOf, computeStatistics as statisticsOf } from '../../src/statistics/statistics.ts';
import { DAY_MS, dayEquities, fill, runRecord } from './builders.ts';

const roundTrip = (price: string, quantity: string, index: number) => [
  fill({ side: 'buy', quantity, price: '100', time: index * 10 }),
  fill({ side: 'sell', quantity, price, time: index * 10 + 5 }),
];
const repeated = <T>(values: readonly T[], times: number) => Array.from({ length: times }, () => values).flat();
/** Equities of days with these returns, from 1,000. */
function grown(returns: readonly number[]) {
  let equity = 1000;
  return dayEquities(...returns.map((change) => (equity *= 1 + change)));
}

test('forty equal wins have no deviation, and the ratios that divide by it are n/a', () => {
  const fills = Array.from({ length: 40 }, (_, index) => roundTrip('100.07', '0.37', index)).flat();
  const { sqn, tradeSharpe, tradeSortino, profitDeviation } = statisticsOf(runRecord({ fills }));
  expect({ sqn, tradeSharpe, tradeSortino, profitDeviation }).toEqual({
    sqn: null,
    tradeSharpe: null,
    tradeSortino: null,
    profitDeviation: 0,
  });
});

test('a last bit below a peak of the curve is no drawdown', () => {
  const values = ['1000', '999.9999999999999', '1001', '1000.9999999999999', '1001'];
  const equity = values.map((value, index) => ({ time: index * 10, equity: new Decimal(value), drawdown: 0, exposure: 0, netExposure: 0 }));
  const found = statisticsOf(runRecord({ equity, dayEquity: dayEquities(...values, ...values.slice(2), ...values.slice(2)) }));
  expect({ drawdowns: found.drawdowns, ulcerIndex: found.ulcerIndex, sortino: found.sortino }).toEqual({
    drawdowns: 0,
    ulcerIndex: 0,
    sortino: null,
  });
});

test('an average far below one has digits', () => {
  const fills = [0, 1, 2].flatMap((index) => [
    fill({ side: 'buy', quantity: '1', price: '100', fee: '0.00000000123', time: index * 10 }),
    fill({ side: 'sell', quantity: '1', price: '100', time: index * 10 + 5 }),
  ]);
  expect(statisticsOf(runRecord({ fills })).expectancy).toBe('-0.00000000123');
});

// Two returns in turn have no skew and a kurtosis of 1, so the error is sqrt(A / n).
test('the standard error of the Sharpe ratio is that of Lo and Mertens', () => {
  const statistics = statisticsOf(runRecord({ dayEquity: grown(repeated([0.02, -0.01], 4)), to: 8 * DAY_MS }));
  expect(statistics.sharpeError).toBeCloseTo(Math.sqrt(365 / 8), 9);
  // d^2 = 0.00005; the moves are 2.1213 and -2.1213 from a mean of 0.7071 - 0.3536: by hand 17.8711.
  expect(statistics.sortinoError).toBeCloseTo(17.8711, 3);
});

// Profits +10, +20, -5, 0, -10, -15: f = 1, m = p / 5, sd(m) = sqrt(34 / 5).
test('the standard error of the profit factor counts both of its sums', () => {
  const fills = ['110', '120', '95', '100', '90', '85'].flatMap((price, index) => roundTrip(price, '1', index));
  expect(statisticsOf(runRecord({ fills })).profitFactorError).toBeCloseTo(Math.sqrt(34 / 5 / 6), 9);
});

test('reports show a ratio with its error', () => {
  const statistics = statisticsOf(runRecord({ dayEquity: grown(repeated([0.02, -0.01], 4)), to: 8 * DAY_MS }));
  const shown = definitionsOf(false).filter(({ error }) => error !== undefined);
  expect(shown.map((definition) => [definition.key, formatStatistic(definition, statistics)])).toEqual([
    ['sharpe', '5.96 ± 6.75'],
    ['sortino', '13.51 ± 17.87'],
    ['profitFactor', 'n/a'],
  ]);
});
