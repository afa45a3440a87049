import { expect, test } from '@jest/globals';
import { Decimal } from '../../src/model/decimal.ts';
import { Funding } from '../../src/model/market-events.ts';
import { applyAccount, applyMarket } from '../../src/state/apply.ts';
import type { ReadonlyState } from '../../src/state/state.ts';
import { Strategy } from '../../src/strategy/strategy.ts';
import type { PositionView } from '../../src/strategy/views.ts';
import { balance, filled, futures, instrument, mark, open, PERP, price, state, trade } from '../state/builders.ts';

class Probe extends Strategy {
  see() {
    return {
      position: (symbol?: string, side?: 'long' | 'short') => this.position(symbol ?? 'BTC-USDT-PERP', side),
      market: () => this.market('BTC-USDT-PERP'),
      account: this.account,
    };
  }
}

function probe(target: ReadonlyState, id = 's') {
  const log = { debug() {}, info() {}, warn() {} };
  return new Probe({ id, params: {}, symbols: ['BTC-USDT-PERP'], state: target, log, now: () => 42, history: () => [] }).see();
}

const plain = ({ side, quantity, averagePrice, realizedProfit }: PositionView) => [side, quantity, averagePrice, realizedProfit];

test('each side of a contract is a position, and without a side the one that is open', () => {
  const target = futures();
  trade(target, 'long', 4, 100);
  trade(target, 'long', -1, 110);
  const see = probe(target);
  expect(plain(see.position())).toEqual(['long', 3, 100, 10]);
  expect(plain(see.position(undefined, 'long'))).toEqual(['long', 3, 100, 10]);
  expect(plain(see.position(undefined, 'short'))).toEqual(['flat', 0, 0, 0]);
  trade(target, 'long', -3, 120);
  trade(target, 'short', 2, 90);
  expect(plain(see.position())).toEqual(['short', 2, 90, 0]);
  expect(plain(probe(target, 't').position())).toEqual(['flat', 0, 0, 0]);
});

test('with both sides open it is the net of them, at the larger one’s price', () => {
  const target = futures();
  trade(target, 'long', 2, 100);
  trade(target, 'short', 5, 110);
  expect(plain(probe(target).position())).toEqual(['short', 3, 110, 0]);
  trade(target, 'long', 3, 105);
  expect(plain(probe(target).position())).toEqual(['flat', 0, 0, 0]);
  trade(target, 'long', 5, 113);
  // 200 + 315 + 565 for ten
  expect(plain(probe(target).position())).toEqual(['long', 5, 108, 0]);
});

test('its unrealised profit, leverage and liquidation price', () => {
  const target = futures({ leverage: '8', shortLeverage: '4' });
  balance(target, 'USDT', '100');
  price(target, 100);
  trade(target, 'long', 5, 100);
  trade(target, 'short', 1, 120, { strategyId: 't' });
  mark(target, '104.5');
  const long = probe(target).position();
  expect([long.unrealizedProfit, long.leverage]).toEqual([22.5, 8]);
  // 100 + 5 (p - 100) + (120 - p) = 0.01 x 6 p: 280 / 3.94
  expect(long.liquidationPrice).toBeCloseTo(71.06599, 6);
  const short = probe(target, 't').position(undefined, 'short');
  expect([short.unrealizedProfit, short.leverage, short.liquidationPrice]).toEqual([15.5, 4, undefined]);
  expect(probe(target, 't').position(undefined, 'long')).toMatchObject({
    unrealizedProfit: 0,
    leverage: undefined,
    liquidationPrice: undefined,
  });
  // Liquidated is what the account holds, whoever asks.
  expect(probe(target).account.position('BTC-USDT-PERP', 'long').liquidationPrice).toBe(long.liquidationPrice);
});

test('separated positions are liquidated one by one: each strategy sees its own, the account the nearest', () => {
  const target = futures({ mode: 'isolated', separated: true });
  balance(target, 'USDT', '1000');
  price(target, 100);
  trade(target, 'long', 10, 100);
  trade(target, 'long', 10, 80, { strategyId: 't' });
  applyAccount(target, { kind: 'marginChanged', time: 0, instrument: PERP, positionSide: 'long', margin: new Decimal(180) });
  // (1000 - 100) / 9.9 and (800 - 80) / 9.9
  expect(probe(target, 's').position().liquidationPrice).toBeCloseTo(90.909091, 6);
  expect(probe(target, 't').position().liquidationPrice).toBeCloseTo(72.727273, 6);
  expect(probe(target, 't').account.position('BTC-USDT-PERP').liquidationPrice).toBeCloseTo(90.909091, 6);
});

test('funding is apart from profit', () => {
  const target = futures();
  trade(target, 'long', 5, 100);
  const [rate, markPrice, amount] = [new Decimal('0.0001'), new Decimal(100), new Decimal('-0.05')];
  applyAccount(target, { kind: 'fundingCharged', time: 0, instrument: PERP, positionSide: 'long', steps: 5, rate, markPrice, amount });
  expect(probe(target).position()).toMatchObject({ funding: -0.05, realizedProfit: 0 });
});

test('a net position has no leverage and no price of liquidation', () => {
  const target = state('netting', [instrument(0, { symbol: 'BTC-USDT-PERP' })]);
  const [of] = target.instruments as [ReturnType<typeof instrument>];
  price(target, 100, of);
  open(target, { instrument: of, side: 'sell' });
  applyAccount(target, filled({ instrument: of, side: 'sell' }, 10, 100, true));
  price(target, 90, of);
  const view = probe(target).position(undefined, 'long');
  expect(view).toMatchObject({ side: 'short', quantity: 10, unrealizedProfit: 100, leverage: undefined, liquidationPrice: undefined });
});

test('the account shows the margin of a currency', () => {
  const target = futures();
  balance(target, 'USDT', '1000', 0, 'futures', '50');
  price(target, 100);
  trade(target, 'long', 5, 100);
  price(target, 104);
  expect(probe(target).account.margin()).toEqual({ equity: 1020, used: 50, free: 970, available: 970, maintenance: 5.2, use: 50 / 1020 });
  expect(probe(target).account.margin('BTC')).toEqual({ equity: 0, used: 0, free: 0, available: 0, maintenance: 0, use: 0 });
  // What open orders freeze of the collateral is no longer available, by either word.
  expect(probe(target).account.balance('USDT')).toEqual({ total: 1000, available: 950, free: 950, frozen: 50 });
});

test('balances are those of the collateral, and of the spot wallet by its name', () => {
  const target = futures({}, [PERP, instrument(1)]);
  balance(target, 'USDT', '1000', 0, 'futures', '50');
  balance(target, 'USDT', '20', 0, 'spot');
  expect(probe(target).account.balance('USDT')).toEqual({ total: 1000, available: 950, free: 950, frozen: 50 });
  expect(probe(target).account.balance('USDT', 'spot').total).toBe(20);
});

test('a market shows the mark, the last price and the newest funding rate', () => {
  const target = futures();
  expect(probe(target).market()).toEqual({ mark: undefined, last: undefined, bar: undefined, quote: undefined, fundingRate: undefined });
  price(target, 100);
  mark(target, '100.5');
  applyMarket(target, new Funding(PERP, 0, 9, new Decimal('0.0003')));
  expect(probe(target).market()).toMatchObject({ mark: 100.5, last: 100, fundingRate: 0.0003 });
});
