import { afterEach, describe, expect, test } from '@jest/globals';
import type { LimitSettings } from '../../src/local-exchange/http/request-limits.ts';
import { type Local, PERP, type RawRequest, startLocal, trigger } from './local.ts';

let local: Local;
afterEach(() => local.close());
const start = async (limits: Partial<LimitSettings>) => {
  local = await startLocal({ limits: { ipWeight: 0, uidWeight: 0, actionsPerSecond: 0, ...limits } });
  local.price('BTC-USDT', '100');
  local.price('BTC-USDT-PERP', '100');
};

const TICKERS: RawRequest = { target: '/api/v2/market/tickers' };
const assets = (as: string): RawRequest => ({ target: '/api/v2/account/assets', as });
const cancel = (as: string): RawRequest => ({ target: '/api/v2/trade/cancel-order', body: { symbol: 'BTCUSDT_SPBL', orderId: '5' }, as });
const place = (): RawRequest => ({ host: 'futures', target: '/capi/v2/order/plan_order', body: trigger(), as: 'guest' });
const codes = async (...requests: RawRequest[]) => {
  const found: unknown[] = [];
  for (const request of requests) found.push((await local.send(request)).status);
  return found;
};

test('weight is counted per IP over any window, and free again when the window has passed', async () => {
  await start({ ipWeight: 45, windowMs: 10_000 });
  // 20 at the start, 20 at 5 s: 5 are left until 10 s, then 25 until 15 s.
  expect(await codes(TICKERS)).toEqual([200]);
  local.step(5_000);
  expect(await codes(TICKERS, TICKERS, assets('guest'), assets('guest'))).toEqual([200, 429, 200, 429]);
  local.step(4_999);
  expect(await codes(TICKERS)).toEqual([429]);
  local.step(1);
  expect(await codes(TICKERS, TICKERS)).toEqual([200, 429]);
});

test('a refusal of the spot host for lack of weight is the recorded one, of the futures host the standard one', async () => {
  await start({ ipWeight: 1 });
  const spot = await local.send(TICKERS);
  expect([spot.status, spot.text]).toEqual([429, '{"code":"429","data":{},"msg":"Rate limit exceeded."}']);
  const futures = await local.send({ host: 'futures', target: `/capi/v2/account/position/singlePosition?symbol=${PERP}`, as: 'guest' });
  expect(futures.json).toMatchObject({ code: '429', data: null, requestTime: local.exchange.now() });
});

test("weight is counted per account apart from the IP, and one account does not spend another's", async () => {
  await start({ uidWeight: 10 });
  expect(await codes(assets('guest'), assets('guest'), assets('guest'), assets('stranger'))).toEqual([200, 200, 429, 200]);
  // Public operations cost no account anything.
  expect(await codes(TICKERS)).toEqual([200]);
});

test('a request of a bad signature costs its IP, and no account', async () => {
  await start({ ipWeight: 10, uidWeight: 5 });
  const forged = { ...assets('guest'), headers: { 'ACCESS-SIGN': 'x' } };
  expect(await codes(forged, assets('guest'), assets('guest'))).toEqual([401, 200, 429]);
});

test('ten requests a second may place or cancel', async () => {
  await start({ actionsPerSecond: 10 });
  const eleven = Array.from({ length: 11 }, () => cancel('guest'));
  expect(await codes(...eleven)).toEqual([...Array(10).fill(200), 429]);
  expect(await codes(cancel('stranger'), assets('guest'))).toEqual([200, 200]);
  local.step(1_000);
  expect(await codes(cancel('guest'))).toEqual([200]);
});

describe('futures orders', () => {
  test('obey the rate of operation 16', async () => {
    await start({ ordersPerMinute: 2 });
    expect(await codes(place(), place(), place())).toEqual([200, 200, 429]);
    local.step(60_000);
    expect(await codes(place())).toEqual([200]);
    const { account } = await local.client().futuresAccount({ coinId: '2' });
    expect(account.create_order_rate_limit_per_minute).toBe(2);
  });

  test('obey the delay of operation 16', async () => {
    await start({ orderDelayMs: 500 });
    expect(await codes(place(), place())).toEqual([200, 429]);
    local.step(499);
    expect(await codes(place())).toEqual([429]);
    local.step(1);
    expect(await codes(place())).toEqual([200]);
    const { account } = await local.client().futuresAccount({ coinId: '2' });
    expect(account.create_order_delay_milliseconds).toBe(500);
  });
});
