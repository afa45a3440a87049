import { expect, test } from '@jest/globals';
import { retryAfter } from '../../src/exchange/client/transport.ts';

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
