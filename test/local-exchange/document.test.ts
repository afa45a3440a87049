import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { RECORDS, SUMMARY } from '../exchange/document.ts';
import { BTC, type Local, PERP, type RawRequest, spotOrder, startLocal, trigger } from './local.ts';

// Real replies against the transcription of the document's tables, with neither client nor schemas between them.

let local: Local;
let requests: Readonly<Record<number, RawRequest>>;
beforeAll(async () => {
  local = await startLocal({ lists: { keepTerminalOrders: true } });
  local.price('BTC-USDT', '100');
  local.price('BTC-USDT-PERP', '100');
  const guest = local.client();
  const resting = spotOrder({ price: '90' });
  await guest.batchOrders({ symbol: BTC, orderList: [spotOrder({ price: '101' }), resting] });
  await guest.triggerOrder(trigger({ trigger_price: '100' }));
  const waiting = trigger();
  await guest.triggerOrder(waiting);
  local.exchange.control.transfer('guest', 'USDT', '1', 'spot', 'futures');
  const toUserId = BigInt(local.account('guest').uid);
  requests = {
    1: { target: '/api/v2/public/currencies' },
    2: { target: '/api/v2/public/exchangeInfo' },
    3: { target: `/api/v2/market/ticker?symbol=${BTC}` },
    4: { target: '/api/v2/market/tickers' },
    5: { target: '/api/v2/trade/orderInfo', body: { clientOrderId: resting.clientOrderId } },
    6: { target: '/api/v2/trade/cancel-order', body: { symbol: BTC, clientOid: resting.clientOrderId } },
    7: { target: '/api/v2/trade/batch-orders', body: { symbol: BTC, orderList: [spotOrder()] } },
    8: { target: '/api/v2/trade/fills', body: { symbol: BTC } },
    9: { target: '/api/v2/account/assets' },
    10: { target: '/capi/v2/account/assets' },
    11: { target: '/api/v2/account/transferRecords' },
    12: { target: '/capi/v2/order/cancel_order', body: { symbol: PERP, clientOid: waiting.client_oid } },
    13: { target: '/capi/v2/order/plan_order', body: trigger() },
    14: { target: '/capi/v2/order/current' },
    15: { target: `/capi/v2/account/position/singlePosition?symbol=${PERP}` },
    16: { target: '/capi/v2/account/account?coinId=2' },
    17: { target: '/api/v2/rebate/affiliate/querySubChannelTransactions', body: { productType: 'SPOT' } },
    18: { target: '/api/v2/rebate/affiliate/getAffiliateUIDs' },
    19: { target: '/api/v2/rebate/affiliate/internalWithdrawal', body: { toUserId, coin: 'USDT', amount: '1' } },
    20: { target: '/api/v2/rebate/affiliate/getInternalWithdrawalStatus' },
  };
});
afterAll(() => local.close());

type Json = Record<string, unknown>;

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  'string maybe': (value) => value === undefined || typeof value === 'string',
  'string or null': (value) => value === null || typeof value === 'string',
  integer: Number.isInteger,
  long: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  array: Array.isArray,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'object or null': (value) => typeof value === 'object' && !Array.isArray(value),
};

/** The fields of a record that are missing, of another type, or not in the document. */
function differences(record: Json, name: string, at = 0): string[] {
  const fields = Object.entries(RECORDS[name]!).filter(([field]) => !field.includes('[].'));
  const wrong = fields.filter(([field, type]) => !TYPES[type.split(' / ')[at] ?? type]!(record[field]));
  const unlisted = Object.keys(record).filter((field) => !fields.some(([listed]) => listed === field));
  return [...wrong.map(([field, type]) => `${field} is ${JSON.stringify(record[field])}, not ${type}`), ...unlisted];
}

/** What the reply of an operation holds: records by the name of their table. */
const inside: Readonly<Record<number, (payload: Json & Json[]) => readonly (readonly [Json | undefined, string, number?])[]>> = {
  1: ([first]) => [[first, 'currency']],
  2: ([first]) => [[first, 'symbolInformation']],
  3: (payload) => [[payload, 'ticker']],
  4: ([first]) => [[first, 'ticker']],
  5: ([first]) => [[first, 'spotOrder']],
  6: (payload) => [[payload, 'cancelResult']],
  7: () => [],
  8: (payload) => [[(payload.fillsOrderResultList as Json[])[0], 'spotFill']],
  9: ([first]) => [[first, 'asset']],
  10: ([first]) => [[first, 'asset']],
  11: ([first]) => [[first, 'transfer']],
  12: (payload) => [[payload, 'cancelResult']],
  13: (payload) => [[payload, 'triggerAcknowledgement']],
  14: (payload) => payload.map((record) => [record, 'futuresOrder'] as const),
  15: ([first]) => [[first, 'position', 0]],
  16: (payload) => [
    [payload.account as Json, 'futuresAccount'],
    [(payload.collateral as Json[])[0], 'collateral'],
    [(payload.position as Json[])[0], 'position', 1],
  ],
  17: (payload) => [[(payload.records as Json[])[0], 'subAffiliate']],
  18: (payload) => [[(payload.channelUserInfoItemList as Json[])[0], 'invitedUser']],
  19: () => [],
  20: (payload) => [[(payload.list as Json[])[0], 'internalWithdrawal']],
};

/** Members beside the records. */
const PLAIN: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  7: { resultList: 'array' },
  8: { fillsOrderResultList: 'array', nextPage: 'boolean', totals: 'integer' },
  16: { account: 'object', collateral: 'array', position: 'array', version: 'string' },
  17: { records: 'array', total: 'integer', size: 'integer', current: 'integer', pages: 'integer' },
  18: { pages: 'integer', pageSize: 'integer', total: 'integer', channelUserInfoItemList: 'array' },
  19: { id: 'string' },
  20: { total: 'integer', list: 'array' },
};

test.each(SUMMARY.map((row) => [row[0], row[2], row] as const))(
  'operation %i (%s) answers as the document has it',
  async (number, path, row) => {
    const [, method, , host, envelope] = row;
    const { target, body } = requests[number]!;
    expect(target.split('?')[0]).toBe(path);
    const as = number <= 4 ? undefined : number >= 17 ? 'affiliate' : 'guest';
    const { text } = await local.send({ host, method, target, body, as });
    // The native parser on purpose: types are what is looked at, and longs only lose digits.
    const reply = JSON.parse(text) as Json;
    const members = Object.keys(reply).sort();
    // Operation 17 answers as a standard operation does, 19 and 20 beside the code.
    const standard = envelope === 'standard' || number === 17;
    if (standard) expect(members).toEqual(['code', 'data', 'msg', 'requestTime']);
    if (standard) expect([reply.code, reply.msg]).toEqual(['00000', 'success']);
    else if (envelope === 'affiliate') expect(reply).toMatchObject({ code: '200', timestamp: local.exchange.now() });
    const payload = (envelope === 'bare' || number >= 19 ? reply : reply.data) as Json & Json[];
    for (const [record, name, at] of inside[number]!(payload)) {
      expect(record).toBeDefined();
      expect([name, differences(record!, name, at)]).toEqual([name, []]);
    }
    const plain = PLAIN[number];
    if (plain === undefined) return;
    const extra = number >= 19 ? ['code', 'timestamp'] : [];
    expect(Object.keys(payload).sort()).toEqual([...Object.keys(plain), ...extra].sort());
    for (const [member, type] of Object.entries(plain)) expect([member, TYPES[type]!(payload[member])]).toEqual([member, true]);
  },
);

test('only operation 10 has unrealizePnl', async () => {
  const fields = async (target: string) => Object.keys(((await local.send({ target, as: 'guest' })).json.data as Json[])[0]!);
  expect(await fields('/api/v2/account/assets')).not.toContain('unrealizePnl');
  expect(await fields('/capi/v2/account/assets')).toContain('unrealizePnl');
});
