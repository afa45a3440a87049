import { expect, test } from '@jest/globals';
import { type Cause, ExchangeError, type Scope } from '../../../../src/exchange/errors.ts';
import { rejectionOf } from '../../../../src/venues/rest/send-lane.ts';

test.each<[Cause, Scope, string]>([
  ['limit', 'several', 'venueLimited'],
  ['expired', 'one', 'venueLimited'],
  ['parameter', 'one', 'venueRefused'],
  ['business', 'one', 'venueRefused'],
  ['overBudget', 'one', 'neverSent'],
  ['unconnected', 'several', 'neverSent'],
  ['invalid', 'one', 'requestInvalid'],
])('a request that failed by %s (%s) is told as %s: what may fare better later has another code', (cause, scope, code) => {
  const failure = new ExchangeError({ operation: 'batchOrders', cause, scope, message: 'no' });
  expect(rejectionOf(failure).code).toBe(code);
});
