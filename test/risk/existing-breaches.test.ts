import { expect, test } from '@jest/globals';
import { Decimal } from '../../src/model/decimal.ts';
import { breachText, existingBreaches } from '../../src/risk/existing-breaches.ts';
import type { RiskLimits } from '../../src/risk/limits.ts';
import { applyAccount } from '../../src/state/apply.ts';
import type { State } from '../../src/state/state.ts';
import { balance, filled, instrument, open, price, state, submitted } from '../state/builders.ts';

const BTC = instrument(0);

/** 10 are held, a stop of them waits at the engine at 90, a bid of 5 at 80 rests at the venue, and a buy stop of 6 waits at 120. */
function standing(of = BTC): State {
  const target = state('netting', [of]);
  balance(target, 'USDT', '100000');
  price(target, 100, of);
  const shared = { instrument: of } as const;
  applyAccount(target, submitted({ ...shared, clientOrderId: 'in' }));
  applyAccount(target, filled({ ...shared, clientOrderId: 'in', steps: 10 }, 10, 100, true));
  const stop = { ...shared, clientOrderId: 'stop', side: 'sell', reduceOnly: true } as const;
  applyAccount(target, { ...submitted(stop), type: 'stop', stopTicks: 90 } as Parameters<typeof applyAccount>[1]);
  applyAccount(target, { kind: 'orderAccepted', time: 0, clientOrderId: 'stop', orderId: '', held: true });
  open(target, { ...shared, clientOrderId: 'bid', priceTicks: 80, steps: 5 });
  applyAccount(target, { ...submitted({ ...shared, clientOrderId: 'entry', steps: 6 }), type: 'stop', stopTicks: 120 } as Parameters<
    typeof applyAccount
  >[1]);
  applyAccount(target, { kind: 'orderAccepted', time: 0, clientOrderId: 'entry', orderId: '', held: true });
  return target;
}

const texts = (limits: Partial<RiskLimits>, target = standing()) =>
  existingBreaches(target, { maxPosition: new Map(), ...limits }).map(breachText);

test('positions and orders within the limits are not listed', () => {
  expect(texts({})).toEqual([]);
  expect(texts({ maxNotional: new Decimal(1000), maxQuantity: new Decimal(10) })).toEqual([]);
});

test('a limit on the size of one order: closes are sent in several, opening orders are refused', () => {
  expect(texts({ maxNotional: new Decimal(400) })).toEqual([
    'BTC-USDT, s: position of 10: a close of it is sent as 3 orders, one after the other',
    'BTC-USDT, s: sell 10 stop at 90 (stop): it is sent as 3 orders, one after the other',
    'BTC-USDT, s: buy 6 stop at 120 (entry): notionalAboveMaximum (notional 720, maximum 400): it is refused when its price is reached',
  ]);
});

test("a strategy's own limit, and one on positions", () => {
  const own = { maxPosition: new Map(), maxQuantity: new Decimal(5) };
  expect(texts({ strategies: new Map([['s', own]]) })).toEqual([
    'BTC-USDT, s: position of 10: a close of it is sent as 2 orders, one after the other',
    'BTC-USDT, s: sell 10 stop at 90 (stop): it is sent as 2 orders, one after the other',
    'BTC-USDT, s: buy 6 stop at 120 (entry): quantityAboveMaximum (quantity 6, maximum 5, strategy s): it is refused when its price is reached',
  ]);
  expect(texts({ maxPosition: new Map([['BTC-USDT', new Decimal(20)]]) })).toEqual([
    'BTC-USDT, s: buy 5 limit at 80 (bid): positionAboveLimit (position 21, limit 20): it stays at the exchange; sent again, it would be refused',
    'BTC-USDT, s: buy 6 stop at 120 (entry): positionAboveLimit (position 21, limit 20): it is refused when its price is reached',
  ]);
});

test('a position that is below the minimum of one order', () => {
  const target = standing(instrument(0, { minQuantity: '11' }));
  expect(texts({}, target)[0]).toBe('BTC-USDT, s: position of 10: quantityBelowMinimum (quantity 10, minimum 11): no order can close it');
});
