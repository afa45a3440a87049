import { expect, test } from '@jest/globals';
import { VolumeRecorder } from '../../../../src/app/backtest/recorders/volume-recorder.ts';
import { Bar, type MarketEvent, Quote, Ticker, Trade } from '../../../../src/model/market-events.ts';
import { PERP, SPOT } from '../builders.ts';

const DAY = 86_400_000;
const MINUTE = 60_000;

function volumes(...events: MarketEvent[]) {
  const recorder = new VolumeRecorder([SPOT, PERP]);
  for (const event of events) recorder.add(event);
  recorder.finish();
  return [...recorder.volumes].map(([{ symbol }, days]) => [symbol, [...days]]);
}

const bar = (time: number, volume: number, minutes = 1) => new Bar(PERP, time, 1, minutes * MINUTE, 100, 130, 90, 120, volume);

test('close x volume of bars is summed by UTC day, midnight belonging to the day before', () => {
  const close = PERP.tick.toNumber(120);
  expect(volumes(bar(MINUTE, 2), bar(DAY, 3), bar(DAY + MINUTE, 4))).toEqual([
    [
      PERP.symbol,
      [
        [DAY, 5 * close],
        [2 * DAY, 4 * close],
      ],
    ],
  ]);
});

test('price x quantity of trades, and nothing of the bars built from them', () => {
  const value = PERP.tick.toNumber(50) * PERP.step.toNumber(7);
  expect(volumes(new Trade(PERP, 1, 1, 50, 7, undefined), bar(MINUTE, 9))).toEqual([[PERP.symbol, [[DAY, value]]]]);
});

test('longer bars do not count beside those they are built from', () => {
  expect(volumes(bar(MINUTE, 2), bar(5 * MINUTE, 9, 5))).toEqual([[PERP.symbol, [[DAY, 2 * PERP.tick.toNumber(120)]]]]);
});

test('tickers and quotes tell no volume, nor do bars built from tickers', () => {
  expect(volumes(new Ticker(PERP, 1, 1, 100), new Quote(SPOT, 1, 1, 99, 101, 5, 5), bar(MINUTE, 0))).toEqual([]);
});
