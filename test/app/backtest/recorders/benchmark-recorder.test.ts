import { expect, test } from '@jest/globals';
import { Subject } from 'rxjs';
import { BenchmarkRecorder, benchmarkOf } from '../../../../src/app/backtest/recorders/benchmark-recorder.ts';
import type { Config } from '../../../../src/app/config/schema/schema.ts';
import type { Instrument } from '../../../../src/model/instrument.ts';
import { type MarketEvent, Ticker } from '../../../../src/model/market-events.ts';
import { applyMarket } from '../../../../src/state/apply.ts';
import { IN_BTC, PERP, SPOT, Told } from '../builders.ts';

/** Points of the curve lie a second apart. Prices are ticks of 1. */
function worth(instruments: readonly Instrument[], prices: readonly (readonly [time: number, of: Instrument, ticks: number])[]) {
  const { state } = new Told('futures');
  const recorder = new BenchmarkRecorder('b', instruments);
  const market$ = new Subject<MarketEvent>();
  recorder.observe({ market$ }, state);
  for (const [index, [time, of, ticks]] of prices.entries()) {
    const event = new Ticker(of, time, index + 1, ticks);
    applyMarket(state, event);
    market$.next(event);
  }
  state.portfolio.finish(prices.at(-1)?.[0] ?? 0);
  expect(recorder.benchmark(1000)?.equity.length ?? state.portfolio.curve.samples.length).toBe(state.portfolio.curve.samples.length);
  return recorder.benchmark(1000);
}

test('one symbol is bought at its first price, and valued at each point', () => {
  const prices = [
    [500, SPOT, 100],
    [900, SPOT, 110],
    [1_500, SPOT, 90],
    [3_200, SPOT, 150],
  ] as const;
  // At the start, at 1 s, 2 s and 3 s, and at the end.
  expect(worth([SPOT], prices)).toEqual({ label: 'b', equity: [1000, 1100, 900, 900, 1500], dayEquity: [1500] });
});

test('several symbols are equal parts; a part without a price stays cash', () => {
  const prices = [
    [500, SPOT, 100],
    [700, SPOT, 120],
    [1_500, PERP, 10],
    [2_500, PERP, 5],
  ] as const;
  // 500 became 600 beside 500 of cash; then the contract is bought for those; then they halve.
  expect(worth([SPOT, PERP], prices)?.equity).toEqual([1000, 1100, 1100, 850]);
});

test('a symbol quoted in another currency counts at its rate', () => {
  const prices = [
    [100, IN_BTC, 2],
    [500, SPOT, 100],
    [1_500, SPOT, 200],
    [2_500, IN_BTC, 3],
  ] as const;
  expect(worth([IN_BTC], prices)?.equity).toEqual([1000, 1000, 2000, 3000]);
});

test('nothing that was never priced is a benchmark', () => {
  expect(worth([PERP], [[500, SPOT, 100]])).toBeUndefined();
  expect(worth([], [[500, SPOT, 100]])).toBeUndefined();
});

test.each([
  ['buyAndHold', 'buy and hold BTC-USDT, BTC-USDT-PERP in equal parts'],
  ['BTC-USDT', 'buy and hold BTC-USDT'],
  ['none', undefined],
])('report.benchmark %s is %s', (benchmark, label) => {
  const strategies = [{ symbols: [PERP.symbol] }, { symbols: [SPOT.symbol, PERP.symbol] }];
  const recorder = benchmarkOf({ report: { benchmark }, strategies } as unknown as Config, [SPOT, PERP, IN_BTC]);
  const told = new Told();
  const market$ = new Subject<MarketEvent>();
  recorder.observe({ market$ }, told.state);
  told.price(SPOT, 100);
  told.price(PERP, 100);
  market$.next(new Ticker(SPOT, 0, 1, 100));
  expect(recorder.benchmark(1)?.label).toBe(label);
});
