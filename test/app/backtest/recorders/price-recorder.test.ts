import { expect, test } from '@jest/globals';
import { filter, Subject } from 'rxjs';
import { Bar, Mark, type MarketEvent, Quote, Ticker } from '../../../../src/model/market-events.ts';
import type { OrderRequest } from '../../../../src/model/order.ts';
import { PERP, SPOT, Told } from '../builders.ts';

const MINUTE = 60_000;

/** A recorder that sees a market, and fills of one step. */
function watched() {
  const told = new Told();
  const market$ = new Subject<MarketEvent>();
  told.recorder.observe({
    watchEach: (instruments, sinkOf) => {
      for (const one of instruments)
        market$.pipe(filter(({ instrument }) => instrument === one)).subscribe((event) => sinkOf(one).add(event));
    },
  });
  const noted = (id: string, parts: Partial<OrderRequest>, ticks: number, rest = {}) => {
    told.fill(id, { positionSide: 'long', ...parts }, ticks, rest);
    return told.recorder.fills.at(-1)!;
  };
  return { told, noted, see: (event: MarketEvent) => market$.next(event) };
}

const ticker = (ticks: number, of = PERP) => new Ticker(of, 0, 1, ticks);
const bar = (low: number, high: number, minutes = 1) => new Bar(PERP, 10 * MINUTE, 1, minutes * MINUTE, low, high, low, high, 1);

test('a fill is noted with the lowest and the highest price since the one before it', () => {
  const { noted, see } = watched();
  see(ticker(50));
  expect(noted('a', {}, 100).range).toBeUndefined();
  for (const ticks of [101, 90, 120, 95]) see(ticker(ticks));
  see(ticker(1, SPOT));
  see(new Mark(PERP, 0, 1, 5, 0));
  expect(noted('b', {}, 100).range).toEqual({ lowTicks: 90, highTicks: 120 });
  see(ticker(99));
  expect(noted('c', { side: 'sell' }, 100).range).toEqual({ lowTicks: 99, highTicks: 99 });
});

test('nothing is noted while nothing is held', () => {
  const { noted, see } = watched();
  noted('a', {}, 100);
  see(ticker(90));
  noted('b', { side: 'sell' }, 100);
  see(ticker(10));
  expect(noted('c', {}, 100).range).toBeUndefined();
});

test('bars count with low and high, longer ones built from them do not', () => {
  const { noted, see, told } = watched();
  see(bar(95, 105));
  noted('a', {}, 100);
  see(bar(90, 110));
  see(bar(1, 999, 5));
  expect([...told.recorder.prices.lastRanges()]).toEqual([[PERP, { lowTicks: 90, highTicks: 110 }]]);
});

test('bars built from tickers do not count in addition to them', () => {
  const { noted, see, told } = watched();
  see(ticker(100));
  noted('a', {}, 100);
  see(bar(1, 999));
  expect(told.recorder.prices.lastRanges().size).toBe(0);
});

test('the middle of a quote counts', () => {
  const { noted, see, told } = watched();
  noted('a', {}, 100);
  see(new Quote(PERP, 0, 1, 99, 102, 1, 1));
  expect(told.recorder.prices.lastRanges().get(PERP)).toEqual({ lowTicks: 100.5, highTicks: 100.5 });
});

test.each([
  ['signal', {}, undefined],
  ['signal', { reduceOnly: true, tag: 'exit' }, undefined],
  ['signal', { tag: 'takeProfit' }, undefined],
  ['stop', {}, 'stop'],
  ['stop', {}, 'stopLimit'],
  ['takeProfit', { reduceOnly: true, tag: 'takeProfit' }, 'limit'],
  ['takeProfit', { reduceOnly: true, tag: 'mine:takeProfit' }, 'limit'],
  ['flatten', { reduceOnly: true, tag: 'kill' }, 'market'],
  ['flatten', { reduceOnly: true, tag: 'dailyLoss' }, 'market'],
  ['flatten', { reduceOnly: true, tag: 'maxLossPerTrade' }, 'market'],
  ['signal', { reduceOnly: true, tag: 'toString' }, 'market'],
  ['endOfRun', { reduceOnly: true, tag: 'endOfRun' }, 'market'],
  ['liquidation', { tag: 'liquidation' }, 'burstLiquidation'],
  ['liquidation', { tag: 'liquidation' }, 'offsetLiquidation'],
] as const)('%s is the reason of %j as %s', (reason, parts, type) => {
  expect(watched().noted('a', parts, 100, { type }).reason).toBe(reason);
});
