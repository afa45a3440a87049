import { expect, test } from '@jest/globals';
import { resumedHalf } from '../../../../src/app/live/bot/journal-history.ts';
import type { HeldSnapshot } from '../../../../src/engine/held/held-memory.ts';
import { applyAccount } from '../../../../src/state/apply.ts';
import { filled, futures, open, PERP, request, state, submitted } from '../../../state/builders.ts';

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

test('the venue gets back an exit that the engine held, and was sending again when the process ended', () => {
  const instrument = PERP;
  const target = futures();
  for (const clientOrderId of ['sent', 'held'])
    open(target, { clientOrderId, instrument, side: 'sell', positionSide: 'long', reduceOnly: true }, true);
  const orders = (['sent', 'held'] as const).map((stage) => ({ stage, request: target.order(stage)!.request }));
  const held = { orders, links: [], plans: [], flattening: [] } as unknown as HeldSnapshot;
  const resumed = resumedHalf({ again: true, fillIds: new Map(), lastTime: 1, held }, target, 'futures');
  expect(resumed.orders.map(({ request: { clientOrderId }, status }) => [clientOrderId, status])).toEqual([['sent', 'submitted']]);
});

// Seed 700001381: the exit was refused by a gateway, and was at the exchange all the same.
test('the venue gets back an exit that was held, was sent and refused: a record of it may turn up', () => {
  const target = futures();
  open(target, { clientOrderId: 'exit', instrument: PERP, side: 'sell', positionSide: 'long', reduceOnly: true }, true);
  const reason = { code: 'requestInvalid', message: 'no' } as const;
  applyAccount(target, { kind: 'orderRejected', time: 1, clientOrderId: 'exit', reason });
  const { orders } = resumedHalf({ again: true, fillIds: new Map(), lastTime: 1 }, target, 'futures');
  expect(orders.map(({ request: { clientOrderId }, status }) => [clientOrderId, status])).toEqual([['exit', 'rejected']]);
});
