import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { weex as Weex } from 'ccxt';
import type { AccountListing } from '../../src/local-exchange/core/exchange-account.ts';
import { SystemClock } from '../../src/venues/rest/real-clock.ts';
import { BTC, type Local, PERP, spotOrder, startLocal, trigger } from './local.ts';

// A client that nobody here wrote: ccxt signs as the exchange asks and is told of the second version's paths.

/** Of ccxt's class only the version of the paths is ours: its own error reading is of v3, where any `msg` is an error. */
class WeexV2 extends Weex {
  shift = 0;
  override nonce(): number {
    return Date.now() + this.shift;
  }
  override handleErrors(): undefined {
    return undefined;
  }
}

let local: Local;
beforeAll(async () => {
  local = await startLocal({ clock: new SystemClock() as never });
  local.price('BTC-USDT', '100');
  local.price('BTC-USDT-PERP', '100');
});
afterAll(() => local.close());

/** [public or private, method, path of the document]. */
const CALLS = {
  1: ['public', 'GET', 'api/v2/public/currencies'],
  2: ['public', 'GET', 'api/v2/public/exchangeInfo'],
  3: ['public', 'GET', 'api/v2/market/ticker'],
  4: ['public', 'GET', 'api/v2/market/tickers'],
  5: ['private', 'POST', 'api/v2/trade/orderInfo'],
  6: ['private', 'POST', 'api/v2/trade/cancel-order'],
  7: ['private', 'POST', 'api/v2/trade/batch-orders'],
  8: ['private', 'POST', 'api/v2/trade/fills'],
  9: ['private', 'GET', 'api/v2/account/assets'],
  10: ['private', 'GET', 'capi/v2/account/assets'],
  11: ['private', 'GET', 'api/v2/account/transferRecords'],
  12: ['contractPrivate', 'POST', 'capi/v2/order/cancel_order'],
  13: ['contractPrivate', 'POST', 'capi/v2/order/plan_order'],
  14: ['contractPrivate', 'GET', 'capi/v2/order/current'],
  15: ['contractPrivate', 'GET', 'capi/v2/account/position/singlePosition'],
  16: ['contractPrivate', 'GET', 'capi/v2/account/account'],
  17: ['private', 'POST', 'api/v2/rebate/affiliate/querySubChannelTransactions'],
  18: ['private', 'GET', 'api/v2/rebate/affiliate/getAffiliateUIDs'],
  19: ['private', 'POST', 'api/v2/rebate/affiliate/internalWithdrawal'],
  20: ['private', 'GET', 'api/v2/rebate/affiliate/getInternalWithdrawalStatus'],
} as const;

function ccxt({ key, secret, passphrase }: AccountListing): WeexV2 {
  const { spot, futures } = local.exchange;
  const urls = { public: spot, private: spot, contract: futures, contractPrivate: futures };
  const api: Record<string, Record<string, Record<string, number>>> = {};
  for (const [kind, method, path] of Object.values(CALLS)) {
    const methods = api[kind] ?? {};
    const verb = method.toLowerCase();
    api[kind] = { ...methods, [verb]: { ...methods[verb], [path]: 1 } };
  }
  return new WeexV2({ apiKey: key, secret, password: passphrase, enableRateLimit: false, urls: { api: urls }, api });
}

const call = (client: WeexV2, number: keyof typeof CALLS, params: object = {}): Promise<Record<string, unknown>> => {
  const [kind, method, path] = CALLS[number];
  return client.fetch2(path, kind, method, params) as Promise<Record<string, unknown>>;
};

test('calls all twenty operations', async () => {
  const guest = ccxt(local.account('guest'));
  const affiliate = ccxt(local.account('affiliate'));
  const order = spotOrder({ price: '90' });
  const future = trigger();
  const answers: Record<number, Record<string, unknown>> = {};
  const ask = async (number: keyof typeof CALLS, params?: object, client = guest) => {
    answers[number] = await call(client, number, params);
  };
  await ask(1);
  await ask(2);
  await ask(3, { symbol: BTC });
  await ask(4);
  await ask(7, { symbol: BTC, orderList: [order, spotOrder({ orderType: 'market', quantity: '50' })] });
  await ask(5, { clientOrderId: order.clientOrderId });
  await ask(6, { symbol: BTC, clientOid: order.clientOrderId });
  await ask(8, { symbol: BTC, pageSize: 100 });
  await ask(9);
  await ask(10);
  await ask(11, { limit: 10 });
  await ask(13, future);
  await ask(14, { symbol: PERP });
  await ask(12, { symbol: PERP, clientOid: future.client_oid });
  await ask(13, trigger({ trigger_price: '100' }));
  await ask(15, { symbol: PERP });
  await ask(16, { coinId: 2 });
  await ask(17, { productType: 'SPOT' }, affiliate);
  await ask(18, {}, affiliate);
  await ask(19, { toUserId: local.account('guest').uid, coin: 'USDT', amount: '1' }, affiliate);
  await ask(20, { coin: 'USDT' }, affiliate);
  expect(Object.keys(answers)).toHaveLength(20);
  for (const number of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 17]) expect([number, answers[number]!.code]).toEqual([number, '00000']);
  for (const number of [18, 19, 20]) expect([number, answers[number]!.code]).toEqual([number, '200']);
  expect(answers[5]!.data).toMatchObject([{ status: 'open', price: '90' }]);
  expect(answers[6]!.data).toMatchObject({ result: true });
  expect(answers[7]!.data).toMatchObject({ resultList: [{ clientOrderId: order.clientOrderId }, {}] });
  expect(answers[8]!.data).toMatchObject({ fillsOrderResultList: [{ fillTotalAmount: '50' }] });
  expect(answers[12]).toMatchObject({ result: true, client_oid: future.client_oid });
  expect(answers[14]).toMatchObject([{ status: 'untriggered' }]);
  expect(answers[15]).toMatchObject([{ side: 'LONG', size: '1' }]);
  expect(answers[16]).toMatchObject({ account: { status: 'NORMAL' }, position: [{ size: '1' }] });
  expect(answers[20]).toMatchObject({ list: [{ status: 'PROGRESSING' }] });
});

test('is refused with a bad secret and with a stale timestamp', async () => {
  const account = local.account('guest');
  // ccxt itself makes errors of HTTP 4xx, with the body in their text.
  await expect(call(ccxt({ ...account, secret: 'wrong' }), 9)).rejects.toThrow('"40009"');
  const stale = ccxt(account);
  stale.shift = -30_500;
  await expect(call(stale, 9)).rejects.toThrow('"40008"');
});
