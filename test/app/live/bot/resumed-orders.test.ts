import { expect, test } from '@jest/globals';
import { resumedHalf } from '../../../../src/app/live/bot/journal-history.ts';
import { applyAccount } from '../../../../src/state/apply.ts';
import { filled, open, request, state, submitted } from '../../../state/builders.ts';

test('the venue gets back the open orders, but for those that the engine holds', () => {
  const target = state();
  open(target, { clientOrderId: 'held' }, true);
  open(target, { priceTicks: 90 });
  applyAccount(target, { kind: 'cancelSubmitted', time: 1, clientOrderId: 'c1' });
  applyAccount(target, submitted({ clientOrderId: 'on its way' }));
  open(target, { clientOrderId: 'gone' });
  applyAccount(target, filled({ clientOrderId: 'gone' }, 10, 100, true));
  const { orders } = resumedHalf({ again: true, fillIds: new Map(), lastTime: 1 }, target, 'spot');
  const order = { filledSteps: 0, triggered: false, unknownSince: undefined };
  // Those that have ended come first: late fills of theirs may still come.
  expect(orders).toEqual([
    {
      ...order,
      request: request({ clientOrderId: 'gone' }),
      orderId: '1',
      filledSteps: 10,
      status: 'filled',
      cancelRequested: false,
    },
    { ...order, request: request({ priceTicks: 90 }), orderId: '1', status: 'cancelPending', cancelRequested: true },
    { ...order, request: request({ clientOrderId: 'on its way' }), orderId: '', status: 'submitted', cancelRequested: false },
  ]);
});
