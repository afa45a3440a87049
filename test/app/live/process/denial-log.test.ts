import { expect, test } from '@jest/globals';
import { DenialLog } from '../../../../src/app/live/process/order-lines.ts';
import type { AccountEvent, OrderDenied } from '../../../../src/model/account-events.ts';
import { submitted } from '../../../state/builders.ts';

const lines: unknown[] = [];
const log = { debug() {}, info() {}, warn: (msg: string, fields: object = {}) => lines.push({ msg, ...fields }) };

function told(...events: AccountEvent[]): unknown[] {
  lines.length = 0;
  const denials = new DenialLog(log);
  for (const event of events) denials.onEvent(event);
  denials.close();
  return [...lines];
}

/** Denied `seconds` after the epoch. */
const denied = (seconds: number, over: Partial<OrderDenied> = {}): OrderDenied => ({
  kind: 'orderDenied',
  time: seconds * 1000,
  clientOrderId: '',
  strategyId: 's',
  symbol: 'BTC-USDT',
  side: 'buy',
  tag: '',
  reason: { code: 'orderRateAboveLimit', orders: String(seconds), limit: '1', windowMs: '9' },
  ...over,
});
const first = (seconds: number) => ({ msg: 'orderDenied', strategyId: 's', side: 'buy', orders: String(seconds) });
const again = (count: number, from: string, to: string, orders: string) => ({
  msg: 'orderDenied again',
  strategyId: 's',
  symbol: 'BTC-USDT',
  side: 'buy',
  code: 'orderRateAboveLimit',
  orders,
  count,
  first: `1970-01-01T00:${from}Z`,
  last: `1970-01-01T00:${to}Z`,
});

test('one refusal is one line', () => {
  expect(told(denied(1))).toMatchObject([first(1)]);
});

test('the same refusal in a row is counted: one line with first, last and the newest numbers when something is sent', () => {
  expect(told(denied(1), denied(2), denied(3), submitted(), denied(4))).toMatchObject([
    first(1),
    again(3, '00:01', '00:03', '3'),
    first(4),
  ]);
});

test('another code ends the row; other sides, symbols and strategies are rows of their own', () => {
  const other = denied(3, { reason: { code: 'noMarketPrice', symbol: 'BTC-USDT' } });
  expect(told(denied(1), denied(2), other)).toMatchObject([first(1), again(2, '00:01', '00:02', '2'), { code: 'noMarketPrice' }]);
  const apart = [denied(2, { side: 'sell' }), denied(2, { symbol: 'ETH-USDT' }), denied(2, { strategyId: 't' })];
  expect(told(denied(1), ...apart, denied(3))).toHaveLength(5);
});

test('a repeated refusal is logged once a minute', () => {
  const all = Array.from({ length: 121 }, (_, second) => denied(second));
  expect(told(...all)).toMatchObject([first(0), again(61, '00:00', '01:00', '60'), again(121, '00:00', '02:00', '120')]);
});
