import { expect, test } from '@jest/globals';
import type { AccountEvent } from '../../src/model/account-events.ts';
import { Bar, Quote, Ticker, Trade } from '../../src/model/market-events.ts';
import { applyAccount, applyMarket } from '../../src/state/apply.ts';
import type { State } from '../../src/state/state.ts';
import { BTC, filled, open, state, submitted } from './builders.ts';

const id = { time: 0, clientOrderId: 'c1' };
const accepted: AccountEvent = { kind: 'orderAccepted', ...id, orderId: '1', held: false };
const canceled: AccountEvent = { kind: 'orderCanceled', ...id, reason: 'requested' };
const cancelSubmitted: AccountEvent = { kind: 'cancelSubmitted', ...id };
const cancelRejected: AccountEvent = { kind: 'cancelRejected', ...id };
const expired: AccountEvent = { kind: 'orderExpired', ...id, reason: 'ioc' };
const rejected: AccountEvent = { kind: 'orderRejected', ...id, reason: { code: 'duplicateClientOrderId', clientOrderId: 'c1' } };
const triggered: AccountEvent = { kind: 'orderTriggered', ...id, priceTicks: 5 };
const denied: AccountEvent = {
  kind: 'orderDenied',
  ...id,
  strategyId: 's',
  symbol: 'BTC-USDT',
  tag: '',
  reason: { code: 'noMarketPrice', symbol: 'BTC-USDT' },
};
const unknown: AccountEvent = { kind: 'orderUnknown', ...id };
const part = filled({}, 4, 100);
const whole = filled({}, 10, 100, true);

function after(...events: AccountEvent[]): State {
  const target = state();
  for (const event of events) applyAccount(target, event);
  return target;
}

test.each<[string, AccountEvent[], string, number]>([
  ['an accepted order', [submitted(), accepted], 'accepted', 0],
  ['a partly filled order', [submitted(), accepted, part], 'partiallyFilled', 4],
  ['a filled order', [submitted(), accepted, part, filled({}, 6, 101, true)], 'filled', 10],
  ['an order on its way to be canceled', [submitted(), accepted, cancelSubmitted], 'cancelPending', 0],
  ['a fill on the way to be canceled', [submitted(), accepted, cancelSubmitted, part], 'cancelPending', 4],
  ['a fill after a cancel', [submitted(), accepted, canceled, part], 'canceled', 4],
  ['a completing fill after a cancel', [submitted(), accepted, canceled, whole], 'filled', 10],
  ['a fill after an expiry', [submitted(), accepted, expired, part], 'expired', 4],
  ['a cancel that came too late', [submitted(), accepted, cancelSubmitted, whole, cancelRejected], 'filled', 10],
  ['a cancel that overtook its order', [submitted(), cancelSubmitted, cancelRejected, accepted], 'accepted', 0],
  ['an unknown order that turns out filled', [submitted(), unknown, whole], 'filled', 10],
  ['an order found after its cancel was lost', [submitted(), accepted, cancelSubmitted, unknown, accepted], 'cancelPending', 0],
  ['a fill found after its cancel was lost', [submitted(), accepted, cancelSubmitted, unknown, part], 'cancelPending', 4],
  ['a lost cancel that came too late', [submitted(), accepted, cancelSubmitted, unknown, cancelRejected, accepted], 'accepted', 0],
  ['an order lost sight of and found filled in part', [submitted(), accepted, part, unknown, accepted], 'partiallyFilled', 4],
  ['a fill known before the acceptance', [submitted(), unknown, part, accepted], 'partiallyFilled', 4],
  ['an acceptance known after the last fill', [submitted(), unknown, whole, accepted], 'filled', 10],
  ['an unknown order whose cancel is asked for', [submitted(), unknown, cancelSubmitted, accepted], 'cancelPending', 0],
  ['a fired order whose cancel is refused', [submitted(), accepted, triggered, cancelSubmitted, cancelRejected], 'triggered', 0],
  ['a held order that goes out', [submitted(), { ...accepted, held: true }, triggered, submitted({}, true), accepted], 'triggered', 0],
  ['a held order that risk denies', [submitted(), { ...accepted, held: true }, triggered, denied], 'denied', 0],
  ['an order that was refused and is there', [submitted(), rejected, accepted], 'accepted', 0],
  ['one that fills', [submitted(), rejected, part], 'partiallyFilled', 4],
  ['one that fills whole', [submitted(), rejected, accepted, whole], 'filled', 10],
])('%s', (_, events, status, filledSteps) => {
  expect(after(...events).order('c1')).toMatchObject({ status, filledSteps });
});

test.each<[string, AccountEvent[], string]>([
  ['an acceptance of nothing', [accepted], 'orderAccepted names a known order, not c1'],
  ['a fill of nothing', [whole], 'orderFilled names a known order, not c1'],
  ['a fill of a filled order', [submitted(), whole, part], 'order c1 (filled) cannot take orderFilled'],
  ['a second refusal', [submitted(), rejected, rejected], 'order c1 (rejected) cannot take orderRejected'],
  ['a cancel of a canceled order', [submitted(), canceled, canceled], 'order c1 (canceled) cannot take orderCanceled'],
  ['an expiry after the fill', [submitted(), whole, expired], 'order c1 (filled) cannot take orderExpired'],
  ['a trigger of an order not accepted', [submitted(), triggered], 'order c1 (submitted) cannot take orderTriggered'],
  ['a second submission under one id', [submitted(), submitted()], 'a client order id is used once, not again (c1)'],
  ['a second submission of an ended order', [submitted(), canceled, submitted()], 'a client order id is used once, not again (c1)'],
  ['a new shape of an ended order', [submitted(), canceled, submitted({}, true)], 'order c1 (canceled) cannot take orderSubmitted'],
])('%s is a broken invariant', (_, events, rule) => {
  expect(() => after(...events)).toThrow(`broken invariant: ${rule}`);
});

test('a fill after a cancel moves the position all the same', () => {
  const target = after(submitted(), accepted, canceled, part);
  expect(target.position(BTC, 'net').steps).toBe(4);
  expect(target.books.get('s')!.position(BTC, 'net').steps).toBe(4);
  expect(target.books.get('t')!.position(BTC, 'net').steps).toBe(0);
});

test('a denial of something that never became an order changes nothing', () => {
  const target = after({ ...denied, clientOrderId: '' });
  expect([target.openOrders.size, target.endedOrders.size]).toEqual([0, 0]);
});

test('an order is at hand after its end, and no more among the open ones', () => {
  const target = after(submitted(), accepted, canceled);
  expect(target.openOrders.size).toBe(0);
  expect(target.order('c1')?.status).toBe('canceled');
});

test('a thousand ended orders stay at hand, the oldest go first', () => {
  const target = state();
  for (let n = 0; n <= 2500; n++) {
    open(target, { clientOrderId: `n${n}` });
    applyAccount(target, { ...canceled, clientOrderId: `n${n}` });
  }
  expect(target.order('n1500')).toBeUndefined();
  expect(target.order('n1501')?.status).toBe('canceled');
  expect(target.order('n2500')?.status).toBe('canceled');
});

test('quantities of an order follow its fills', () => {
  const order = after(submitted(), accepted, part).order('c1')!;
  expect(order).toMatchObject({ quantity: 10, filledQuantity: 4, remainingQuantity: 6 });
  expect(order.filledNotional.toFixed()).toBe('400');
});

test('marks are the last, the close, the trade or the middle of the quote', () => {
  const target = state();
  const market = target.markets[0]!;
  expect(market.mark).toBeNaN();
  applyMarket(target, new Ticker(BTC, 1, 1, 100));
  expect(market.mark).toBe(100);
  applyMarket(target, new Quote(BTC, 2, 2, 101, 104, 1, 1));
  expect(market.mark).toBe(102.5);
  applyMarket(target, new Trade(BTC, 3, 3, 99, 1, 'buy'));
  expect(market.mark).toBe(99);
  applyMarket(target, new Bar(BTC, 60_000, 4, 60_000, 1, 2, 1, 98, 5));
  expect(market.mark).toBe(98);
  expect(target).toMatchObject({ time: 60_000, sequence: 4 });
});

test('a bar built from earlier prices does not change a newer mark', () => {
  const target = state();
  applyMarket(target, new Trade(BTC, 59_000, 1, 100, 1, 'buy'));
  applyMarket(target, new Quote(BTC, 60_500, 2, 109, 111, 1, 1));
  const built = new Bar(BTC, 60_000, 1, 60_000, 100, 100, 100, 100, 1);
  applyMarket(target, built);
  expect(target.markets[0]).toMatchObject({ mark: 110, sequence: 2, bar: built });
  expect(target.time).toBe(60_500);
});

test('a latch is latched and timers change nothing', () => {
  const target = after(
    { kind: 'timerFired', time: 7, strategyId: 's', name: 'x' },
    { kind: 'riskLatched', time: 8, rule: 'maxDrawdown', drawdown: 0.3, limit: 0.2 },
  );
  expect(target).toMatchObject({ drawdownLatched: true, time: 8 });
});

test('a held order that was resized while the exchange showed that a lost run had sent and filled it stays filled', () => {
  const target = after(
    submitted(),
    { kind: 'orderAccepted', time: 1, clientOrderId: 'c1', orderId: '7', held: false },
    filled({}, 10, 100, true),
  );
  applyAccount(target, submitted({ steps: 20 }, true));
  expect(target.order('c1')).toMatchObject({ status: 'filled', request: { steps: 10 } });
});

test('an exit that the engine held is at the venue once it was sent again, whatever became of that request', () => {
  const target = after(submitted(), { ...accepted, orderId: '', held: true }, submitted({}, true));
  expect(target.order('c1')).toMatchObject({ status: 'accepted', held: true });
  applyAccount(target, unknown);
  expect(target.order('c1')).toMatchObject({ status: 'unknown', held: false });
});
