import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { YEAR_MS } from '../../src/statistics/returns/trading-calendar.ts';
import { computeStatistics } from '../../src/statistics/statistics.ts';
import { dayEquities, runRecord } from './builders.ts';

interface Reference {
  readonly daily_closes: readonly (readonly [date: string, close: number])[];
  readonly metrics: { readonly annualization_365: Readonly<Record<string, number>> };
}

/** empyrical's figures for daily closes of BTCUSDT, worked out apart from this repository. */
const FILE = new URL('../../../shared/reference/metrics-btc-daily.json', import.meta.url);
const present = existsSync(FILE);

(present ? describe : describe.skip)(`agrees with empyrical (skipped without ${FILE.pathname})`, () => {
  const reference = present ? (JSON.parse(readFileSync(FILE, 'utf8')) as Reference) : undefined;
  const closes = reference?.daily_closes.map(([, close]) => close) ?? [];
  const expected = reference?.metrics.annualization_365 ?? {};
  const statistics = computeStatistics(
    runRecord({
      startEquity: dayEquities(closes[0] ?? 1)[0]!.equity,
      finalEquity: dayEquities(closes.at(-1) ?? 1)[0]!.equity,
      dayEquity: dayEquities(...closes.slice(1)),
      // empyrical counts 365 days a year: as many days make the same share of a year.
      to: ((closes.length - 1) / 365) * YEAR_MS,
      // Its Calmar takes the drawdown of the closes; ours takes the record's.
      drawdown: {
        depth: depthOf(closes),
        peakEquity: Number.NaN,
        troughEquity: Number.NaN,
        peakTime: 0,
        troughTime: 1,
        recoveredTime: undefined,
        longestMs: 1,
      },
    }),
  );

  test.each([
    ['cagr', 'annual_return'],
    ['cagr', 'cagr'],
    ['annualVolatility', 'annual_volatility'],
    ['sharpe', 'sharpe'],
    ['sortino', 'sortino'],
    ['calmar', 'calmar'],
  ] as const)('%s equals its %s to 1e-12', (ours, theirs) => {
    expect(Math.abs(Number(statistics[ours]) - Number(expected[theirs]))).toBeLessThan(1e-12);
  });
});

function depthOf(closes: readonly number[]): number {
  let peak = 0;
  return closes.reduce((depth, close) => {
    peak = Math.max(peak, close);
    return Math.max(depth, (peak - close) / peak);
  }, 0);
}
