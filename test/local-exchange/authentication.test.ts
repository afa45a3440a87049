import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Local, type RawRequest, startLocal } from './local.ts';

let local: Local;
beforeAll(async () => {
  local = await startLocal({
    accounts: [
      { name: 'guest', balances: { spot: { USDT: '7' } } },
      { name: 'frozen', frozen: true },
    ],
  });
  local.price('BTC-USDT', '100');
});
afterAll(() => local.close());

const ASSETS: RawRequest = { target: '/api/v2/account/assets', as: 'guest' };
const FILLS: RawRequest = { target: '/api/v2/trade/fills', body: { symbol: 'BTCUSDT_SPBL' }, as: 'guest' };

test('a signed request is answered in its envelope', async () => {
  const { status, json } = await local.send(ASSETS);
  expect(status).toBe(200);
  expect(json).toEqual({
    code: '00000',
    msg: 'success',
    requestTime: local.exchange.now(),
    data: [{ coinId: 2, coinName: 'USDT', available: '7', frozen: '0', equity: '7' }],
  });
});

const refusals: readonly [string, Partial<RawRequest>, string, number][] = [
  ['without a key', { headers: { 'ACCESS-KEY': undefined } }, '40001', 400],
  ['without a signature', { headers: { 'ACCESS-SIGN': undefined } }, '40002', 400],
  ['without a timestamp', { headers: { 'ACCESS-TIMESTAMP': undefined } }, '40003', 400],
  ['without a passphrase', { headers: { 'ACCESS-PASSPHRASE': undefined } }, '40011', 400],
  ['with a timestamp in seconds', { headers: { 'ACCESS-TIMESTAMP': '1700006400' } }, '40005', 400],
  ['with a timestamp that is none', { headers: { 'ACCESS-TIMESTAMP': '17000064000x0' } }, '40005', 400],
  ['with a key that nobody has', { headers: { 'ACCESS-KEY': 'nobody' } }, '40006', 401],
  ['with another passphrase', { headers: { 'ACCESS-PASSPHRASE': 'wrong' } }, '40012', 401],
  ['with another signature', { headers: { 'ACCESS-SIGN': 'AAAA' } }, '40009', 401],
  ['signed for another target', { signedTarget: '/api/v2/account/transferRecords' }, '40009', 401],
  ['of a frozen account', { as: 'frozen' }, '40013', 400],
];

test.each(refusals)('a request %s is refused', async (_name, change, code, status) => {
  const reply = await local.send({ ...ASSETS, ...change });
  expect(reply.json).toEqual({ code, msg: expect.any(String), requestTime: local.exchange.now(), data: null });
  expect(reply.status).toBe(status);
});

test('a POST needs the content type of JSON, a GET none', async () => {
  expect((await local.send({ ...FILLS, headers: { 'Content-Type': 'text/plain' } })).json.code).toBe('40007');
  expect((await local.send({ ...FILLS, headers: { 'Content-Type': 'application/json; charset=utf-8' } })).json.code).toBe('00000');
  expect((await local.send({ ...ASSETS, headers: { 'Content-Type': undefined } })).json.code).toBe('00000');
});

test.each([
  ['30 s old', -30_000, '00000'],
  ['30 s ahead', 30_000, '00000'],
  ['older than 30 s', -30_001, '40008'],
  ['more than 30 s ahead', 30_001, '40008'],
])('a timestamp %s', async (_name, by, code) => {
  expect((await local.send({ ...ASSETS, timestamp: local.exchange.now() + by })).json.code).toBe(code);
});

test('the signature is of the bytes that were sent: another body is refused, odd spacing is not', async () => {
  const body = '{ "symbol" :\t"BTCUSDT_SPBL" }';
  expect((await local.send({ ...FILLS, body })).json.code).toBe('00000');
  const stolen = await local.send({ ...FILLS, headers: { 'ACCESS-SIGN': 'x' } });
  expect(stolen.json.code).toBe('40009');
});

test('a query may be signed percent-encoded or decoded', async () => {
  const target = '/api/v2/account/transferRecords?fromType=A%20B&limit=5';
  expect((await local.send({ target, as: 'guest' })).json.code).toBe('00000');
  const decoded = decodeURIComponent(target);
  expect((await local.send({ target, signedTarget: decoded, as: 'guest' })).json.code).toBe('00000');
});

test('header names may be in any case, and locale is not required', async () => {
  const { key } = local.account('guest');
  expect((await local.send({ ...ASSETS, headers: { 'ACCESS-KEY': undefined, 'access-key': key } })).json.code).toBe('00000');
});

describe('public operations', () => {
  test('need no headers, and ignore those they get', async () => {
    const target = '/api/v2/market/ticker?symbol=BTCUSDT_SPBL';
    expect((await local.send({ target })).json.code).toBe('00000');
    expect((await local.send({ target, headers: { 'ACCESS-KEY': 'nobody' } })).json.code).toBe('00000');
  });
});
