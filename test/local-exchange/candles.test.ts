import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { CandleBook } from '../../src/local-exchange/core/price-history.ts';
import { Decimal } from '../../src/model/decimal.ts';
import { T0 } from '../builders.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { BTC, PERP, spotOrder, startLocal } from './local.ts';

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;
/** Start, open, high, low, close of what a book tells. */
const told = (book: CandleBook, periodMs: number, limit: number, now: number) =>
  book.newest(periodMs, limit, now).map(({ start, open, high, low, close }) => [start, open, high, low, close]);

test('a candle opens at the price of its first moment, else at the previous one, and is flat if nothing happened', () => {
  const book = new CandleBook();
  for (const [time, ticks] of [
    [10_000, 5],
    [50_000, 8],
    [MINUTE, 8],
    [3 * MINUTE + 1, 2],
    [4 * MINUTE, 3],
  ] as const)
    book.price(time, ticks);
  expect(told(book, MINUTE, 10, 4 * MINUTE)).toEqual([
    [4 * MINUTE, 3, 3, 3, 3],
    [3 * MINUTE, 8, 8, 2, 2],
    [2 * MINUTE, 8, 8, 8, 8],
    [MINUTE, 8, 8, 8, 8],
    [0, 5, 8, 5, 8],
  ]);
  expect(told(book, MINUTE, 2, 4 * MINUTE)).toEqual([
    [4 * MINUTE, 3, 3, 3, 3],
    [3 * MINUTE, 8, 8, 2, 2],
  ]);
  // Five minutes from 0 are one candle, with the first price as its open.
  expect(told(book, 5 * MINUTE, 10, 5 * MINUTE)).toEqual([
    [5 * MINUTE, 3, 3, 3, 3],
    [0, 5, 8, 2, 3],
  ]);
});

test('a price that repeats the last one changes nothing', () => {
  const [once, twice] = [new CandleBook(), new CandleBook()];
  once.price(0, 5);
  twice.price(0, 5);
  twice.price(MINUTE + 1, 5);
  once.price(MINUTE + 2, 6);
  twice.price(MINUTE + 2, 6);
  expect(once.newest(MINUTE, 9, 2 * MINUTE)).toEqual(twice.newest(MINUTE, 9, 2 * MINUTE));
});

test('candles sum the traded volume, in base and quote', () => {
  const book = new CandleBook();
  book.price(0, 5);
  book.trade(0, 2, new Decimal('0.1'));
  book.trade(MINUTE, 3, new Decimal('0.2'));
  const [hour] = book.newest(HOUR, 9, MINUTE);
  expect([hour?.steps, hour?.value.toFixed()]).toEqual([5, '0.3']);
  expect(book.newest(MINUTE, 9, MINUTE).map(({ steps }) => steps)).toEqual([3, 2]);
});

test('31 days are kept, in whole candles: the same whether older minutes were dropped yet or not', () => {
  const book = new CandleBook();
  for (let time = 0; time <= 40 * DAY; time += HOUR) book.price(time, 1 + time / HOUR);
  const now = 40 * DAY + 10 * MINUTE;
  // 31 days before lie ten minutes after midnight: the day that began then is cut.
  expect(told(book, DAY, 1_000, now).at(-1)?.slice(0, 2)).toEqual([10 * DAY, 10 * 24 + 1]);
  expect(told(book, DAY, 1_000, now)).toHaveLength(31);
  const hours = told(book, HOUR, 1_000, now);
  expect(hours).toHaveLength(31 * 24);
  expect(hours.at(-1)).toEqual([9 * DAY + HOUR, 218, 218, 218, 218]);
  // Quiet for a year: what stood is what is told.
  expect(told(book, DAY, 2, 400 * DAY)).toEqual([
    [400 * DAY, 961, 961, 961, 961],
    [399 * DAY, 961, 961, 961, 961],
  ]);
});

test('candles are the same after a restart from the state file', async () => {
  const stateFile = join(temporaryFolder('exchange'), 'state');
  const first = await startLocal({ stateFile });
  for (const price of ['100', '100', '104', '98', '98', '98', '99']) {
    first.price('BTC-USDT', price);
    first.price('BTC-USDT-PERP', price);
    first.step(25_000);
  }
  await first.client().batchOrders({ symbol: BTC, orderList: [spotOrder({ price: '110', quantity: '0.5' })] });
  const candlesOf = async ({ client }: typeof first) => [
    await client().candles({ symbol: BTC, period: '1min' }),
    await client().candles({ symbol: BTC, period: '5min' }),
    await client().futuresCandles({ symbol: PERP, granularity: '1m' }),
  ];
  const before = await candlesOf(first);
  // The fill of the guest: 0.5 at 99.
  expect(before[1]).toEqual([[T0, '100', '104', '98', '99', '0.5', '49.5']]);
  await first.close();
  const again = await startLocal({ stateFile, clock: first.clock });
  expect(await candlesOf(again)).toEqual(before);
  await again.close();
});
