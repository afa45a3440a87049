import { expect, test } from '@jest/globals';
import { Quote, type QuoteRows, Ticker } from '../../src/model/market-events.ts';
import { MarketState } from '../../src/state/market-state.ts';
import { BTC } from './builders.ts';

/** Rows of one quote a second, whose arrays can be written over. */
function rowsOf(bids: number[]): QuoteRows {
  const bidTicks = Float64Array.from(bids);
  const askTicks = bidTicks.map((bid) => bid + 2);
  const times = bidTicks.map((_, row) => row * 1_000);
  return {
    times,
    bidTicks,
    askTicks,
    quoteAt: (row) => new Quote(BTC, times[row]!, row + 1, bidTicks[row]!, askTicks[row]!, 5, 6),
  };
}

const goTo = (market: MarketState, { bidTicks, askTicks }: QuoteRows, row: number) =>
  market.goToQuote(row, (bidTicks[row]! + askTicks[row]!) / 2);

const pricesOf = ({ sequence, time, last, mark, quote }: MarketState) => [sequence, time, last, mark, quote?.bidTicks];

test('for quotes in rows, the current row is the newest quote, and earlier rows are not used', () => {
  const market = new MarketState(BTC);
  market.apply(new Ticker(BTC, 0, 1, 50));
  const rows = rowsOf([99, 100, 110]);
  market.followQuotes(rows);
  expect(pricesOf(market)).toEqual([1, 0, 50, 50, undefined]);
  goTo(market, rows, 1);
  expect(pricesOf(market)).toEqual([2, 1_000, 101, 101, 100]);
  goTo(market, rows, 2);
  expect(market.triggerTicks('buy')).toBe(112);
  expect(pricesOf(market)).toEqual([3, 2_000, 111, 111, 110]);
});

test('the newest stays once the rows are written over', () => {
  const market = new MarketState(BTC);
  const rows = rowsOf([99, 100]);
  market.followQuotes(rows);
  goTo(market, rows, 1);
  market.leaveQuotes();
  rows.bidTicks.fill(1);
  rows.askTicks.fill(1);
  rows.times.fill(0);
  expect(pricesOf(market)).toEqual([2, 1_000, 101, 101, 100]);
});

test('an event after a row is newer than it', () => {
  const market = new MarketState(BTC);
  const rows = rowsOf([99, 100]);
  market.followQuotes(rows);
  goTo(market, rows, 0);
  market.apply(new Ticker(BTC, 5_000, 9, 70));
  expect(pricesOf(market)).toEqual([9, 5_000, 70, 70, 99]);
  market.applyQuote(new Quote(BTC, 6_000, 10, 80, 82, 1, 1));
  expect(pricesOf(market)).toEqual([10, 6_000, 81, 81, 80]);
});
