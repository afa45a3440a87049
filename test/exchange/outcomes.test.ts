import { describe, expect, test } from '@jest/globals';
import { retryAfter } from '../../src/exchange/client/transport.ts';
import {
  type Cause,
  causeOfReply,
  EXCHANGE_CODES,
  ExchangeError,
  OUTCOME_TABLE,
  type Outcome,
  type Scope,
} from '../../src/exchange/errors.ts';

/** Of the design, section 6: what follows for a read, for one order (or cancel, or transfer), and for a batch of several. */
const DESIGN: Readonly<Record<Cause, readonly [Outcome, Outcome, Outcome]>> = {
  invalid: ['none', 'none', 'none'],
  overBudget: ['none', 'none', 'none'],
  unconnected: ['none', 'none', 'none'],
  broken: ['none', 'unknown', 'unknown'],
  timedOut: ['none', 'unknown', 'unknown'],
  unreadable: ['none', 'unknown', 'unknown'],
  otherShape: ['none', 'unknown', 'unknown'],
  oversized: ['none', 'unknown', 'unknown'],
  redirected: ['none', 'unknown', 'unknown'],
  status5xx: ['none', 'unknown', 'unknown'],
  limit: ['rejected', 'rejected', 'rejected'],
  expired: ['rejected', 'rejected', 'rejected'],
  header: ['rejected', 'rejected', 'rejected'],
  parameter: ['rejected', 'rejected', 'rejected'],
  permission: ['rejected', 'rejected', 'unknown'],
  barred: ['rejected', 'rejected', 'unknown'],
  business: ['rejected', 'rejected', 'unknown'],
  repeatedId: ['rejected', 'unknown', 'unknown'],
  server: ['none', 'unknown', 'unknown'],
  unlisted: ['rejected', 'unknown', 'unknown'],
};
const SCOPES: readonly Scope[] = ['read', 'one', 'several'];

test.each(OUTCOME_TABLE)('$cause has the outcome of the design', (row) => {
  expect(SCOPES.map((scope) => row[scope])).toEqual(DESIGN[row.cause]);
});

test('the table has a row for every cause, once', () => {
  expect(OUTCOME_TABLE.map(({ cause }) => cause).sort()).toEqual(Object.keys(DESIGN).sort());
});

test('only errors that need a change of keys, config or request are final', () => {
  const lasting = OUTCOME_TABLE.filter(({ passing }) => !passing).map(({ cause }) => cause);
  expect(lasting).toEqual(['invalid', 'header', 'parameter', 'permission', 'business', 'repeatedId']);
});

test.each(OUTCOME_TABLE.flatMap(({ cause }) => SCOPES.map((scope) => ({ cause, scope }))))(
  'an error of $cause in scope $scope is retryable only where nothing can have been done',
  ({ cause, scope }) => {
    const error = new ExchangeError({ operation: 'batchOrders', cause, scope, message: 'x' });
    expect(error.outcome).toBe(DESIGN[cause][SCOPES.indexOf(scope)]);
    if (error.outcome === 'unknown') expect(error.retryable).toBe(false);
  },
);

describe('the cause of a reply', () => {
  test.each<[string, number, string | undefined, string, Cause | undefined]>([
    ['a good one', 200, undefined, '', undefined],
    ['429 without a body', 429, undefined, '', 'limit'],
    ['429 as recorded', 429, '429', 'Rate limit exceeded.', 'limit'],
    ['a limit in a good status', 200, '429', '', 'limit'],
    ['a redirect', 302, undefined, '', 'redirected'],
    ['a redirect, whatever its body says', 301, '40009', '', 'redirected'],
    ['the last of the redirects', 399, undefined, '', 'redirected'],
    ['a gateway', 502, undefined, '', 'status5xx'],
    ['a 5xx, whatever its code', 500, '40019', '', 'status5xx'],
    ['521 without a code, which gateways use too', 521, undefined, '', 'status5xx'],
    ['521 with its code', 521, '40018', '', 'barred'],
    ['a frozen account', 400, '40013', '', 'barred'],
    ['a 404 of something else', 404, undefined, '', 'unreadable'],
    ['an old timestamp', 400, '40008', '', 'expired'],
    ['a bad signature', 401, '40009', '', 'header'],
    ['no permission', 403, '40014', '', 'permission'],
    ['a system error', 400, '40015', 'system busy', 'server'],
    ['a system error that says why', 400, '40015', 'INVALID_ARGUMENT: size', 'business'],
    ['a system error that says why (margin)', 400, '40015', 'FAILED_PRECONDITION: margin not enough', 'business'],
    ['a repeated id', 400, '43002', 'duplicate client order id', 'repeatedId'],
    ['a repeated id behind a system error', 400, '40015', 'INVALID_ARGUMENT: clientOrderId already exists', 'repeatedId'],
    ['no such order', 400, '43001', '', 'business'],
    ['an upgrade', 400, '40200', '', 'server'],
    ['a code that nobody lists', 400, '49999', '', 'unlisted'],
    ['a refusal in a good status', 200, '43006', '', 'business'],
  ])('%s', (_, status, code, message, cause) => {
    expect(causeOfReply({ status, code, message })).toBe(cause);
  });

  test('every documented code has one', () => {
    for (const [code, { status, category }] of Object.entries(EXCHANGE_CODES)) {
      const cause = causeOfReply({ status: status === 500 ? 400 : status, code, message: '' });
      expect(cause).toBe(code === '40008' || code === '40005' ? 'expired' : category);
    }
  });
});

const DATE = 'Fri, 20 Nov 2026 12:00:00 GMT';

test.each([
  ['seconds', '7', undefined, 7_000],
  ['more than an hour', '7200', undefined, 3_600_000],
  ['a date after that of the reply', 'Fri, 20 Nov 2026 12:00:45 GMT', DATE, 45_000],
  ['a date far off', 'Sun, 20 Dec 2026 12:00:00 GMT', DATE, 3_600_000],
  ['a date gone by', 'Fri, 20 Nov 2026 11:59:59 GMT', DATE, undefined],
  ['a date in a reply without one', 'Fri, 20 Nov 2026 12:00:45 GMT', undefined, undefined],
  ['no time at all', '0', DATE, undefined],
  ['something else', 'soon', DATE, undefined],
  ['nothing', undefined, DATE, undefined],
])('a Retry-After of %s', (_, asked, date, ms) => {
  expect(retryAfter({ 'retry-after': asked, date })).toBe(ms);
});
