import { afterEach, expect, test } from '@jest/globals';
import type { Behaviour } from '../../src/local-exchange/behaviour.ts';
import type { FaultSettings } from '../../src/local-exchange/faults.ts';
import { BTC, failure, type Local, spotOrder, startLocal } from './local.ts';

let local: Local;
afterEach(() => local.close());

const start = async (behaviour: Partial<Behaviour>, faults: Partial<FaultSettings> = {}) => {
  local = await startLocal({ behaviour, faults });
  local.price('BTC-USDT', '101');
};
const place = async (clientOrderId: string, more: Parameters<typeof spotOrder>[0] = {}) =>
  (await local.client().batchOrders({ symbol: BTC, orderList: [spotOrder({ clientOrderId, ...more })] })).resultList[0]!.orderId;
/** A reply's `data` as it is written. */
const raw = async (target: string, body?: object) =>
  (await local.send({ target, ...(body === undefined ? {} : { body }), as: 'guest' })).text;
const info = (clientOrderId: string) => raw('/api/v2/trade/orderInfo', { clientOrderId });
const fillsOf = (more: object = {}) => raw('/api/v2/trade/fills', { symbol: BTC, pageIndex: 0, pageSize: 100, ...more });
/** Three orders, filled a second apart. */
const threeFills = async (): Promise<string[]> => {
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c']) {
    ids.push(await place(name));
    local.price('BTC-USDT', '100');
    local.price('BTC-USDT', '101');
    local.step(1_000);
  }
  return ids;
};

test.each([
  ['newestFirst', ['c', 'b', 'a']],
  ['oldestFirst', ['a', 'b', 'c']],
  ['mixed', ['b', 'c', 'a']],
] as const)('fills are %s', async (listOrder, names) => {
  await start({ listOrder });
  const [a, b, c] = await threeFills();
  const { fillsOrderResultList } = await local.client().fills({ symbol: BTC });
  expect(fillsOrderResultList.map(({ orderId }) => orderId)).toEqual(names.map((name) => ({ a, b, c })[name]));
});

test.each([
  ['both', [true, 3]],
  ['flag', [true, 2]],
  ['total', [false, 3]],
] as const)('a page that is cut short shows it by %s', async (nextPage, said) => {
  await start({ pageLimit: 2, nextPage });
  await threeFills();
  const page = await local.client().fills({ symbol: BTC, pageSize: 100 });
  expect(page.fillsOrderResultList).toHaveLength(2);
  expect([page.nextPage, page.totals]).toEqual(said);
  expect((await local.client().fills({ symbol: BTC, pageSize: 100, pageIndex: 1 })).fillsOrderResultList).toHaveLength(1);
});

test.each([
  ['inside', 3],
  ['outside', 1],
] as const)('the ends of a period are %s it', async (periodEnds, count) => {
  await start({ periodEnds });
  await threeFills();
  const list = (await local.client().fills({ symbol: BTC })).fillsOrderResultList;
  const [newest, , oldest] = list.map(({ cTime }) => cTime);
  const within = await local.client().fills({ symbol: BTC, after: oldest!, before: newest! });
  expect(within.fillsOrderResultList).toHaveLength(count);
});

test('a period that begins before the history is refused', async () => {
  await start({ historyMs: 3_600_000 });
  const ask = (ago: number) => local.client().fills({ symbol: BTC, after: local.exchange.now() - ago });
  expect((await ask(3_600_000)).fillsOrderResultList).toEqual([]);
  expect(await failure(ask(3_600_001))).toMatchObject({ exchangeCode: '40704' });
  const before = local.exchange.now() - 3_600_001;
  expect(await failure(local.client().transferRecords({ before }))).toMatchObject({ exchangeCode: '40704' });
});

test('a client id that is taken is refused, or names its order', async () => {
  await start({});
  await place('a');
  expect(await failure(place('a'))).toMatchObject({ exchangeCode: '43002' });
  await local.close();
  await start({ repeatedId: 'answered' });
  const first = await place('a');
  expect(await place('a')).toBe(first);
  expect((await local.client().accountAssets()).find(({ coinName }) => coinName === 'USDT')).toMatchObject({ frozen: '10' });
});

test('a client id is free so long after its order has ended', async () => {
  await start({ clientIdRestMs: 5_000 });
  const first = await place('a');
  await local.client().cancelOrder({ symbol: BTC, orderId: first });
  local.step(4_999);
  expect(await failure(place('a'))).toMatchObject({ exchangeCode: '43002' });
  local.step(1);
  expect(await place('a')).not.toBe(first);
});

test('a cancel that finds nothing is an answer, or a refusal', async () => {
  await start({ failedCancel: 'refused' });
  const orderId = await place('a');
  const cancel = () => local.client().cancelOrder({ symbol: BTC, orderId });
  expect(await cancel()).toMatchObject({ result: true });
  expect(await failure(cancel())).toMatchObject({ exchangeCode: '43004' });
  expect(await failure(local.client().cancelOrder({ symbol: BTC, orderId: '1' }))).toMatchObject({ exchangeCode: '43001' });
});

test('a cancel that takes its time lets the order fill meanwhile', async () => {
  await start({ cancelMs: 10_000 });
  const [a, b] = [await place('a'), await place('b')];
  for (const orderId of [a, b]) expect(await local.client().cancelOrder({ symbol: BTC, orderId })).toMatchObject({ result: true });
  expect(await info('a')).toContain('"status":"open"');
  local.price('BTC-USDT', '100');
  local.step(10_000);
  expect(await info('a')).toContain('"status":"full_fill"');
  local.price('BTC-USDT', '101');
  const c = await place('c');
  await local.client().cancelOrder({ symbol: BTC, orderId: c });
  local.step(10_000);
  expect(await info('c')).toContain('"status":"cancelled"');
});

test('a post-only order that would take is accepted and canceled, or refused and never was', async () => {
  const taking = { force: 'postOnly', price: '200' } as const;
  await start({});
  await place('a', taking);
  expect(await info('a')).toContain('"status":"cancelled"');
  await local.close();
  await start({ postOnlyTaking: 'refused' });
  expect(await failure(place('a', taking))).toMatchObject({ exchangeCode: '40015', outcome: 'rejected' });
  expect(await info('a')).toContain('43001');
});

test('refusals have their status, or 200', async () => {
  await start({ refusalStatus: 'ok' });
  const reply = await local.send({ target: '/api/v2/trade/orderInfo', body: { clientOrderId: 'none' }, as: 'guest' });
  expect([reply.status, reply.json.code]).toEqual([200, '43001']);
});

test.each([
  ['together', '"status":"open"', '"fillQuantity":"0"', 0],
  ['order', '"status":"full_fill"', '"fillQuantity":"0.1"', 0],
  ['fills', '"status":"open"', '"fillQuantity":"0"', 1],
] as const)('for a delayed fill, the part shown first is: %s', async (shownFirst, status, quantity, fills) => {
  await start({ shownFirst }, { visibilityLagMs: 3_000, seed: 7 });
  await place('a');
  local.step(3_000);
  local.price('BTC-USDT', '100');
  expect(await info('a')).toContain(status);
  expect(await info('a')).toContain(quantity);
  expect((await local.client().fills({ symbol: BTC })).totals).toBe(fills);
});

test('a canceled order may look over before its last fill is counted', async () => {
  await start({ shownFirst: 'end' }, { visibilityLagMs: 3_000, seed: 7 });
  const orderId = await place('a', { quantity: '2' });
  local.step(3_000);
  local.exchange.exchange.perform('price', ['trade', 0, 10_000, 10_000, -1], local.exchange.now());
  await local.client().cancelOrder({ symbol: BTC, orderId });
  expect(await info('a')).toMatch(/"status":"cancelled".*"fillQuantity":"0"/);
  local.step(3_000);
  expect(await info('a')).toMatch(/"status":"cancelled".*"fillQuantity":"1"/);
});

test.each<[Partial<Behaviour>, RegExp]>([
  [{}, /"orderId":"\d{18}".*"price":"100".*"status":"open","latestFillPrice":"0".*"fillQuantity":"0"/],
  [{ emptyFields: 'empty' }, /"latestFillPrice":"".*"fillQuantity":""/],
  [{ emptyFields: 'null' }, /"latestFillPrice":null.*"fillQuantity":null/],
  [{ statusWords: 'new' }, /"status":"new"/],
  [{ statusWords: 'capitals' }, /"status":"NEW"/],
  [{ nameCase: 'lower' }, /"symbol":"btcusdt_spbl"/],
  [{ decimals: 'padded' }, /"price":"100.0000000000","quantity":"0.1000000000"/],
  [{ decimals: 'numbers' }, /"price":100,"quantity":0.1,/],
  [{ ids: 'bare' }, /"orderId":\d{18},/],
])('an order in the forms of %j', async (behaviour, form) => {
  await start(behaviour);
  await place('a');
  expect(await info('a')).toMatch(form);
});

test('ids in quotes, coins without a balance, fills without a price, and fees that are rounded', async () => {
  await start({ ids: 'quoted', zeroBalances: 'listed', emptyFields: 'empty', feePlaces: 2 });
  const placed = await raw('/api/v2/trade/batch-orders', { symbol: BTC, orderList: [spotOrder({ clientOrderId: 'a' })] });
  expect(placed).toMatch(/"orderId":"\d{18}"/);
  local.price('BTC-USDT', '100');
  expect(await fillsOf()).toMatch(/"orderType":"".*"fillPrice":"".*"fees":"0.01"/);
  const assets = await local.client().accountAssets();
  expect(assets.find(({ coinName }) => coinName === 'ETH')).toMatchObject({ equity: '0' });
  // 0.1 BTC less the fee of 0.0001, rounded up to 0.01, beside the 1 BTC of before.
  expect(assets.find(({ coinName }) => coinName === 'BTC')).toMatchObject({ equity: '1.09' });
});
