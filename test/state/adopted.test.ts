import { expect, test } from '@jest/globals';
import type { OrderAdopted } from '../../src/model/account-events.ts';
import { Decimal } from '../../src/model/decimal.ts';
import { applyAccount } from '../../src/state/apply.ts';
import { BTC, filled, request, state } from './builders.ts';

const adopted = (side: 'buy' | 'sell', filledSteps: number): OrderAdopted => ({
  kind: 'orderAdopted',
  time: 0,
  clientOrderId: 'c1',
  orderId: '7',
  request: request({ side, priceTicks: 100 }),
  filledSteps,
  filledNotional: new Decimal(100 * filledSteps),
  fillIds: [],
});

test.each([
  [0, 'accepted'],
  [4, 'partiallyFilled'],
])('an adopted order with %i filled steps is %s, and its earlier fills are no position', (steps, status) => {
  const after = state('spot');
  applyAccount(after, adopted('buy', steps));
  expect(after.openOrders.get('c1')).toMatchObject({ status, orderId: '7', adopted: true, filledSteps: steps, remainingSteps: 10 - steps });
  expect(after.books.get('s')!.position(BTC, 'net').steps).toBe(0);
  applyAccount(after, filled({}, 10 - steps, 90, true));
  expect(after.order('c1')).toMatchObject({ status: 'filled', filledSteps: 10 });
  expect(after.order('c1')!.filledNotional.toFixed()).toBe(String(100 * steps + 90 * (10 - steps)));
  expect(after.books.get('s')!.position(BTC, 'net')).toMatchObject({ steps: 10 - steps });
});

test("sells of an adopted order close the strategy's position, at its part of the money", () => {
  const after = state('spot');
  applyAccount(after, {
    kind: 'orderSubmitted',
    time: 0,
    clientOrderId: 'own',
    request: request({ clientOrderId: 'own', steps: 3 }),
    type: 'market',
    stopTicks: undefined,
    again: false,
  });
  applyAccount(after, filled({ clientOrderId: 'own' }, 3, 100, true));
  applyAccount(after, adopted('sell', 0));
  applyAccount(after, filled({ side: 'sell' }, 10, 110, true));
  const position = after.books.get('s')!.position(BTC, 'net');
  expect(position).toMatchObject({ steps: 0 });
  // Three of the ten: 3 x (110 - 100).
  expect(position.realizedProfit.toFixed()).toBe('30');
  expect(after.position(BTC, 'net').steps).toBe(0);
});

test('an order is adopted once', () => {
  const after = state('spot');
  applyAccount(after, adopted('buy', 0));
  expect(() => applyAccount(after, adopted('buy', 0))).toThrow('an order is adopted once, not again (c1)');
});
