import { expect, test } from '@jest/globals';
import { ErrorGuard } from '../../../src/engine/guards/risk-guards.ts';
import type { Breach, RiskLatches } from '../../../src/engine/guards/risk-latches.ts';
import type { AccountEvent } from '../../../src/model/account-events.ts';

/** What the guard latches over these events of orders of `s`. */
function latched(events: readonly AccountEvent[], strategyId?: string, forMs?: number): Breach[] {
  const breaches: Breach[] = [];
  const desk: Pick<RiskLatches, 'latch'> = { latch: (breach) => breaches.push(breach) };
  const guard = new ErrorGuard({ errors: 2, perMs: 100, forMs }, desk, strategyId);
  for (const event of events) guard.onEvent(event, 's');
  return breaches;
}

const unknown = (time: number): AccountEvent => ({ kind: 'orderUnknown', time, clientOrderId: 'a' });
const refused = (time: number): AccountEvent => ({
  kind: 'orderRejected',
  time,
  clientOrderId: 'a',
  reason: { code: 'venueRefused', venueCode: '40010', message: 'no' },
});
const taking = (time: number): AccountEvent => ({
  kind: 'orderRejected',
  time,
  clientOrderId: 'a',
  reason: { code: 'postOnlyWouldTake', price: '1', market: '1' },
});
const late = (time: number): AccountEvent => ({
  kind: 'orderRejected',
  time,
  clientOrderId: 'a',
  reason: { code: 'waitedTooLong', waitedMs: '5000', limitMs: '5000' },
});
const offGrid = (time: number): AccountEvent => ({
  kind: 'orderRejected',
  time,
  clientOrderId: 'a',
  reason: { code: 'gridChanged', venueCode: '40015', message: 'no' },
});
const stale = (time: number): AccountEvent => {
  return { kind: 'healthChanged', time, subject: 'market', symbol: '', condition: 'stale', reason: '' };
};

test.each<[string, readonly AccountEvent[], string | undefined, number]>([
  ['a refusal and an unknown outcome', [refused(0), unknown(99)], undefined, 1],
  ['two that are a window apart', [refused(0), unknown(100)], undefined, 0],
  ['one alone', [refused(0)], undefined, 0],
  ['post-only orders that would have taken', [taking(0), taking(1), taking(2)], undefined, 0],
  ['orders that waited too long to be sent', [late(0), late(1), late(2)], undefined, 0],
  ['orders on a grid that the exchange has changed', [offGrid(0), offGrid(1), offGrid(2)], undefined, 0],
  ['stale data, of the account', [stale(0), stale(1)], undefined, 1],
  ['stale data, which is no fault of a strategy', [stale(0), stale(1)], 's', 0],
  ['orders of the strategy itself', [refused(0), refused(1)], 's', 1],
  ['orders of another strategy', [refused(0), refused(1)], 't', 0],
  ['after it has latched, counted anew', [refused(0), refused(1), refused(2)], undefined, 1],
])('%s', (_, events, strategyId, times) => {
  expect(latched(events, strategyId)).toHaveLength(times);
});

test('the latch has its numbers, and an end where the budget gives one', () => {
  expect(latched([refused(5), refused(7)], 's', 1000)).toEqual([
    { rule: 'venueErrors', strategyId: 's', drawdown: 0, limit: 2, count: 2, until: 1007 },
  ]);
});
