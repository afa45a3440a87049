import { describe, expect, test } from '@jest/globals';
import { ContractPrices } from '../../../src/matching/futures/contract-book.ts';
import { Mark } from '../../../src/model/market-events.ts';
import { perpetual } from '../../builders.ts';

const BTC = perpetual({ tickSize: '0.1' });
const prices = (maxAgeMs = 60_000) => new ContractPrices(BTC, maxAgeMs);
const mark = (time: number, units: number, decimals = 0) => new Mark(BTC, time, 0, units, decimals);

test('before the first price nothing is known', () => {
  expect([prices().lastTicks, prices().value, prices().buyTicks]).toEqual([Number.NaN, Number.NaN, Number.NaN]);
});

describe('the last price', () => {
  test('for a quote the last price is its middle, which may be between two ticks; buys use the ask, sells the bid', () => {
    const of = prices();
    of.onQuote(1000, 1003, 1);
    expect([of.lastTicks, of.value, of.exact.toFixed()]).toEqual([1001.5, 100.15, '100.15']);
    expect([of.buyTicks, of.sellTicks]).toEqual([1003, 1000]);
  });

  test('is the newest of all kinds', () => {
    const of = prices();
    of.onQuote(1000, 1003, 1);
    of.onLast(1010, 2);
    expect([of.value, of.buyTicks, of.sellTicks]).toEqual([101, 1010, 1010]);
    of.onQuote(1004, 1006, 3);
    expect(of.value).toBe(100.5);
  });
});

describe('positions are valued', () => {
  test('at the mark while it is at most so much older than the newest price', () => {
    const of = prices(1000);
    of.onLast(1000, 0);
    of.onMark(mark(10, 10_017, 2));
    expect([of.marked, of.value, of.exact.toFixed()]).toEqual([true, 100.17, '100.17']);
    expect(of.onLast(1100, 1010)).toBe(false);
    expect([of.marked, of.value]).toEqual([true, 100.17]);
    expect(of.onLast(1100, 1011)).toBe(true);
    expect([of.marked, of.value, of.exact.toFixed()]).toEqual([false, 110, '110']);
  });

  test('at the last price as before once a mark has grown old', () => {
    const of = prices(1000);
    of.onMark(mark(0, 100));
    of.onQuote(990, 992, 5000);
    expect(of.value).toBe(99.1);
    expect(of.onQuote(980, 982, 5001)).toBe(true);
  });

  test('at the newest mark', () => {
    const of = prices();
    of.onMark(mark(0, 100));
    of.onMark(mark(1, 101));
    expect(of.exact.toFixed()).toBe('101');
  });

  test('at the mark if there is no price yet', () => {
    const of = prices();
    of.onMark(mark(0, 100));
    expect([of.value, of.valueTicks]).toEqual([100, 1000]);
  });
});

test('a price of a later time may find the mark too old before it is applied', () => {
  const of = prices(1000);
  of.onLast(1000, 0);
  of.onMark(mark(0, 105));
  expect([of.age(1000), of.value]).toEqual([false, 105]);
  expect([of.age(1001), of.value]).toEqual([true, 100]);
  expect(of.age(1002)).toBe(false);
});

test.each([
  ['on a tick', 95_421_10000000, 8, 954_211],
  ['on a tick, with fewer decimals than the tick', 95_421, 0, 954_210],
  ['between two ticks', 95_421_15000000, 8, 954_211.5],
])('a mark %s is that many ticks exactly', (_title, units, decimals, ticks) => {
  const of = prices();
  of.onMark(mark(0, units, decimals));
  expect(of.valueTicks).toBe(ticks);
});
