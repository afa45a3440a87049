import { expect, test } from '@jest/globals';
import { differencesOf, TrackedOrder, TrackedOrders } from '../../../src/venues/reconcile/order-record.ts';
import { order } from '../../builders.ts';

const tracked = (clientOrderId: string, change: Partial<Pick<TrackedOrder, 'phase' | 'reportedSteps'>> = {}) =>
  Object.assign(new TrackedOrder(order({ clientOrderId, steps: 10 })), change);

test.each([
  [
    'filled more',
    { phase: 'open', reportedSteps: 7 },
    [['fill', 'filled while the bot was stopped', 'accepted, 5 filled', 'open, 7 filled']],
  ],
  [
    'filled whole',
    { phase: 'ended', reportedSteps: 10 },
    [['fill', 'filled while the bot was stopped', 'accepted, 5 filled', 'ended, 10 filled']],
  ],
  [
    'in doubt',
    { phase: 'unknown', reportedSteps: 5 },
    [['order', 'no reply was received, and the outcome is unknown', 'accepted, 5 filled', 'unknown, 5 filled']],
  ],
  ['over', { phase: 'ended', reportedSteps: 5 }, [['order', 'ended while the bot was stopped', 'accepted, 5 filled', 'ended, 5 filled']]],
  ['as it was', { phase: 'open', reportedSteps: 5 }, []],
] as const)('an order that the start finds %s is a difference, or none', (_, change, expected) => {
  const now = new TrackedOrders();
  now.add(tracked('a', change));
  const before = {
    request: order({ clientOrderId: 'a', steps: 10 }),
    orderId: '7',
    filledSteps: 5,
    triggered: false,
    cancelRequested: false,
  };
  const found = differencesOf([{ ...before, status: 'accepted' }], now);
  expect(found.map(({ what, cause, journal, exchange }) => [what, cause, journal, exchange])).toEqual(expected);
  // One that the journal has as over is no news.
  expect(differencesOf([{ ...before, status: 'canceled' }], now)).toEqual([]);
});
