import { expect, test } from '@jest/globals';
import { cancel, place } from '../../src/strategy/intents.ts';
import { run, type Scripted, strategy, tickers } from './builders.ts';

const LATENCY = { entryMs: 5_000, responseMs: 5_000, cancelMs: 0 };
const money = (me: Scripted) => me.net.balance('USDT');

test('an order that was approved at this instant needs its funds at once, and another strategy sees that', async () => {
  const seen: string[] = [];
  const note = (name: string, me: Scripted) => {
    const { total, available, free, frozen } = money(me);
    expect(free).toBe(available);
    seen.push(`${name} ${total} ${available} ${frozen}`);
  };
  const buyer = strategy('buyer', {
    onTicker: ({ last: price }, me) => {
      note('buyer', me);
      return price === 100 ? place({ symbol: 'BTC-USDT', side: 'buy', type: 'limit', quantity: '3', price: '90', tag: 'bid' }) : undefined;
    },
    onOrder: ({ kind }, me) => note(kind, me),
  });
  const other = strategy('other', { onTicker: (_, me) => note('other', me) });
  const data = [
    tickers([
      [0, 100],
      [1, 101],
      [12, 102],
    ]),
  ];
  await run([buyer, other], { kind: 'spot', balances: { USDT: '1000' }, data, latency: LATENCY });
  // 3 at 90 are 270. The venue freezes them when the order arrives; then they count once.
  expect(seen).toEqual([
    'buyer 1000 1000 0',
    'other 1000 1000 0',
    'orderSubmitted 1000 730 0',
    'buyer 1000 730 0',
    'other 1000 730 0',
    'orderAccepted 1000 730 270',
    'buyer 1000 730 270',
    'other 1000 730 270',
    'orderExpired 1000 1000 0',
  ]);
});

test('coins of a sell are needed once too, and all is available when it is canceled', async () => {
  const seen: number[] = [];
  const seller = strategy('seller', {
    onTicker: ({ last: price }, me) => {
      seen.push(me.net.balance('BTC').available);
      if (price === 100) return place({ symbol: 'BTC-USDT', side: 'sell', type: 'limit', quantity: '2', price: '150', tag: 'ask' });
      return price === 102 ? cancel({ tag: 'ask' }) : undefined;
    },
  });
  const data = [
    tickers([
      [0, 100],
      [1, 101],
      [12, 102],
      [20, 103],
    ]),
  ];
  await run([seller], { kind: 'spot', balances: { BTC: '5' }, data, latency: LATENCY });
  expect(seen).toEqual([5, 3, 3, 5]);
});

test('what is needed for orders that wait here or have ended is available', async () => {
  const seen: number[] = [];
  const holder = strategy('holder', {
    onTicker: ({ last: price }, me) => {
      seen.push(money(me).available);
      if (price === 100) return place({ symbol: 'BTC-USDT', side: 'buy', type: 'stop', stopPrice: '200', quantity: '3' });
      return price === 101 ? place({ symbol: 'BTC-USDT', side: 'buy', type: 'market', quantity: '1' }) : undefined;
    },
  });
  const data = [
    tickers([
      [0, 100],
      [1, 101],
      [2, 102],
      [20, 103],
    ]),
  ];
  await run([holder], { kind: 'spot', balances: { USDT: '1000' }, data, latency: LATENCY });
  // The stop waits in the engine. The market order needs 1 at the newest price, 102, and fills at 102.
  expect(seen).toEqual([1000, 1000, 898, 898]);
});
