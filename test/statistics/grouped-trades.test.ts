import { expect, test } from '@jest/globals';
import { breakdown } from '../../src/statistics/breakdown.ts';
import { computeStatistics } from '../../src/statistics/statistics.ts';
import { legsOf } from '../../src/statistics/trades/trade.ts';
import { tradesOf } from '../../src/statistics/trades/trade-builder.ts';
import { place } from '../../src/strategy/intents.ts';
import { BTC, bars, ETH, run, strategy } from '../engine/builders.ts';
import { fill, OTHER, runRecord } from './builders.ts';

type Parts = Parameters<typeof fill>[0];

function grouped(group: string, parts: Parts) {
  const made = fill(parts);
  made.group = group;
  return made;
}

/** Long 1 at 100 and short 2 at 50 against it; the short is bought back at 53, the long sold at 110; each fill pays 0.1. */
const pair = (group: string, time = 0) => [
  grouped(group, { side: 'buy', quantity: '1', price: '100', fee: '0.1', time: time + 1, tag: 'long leg' }),
  grouped(group, { side: 'sell', quantity: '2', price: '50', fee: '0.1', time: time + 1, instrument: OTHER, tag: 'short leg' }),
  grouped(group, { side: 'buy', quantity: '2', price: '53', fee: '0.1', time: time + 4, instrument: OTHER, tag: 'out' }),
  grouped(group, { side: 'sell', quantity: '1', price: '110', fee: '0.1', time: time + 5, tag: 'last out' }),
];

test('legs of one group are one trade in the statistics, with the legs beside it', () => {
  const record = runRecord({ fills: pair('pair-1') });
  const trades = tradesOf(record);
  expect([...trades.closed]).toMatchObject([
    {
      group: 'pair-1',
      symbol: 'BTC-USDT + ETH-USDT',
      side: 'long',
      tag: 'long leg',
      exitTag: 'last out',
      entryTime: 1,
      exitTime: 5,
      fills: 4,
    },
  ]);
  const [trade] = trades.closed;
  // The long gains 10, the short loses 6, and there are four fees.
  expect([trade!.netProfit, trade!.fees, trade!.profitBeforeCosts, trade!.entryValue].map(String)).toEqual(['3.6', '0.4', '4', '200']);
  expect(trade!.returnOnEntry).toBeCloseTo(0.018, 12);
  expect(trade!.holdingMs).toBe(4);
  const statistics = computeStatistics(record, trades);
  expect(statistics).toMatchObject({ trades: 1, winRate: 1 });
  expect(Array.from(legsOf(trades).closed, ({ symbol, side, netProfit }) => [symbol, side, String(netProfit)])).toEqual([
    ['ETH-USDT', 'short', '-6.2'],
    ['BTC-USDT', 'long', '9.8'],
  ]);
  // The table by symbol has the legs, the one by strategy the trade.
  expect(breakdown(trades, 'symbol', record).map(({ key, trades: count, netProfit }) => [key, count, netProfit])).toEqual([
    ['BTC-USDT', 1, '9.8'],
    ['ETH-USDT', 1, '-6.2'],
  ]);
  expect(breakdown(trades, 'strategy', record).map(({ key, trades: count, netProfit }) => [key, count, netProfit])).toEqual([
    ['s', 1, '3.6'],
  ]);
});

test('a group whose legs were all flat begins another trade, and other trades keep their order of exit', () => {
  const alone = [fill({ side: 'buy', quantity: '1', price: '10', time: 6 }), fill({ side: 'sell', quantity: '1', price: '12', time: 7 })];
  const { closed } = tradesOf(runRecord({ fills: [...pair('p'), ...alone, ...pair('p', 10)] }));
  expect(Array.from(closed, ({ group, exitTime, netProfit }) => [group, exitTime, String(netProfit)])).toEqual([
    ['p', 5, '3.6'],
    [undefined, 7, '2'],
    ['p', 15, '3.6'],
  ]);
  expect(closed.at(-1)?.exitTime).toBe(15);
});

test('a group is open while one of its legs is', () => {
  const trades = tradesOf(runRecord({ fills: pair('p').slice(0, 3) }));
  expect(trades.closed.length).toBe(0);
  expect(trades.open).toMatchObject([{ group: 'p', fills: 3, symbol: 'BTC-USDT + ETH-USDT' }]);
  expect([legsOf(trades).closed.length, legsOf(trades).open.length]).toEqual([1, 1]);
});

test('without groups the trades are the legs', () => {
  const trades = tradesOf(runRecord({ fills: pair('') }));
  expect([trades.closed.length, trades.legs]).toEqual([2, undefined]);
});

test('the group of an order is on its fills and on those of its exits', async () => {
  const entry = (symbol: string) => place({ symbol, side: 'buy', type: 'market', quantity: 1, group: 'pair-1', exits: { stopLoss: 90 } });
  let seen = 0;
  const { recorder } = await run(
    [
      strategy('a', {
        symbols: ['BTC-USDT', 'ETH-USDT'],
        needs: { bars: '1m' },
        onBars: () => (seen++ === 0 ? ['BTC-USDT', 'ETH-USDT'].map(entry) : undefined),
      }),
    ],
    { data: [bars([100, 100, 100, 80]), bars([100, 100, 100, 80], { of: ETH })], instruments: [BTC, ETH] },
  );
  expect(Array.from(recorder.fills, ({ symbol, side, group }) => `${symbol} ${side} ${group}`).sort()).toEqual([
    'BTC-USDT buy pair-1',
    'BTC-USDT sell pair-1',
    'ETH-USDT buy pair-1',
    'ETH-USDT sell pair-1',
  ]);
  expect(tradesOf(runRecord({ fills: [] })).legs).toBeUndefined();
});
