import { expect, test } from '@jest/globals';
import { PriceTape } from '../../../../src/app/backtest/recorders/price-tape.ts';
import { Bar, Mark, type MarketEvent, Quote, Ticker, Trade } from '../../../../src/model/market-events.ts';
import { PERP } from '../builders.ts';

const DAY = 86_400_000;
const MINUTE = 60_000;

function volumes(...events: MarketEvent[]) {
  const tape = new PriceTape({ lastTicks: Number.NaN });
  for (const event of events) tape.add(event);
  tape.finish();
  return [...tape.volumes];
}

const bar = (time: number, volume: number, minutes = 1) => new Bar(PERP, time, 1, minutes * MINUTE, 100, 130, 90, 120, volume);

test('close x volume of bars is summed by UTC day, midnight belonging to the day before', () => {
  const close = PERP.tick.toNumber(120);
  expect(volumes(bar(MINUTE, 2), bar(DAY, 3), bar(DAY + MINUTE, 4))).toEqual([
    [DAY, 5 * close],
    [2 * DAY, 4 * close],
  ]);
});

test('price x quantity of trades, and nothing of the bars built from them', () => {
  const value = PERP.tick.toNumber(50) * PERP.step.toNumber(7);
  expect(volumes(new Trade(PERP, 1, 1, 50, 7, undefined), bar(MINUTE, 9))).toEqual([[DAY, value]]);
});

test('longer bars do not count in addition to the bars they are built from', () => {
  expect(volumes(bar(MINUTE, 2), bar(5 * MINUTE, 9, 5))).toEqual([[DAY, 2 * PERP.tick.toNumber(120)]]);
});

test('tickers and quotes have no volume, nor have bars built from tickers', () => {
  expect(volumes(new Ticker(PERP, 1, 1, 100), new Quote(PERP, 1, 1, 99, 101, 5, 5), bar(MINUTE, 9))).toEqual([]);
});

test('prices were there from the first to the last that anything fills at', () => {
  const tape = new PriceTape({ lastTicks: 100 });
  for (const event of [new Ticker(PERP, 10, 1, 100), new Ticker(PERP, 40, 2, 100), new Mark(PERP, 90, 3, 5, 0)]) tape.add(event);
  expect(tape.coverage.coverage()).toEqual({ first: 10, last: 40, count: 2, pauses: [[10, 40]] });
});
