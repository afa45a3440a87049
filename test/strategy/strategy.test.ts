import { expect, test } from '@jest/globals';
import type { OrderSubmitted } from '../../src/model/account-events.ts';
import { Instrument } from '../../src/model/instrument.ts';
import { applyAccount } from '../../src/state/apply.ts';
import type { ReadonlyState } from '../../src/state/state.ts';
import { cancel, cancelTimer, place, protect, setTimer } from '../../src/strategy/intents.ts';
import { Strategy } from '../../src/strategy/strategy.ts';
import type { PositionView } from '../../src/strategy/views.ts';
import { balance, ETH, filled, open, price, state, submitted } from '../state/builders.ts';

class Probe extends Strategy {
  see() {
    return {
      position: (symbol: string) => this.position(symbol),
      orders: (symbol?: string) => this.orders(symbol),
      market: (symbol: string) => this.market(symbol),
      account: this.account,
      now: this.now,
    };
  }
}

function probe(target: ReadonlyState, id = 's') {
  const log = { debug() {}, info() {}, warn() {} };
  return new Probe({ id, params: {}, symbols: ['BTC-USDT'], state: target, log, now: () => 42, history: () => [] }).see();
}

const plain = ({ side, quantity, averagePrice, realizedProfit }: PositionView) => ({ side, quantity, averagePrice, realizedProfit });

test('a strategy sees its own position, and the account the net of all', () => {
  const target = state();
  open(target, { strategyId: 's' });
  applyAccount(target, filled({ strategyId: 's' }, 10, 100, true));
  open(target, { strategyId: 't', clientOrderId: 'c2', side: 'sell' });
  applyAccount(target, filled({ strategyId: 't', clientOrderId: 'c2', side: 'sell' }, 4, 110));
  expect(plain(probe(target, 's').position('BTC-USDT'))).toEqual({ side: 'long', quantity: 10, averagePrice: 100, realizedProfit: 0 });
  expect(plain(probe(target, 't').position('BTC-USDT'))).toEqual({ side: 'short', quantity: 4, averagePrice: 110, realizedProfit: 0 });
  expect(plain(probe(target).account.position('BTC-USDT'))).toEqual({ side: 'long', quantity: 6, averagePrice: 100, realizedProfit: 40 });
  expect(plain(probe(target).position('ETH-USDT'))).toEqual({ side: 'flat', quantity: 0, averagePrice: 0, realizedProfit: 0 });
});

test('a position that a strategy keeps stays as it was at the call', () => {
  const target = state();
  open(target);
  applyAccount(target, filled({}, 2, 100));
  const kept = probe(target).position('BTC-USDT');
  applyAccount(target, filled({}, 8, 150, true));
  expect(plain(kept)).toEqual({ side: 'long', quantity: 2, averagePrice: 100, realizedProfit: 0 });
});

test('a strategy sees its own open orders, by symbol or all, oldest first', () => {
  const target = state();
  open(target, { clientOrderId: 'a' });
  open(target, { clientOrderId: 'b', strategyId: 't' });
  open(target, { clientOrderId: 'c', instrument: ETH });
  expect(
    probe(target)
      .orders()
      .map(({ clientOrderId }) => clientOrderId),
  ).toEqual(['a', 'c']);
  expect(
    probe(target)
      .orders('ETH-USDT')
      .map(({ clientOrderId }) => clientOrderId),
  ).toEqual(['c']);
});

test('a stop has its trigger as a price, and any other order has none', () => {
  const target = state();
  const [stop, limit] = [submitted({ clientOrderId: 'a' }), submitted({ clientOrderId: 'b' })] as [OrderSubmitted, OrderSubmitted];
  // 95 ticks of 0.1
  const instrument = new Instrument(0, { symbol: 'BTC-USDT', tickSize: '0.1', stepSize: '1' });
  applyAccount(target, { ...stop, request: { ...stop.request, instrument }, type: 'stop', stopTicks: 95 });
  applyAccount(target, { ...limit, type: 'limit' });
  expect(
    probe(target)
      .orders()
      .map(({ stopPrice }) => stopPrice),
  ).toEqual([9.5, undefined]);
});

test('prices are undefined before the first', () => {
  const target = state();
  expect(probe(target).market('BTC-USDT')).toEqual({ mark: undefined, bar: undefined, quote: undefined });
  price(target, 100);
  expect(probe(target).market('BTC-USDT').mark).toBe(100);
});

test('balances are plain numbers; an asset never held is zero', () => {
  const target = state('spot');
  balance(target, 'USDT', '12.5');
  expect(probe(target).account.balance('USDT')).toEqual({ total: 12.5, available: 12.5, free: 12.5, frozen: 0 });
  expect(probe(target).account.balance('DOGE')).toEqual({ total: 0, available: 0, free: 0, frozen: 0 });
});

test('a symbol that is not in the run is an error that names it', () => {
  expect(() => probe(state()).position('DOGE-USDT')).toThrow('strategy s: no instrument "DOGE-USDT" in this run');
});

test('time is that of the event at hand', () => {
  expect(probe(state()).now).toBe(42);
});

test.each([
  [
    place({ symbol: 'A-B', side: 'buy', type: 'market', quantity: 1 }),
    { kind: 'place', symbol: 'A-B', side: 'buy', type: 'market', quantity: 1 },
  ],
  [
    protect({ symbol: 'A-B', side: 'sell', quantity: '1', stopLoss: 9 }),
    { kind: 'protect', symbol: 'A-B', side: 'sell', quantity: '1', stopLoss: 9 },
  ],
  [cancel(), { kind: 'cancel' }],
  [cancel({ tag: 'x' }), { kind: 'cancel', tag: 'x' }],
  [setTimer({ name: 't', everyMs: 5 }), { kind: 'setTimer', name: 't', everyMs: 5 }],
  [cancelTimer('t'), { kind: 'cancelTimer', name: 't' }],
])('constructors make plain intents: %j', (intent, plain) => {
  expect(intent).toEqual(plain);
});
