import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { ExchangeClient } from '../../src/exchange/client/exchange-client.ts';
import type { ListingRules } from '../../src/local-exchange/core/listings.ts';
import { fillSettings, T0 } from '../builders.ts';
import { BTC, failure, type Local, spotOrder, startLocal } from './local.ts';

const ETH = 'ETHUSDT_SPBL';
const RULES: ListingRules = {
  buyLimitPriceRatio: '0.1',
  sellLimitPriceRatio: '0.2',
  marketBuyLimitSize: '5000',
  marketSellLimitSize: '3',
  marketFallbackPriceRatio: '0.05',
};

let local: Local;
let client: ExchangeClient;
beforeEach(async () => {
  local = await startLocal({ listings: new Map([['ETH-USDT', RULES]]) });
  client = local.client();
  local.price('BTC-USDT', '101');
  local.price('ETH-USDT', '100');
});
afterEach(() => local.close());

type Order = ReturnType<typeof spotOrder>;
const place = async (order: Partial<Order> = {}, symbol = BTC) => {
  const { resultList } = await client.batchOrders({ symbol, orderList: [spotOrder(order)] });
  return resultList[0]!.orderId;
};
const look = async (orderId: string) => (await client.orderInfo({ orderId }))[0]!;
const balance = async (coin: string) => (await client.accountAssets()).find(({ coinName }) => coinName === coin);
const refusalOf = async (order: Partial<Order>, symbol = BTC) => (await failure(place(order, symbol))).exchangeCode;

describe('an order', () => {
  test('rests, freezes the funds it may need, and is found by either id', async () => {
    const orderId = await place({ clientOrderId: 'mine' });
    expect(BigInt(orderId)).toBeGreaterThan(2n ** 53n);
    const record = {
      accountId: local.account('guest').uid,
      symbol: BTC,
      orderId,
      clientOrderId: 'mine',
      price: '100',
      quantity: '0.1',
      orderType: 'limit',
      side: 'buy',
      status: 'open',
      latestFillPrice: '0',
      maxFillPrice: '0',
      minFillPrice: '0',
      fillQuantity: '0',
      fillTotalAmount: '0',
      cTime: T0,
      uTime: T0,
    };
    expect(await client.orderInfo({ orderId })).toEqual([record]);
    expect(await client.orderInfo({ clientOrderId: 'mine' })).toEqual([record]);
    expect(await balance('USDT')).toMatchObject({ available: '9990', frozen: '10', equity: '10000' });
  });

  test('fills at its limit when the price reaches it, pays its fee in the received asset, and ends', async () => {
    const orderId = await place();
    local.step(1_000);
    local.price('BTC-USDT', '100');
    expect(await look(orderId)).toMatchObject({
      status: 'full_fill',
      fillQuantity: '0.1',
      fillTotalAmount: '10',
      latestFillPrice: '100',
      uTime: T0 + 1_000,
    });
    const { fillsOrderResultList: fills } = await client.fills({ symbol: BTC });
    expect(fills).toMatchObject([
      { orderId, baseCoin: 'BTC', quoteCoin: 'USDT', side: 'buy', fillPrice: '100', fees: '0.0001', cTime: T0 + 1_000 },
    ]);
    // 1 + 0.1 less a thousandth of it; nothing stays frozen.
    expect(await balance('BTC')).toMatchObject({ available: '1.0999', frozen: '0' });
    expect(await balance('USDT')).toMatchObject({ available: '9990', frozen: '0' });
  });

  test('at market buys for an amount of quote, and sells base', async () => {
    const bought = await place({ orderType: 'market', price: undefined, quantity: '101' });
    expect(await look(bought)).toMatchObject({
      orderType: 'market',
      price: '0',
      quantity: '101',
      status: 'full_fill',
      fillQuantity: '1',
      fillTotalAmount: '101',
    });
    const sold = await place({ orderType: 'market', side: 'sell', price: '0', quantity: '0.5' });
    expect(await look(sold)).toMatchObject({ side: 'sell', status: 'full_fill', fillTotalAmount: '50.5' });
    const { fillsOrderResultList: fills } = await client.fills({ symbol: BTC, orderId: sold });
    expect(fills).toMatchObject([{ fees: '0.0505' }]);
  });

  test('partly filled by a small trade shows so, and keeps the rest frozen', async () => {
    const orderId = await place({ quantity: '0.3' });
    // A trade of 0.1 at 100.
    local.exchange.exchange.perform('price', ['trade', 0, 10_000, 1_000, -1], local.exchange.now());
    expect(await look(orderId)).toMatchObject({ status: 'partial_fill', fillQuantity: '0.1' });
    expect(await balance('USDT')).toMatchObject({ available: '9970', frozen: '20', equity: '9990' });
    expect(await client.cancelOrder({ symbol: BTC, orderId })).toMatchObject({ result: true });
    expect(await look(orderId)).toMatchObject({ status: 'cancelled', fillQuantity: '0.1' });
    expect(await balance('USDT')).toMatchObject({ available: '9990', frozen: '0' });
  });

  test.each([
    ['postOnly inside the market is canceled', { force: 'postOnly', price: '102' }, 'cancelled'],
    ['postOnly outside it rests', { force: 'postOnly', price: '100' }, 'open'],
    ['ioc outside the market is canceled', { force: 'ioc', price: '100' }, 'cancelled'],
    ['ioc inside it fills', { force: 'ioc', price: '102' }, 'full_fill'],
    ['fok outside the market is canceled', { force: 'fok', price: '100' }, 'cancelled'],
    ['fok inside it fills', { force: 'fok', price: '102' }, 'full_fill'],
  ] as const)('%s', async (_name, order, status) => {
    expect(await look(await place(order))).toMatchObject({ status });
  });

  test('of another account, or of none, is unknown', async () => {
    const orderId = await place();
    expect(await failure(local.client('stranger').orderInfo({ orderId }))).toMatchObject({ exchangeCode: '43001' });
    expect(await failure(client.orderInfo({ clientOrderId: 'nobody' }))).toMatchObject({ exchangeCode: '43001' });
    expect(await local.client('stranger').cancelOrder({ symbol: BTC, orderId })).toMatchObject({
      result: false,
      err_msg: 'FAILED_ORDER_NOT_FOUND',
    });
    expect(await look(orderId)).toMatchObject({ status: 'open' });
  });
});

describe('a cancel', () => {
  test('by either id releases the frozen funds', async () => {
    const orderId = await place({ clientOrderId: 'mine' });
    const done = { client_oid: 'mine', order_id: orderId, symbol: BTC, result: true, err_code: '', err_msg: '' };
    expect(await client.cancelOrder({ symbol: BTC, clientOid: 'mine' })).toEqual(done);
    expect(await look(orderId)).toMatchObject({ status: 'cancelled' });
    expect(await balance('USDT')).toMatchObject({ available: '10000', frozen: '0' });
  });

  test('that is too late reports that, and changes nothing', async () => {
    const orderId = await place();
    local.price('BTC-USDT', '99');
    expect(await client.cancelOrder({ symbol: BTC, orderId })).toMatchObject({ result: false, err_code: '43004' });
    expect(await look(orderId)).toMatchObject({ status: 'full_fill' });
  });

  test('under another pair, or of no order, finds nothing; an unknown pair is refused', async () => {
    const orderId = await place();
    expect(await client.cancelOrder({ symbol: ETH, orderId })).toMatchObject({ result: false, err_code: '43001' });
    expect(await client.cancelOrder({ symbol: BTC, orderId: '12345' })).toMatchObject({ result: false, order_id: '12345', client_oid: '' });
    expect(await failure(client.cancelOrder({ symbol: 'XUSDT_SPBL', orderId }))).toMatchObject({ exchangeCode: '40102' });
  });
});

describe('a batch', () => {
  test('lacks the orders that were refused', async () => {
    const orders = [spotOrder(), spotOrder({ quantity: '5000' }), spotOrder({ price: '100.001' }), spotOrder()];
    const { resultList } = await client.batchOrders({ symbol: BTC, orderList: orders });
    expect(resultList.map(({ clientOrderId }) => clientOrderId)).toEqual([orders[0]!.clientOrderId, orders[3]!.clientOrderId]);
    expect(await failure(client.orderInfo({ clientOrderId: orders[1]!.clientOrderId }))).toMatchObject({ exchangeCode: '43001' });
  });

  test('of more than ten is refused completely', async () => {
    const orderList = Array.from({ length: 11 }, () => spotOrder());
    const reply = await local.send({ target: '/api/v2/trade/batch-orders', body: { symbol: BTC, orderList }, as: 'guest' });
    expect(reply.json.code).toBe('40912');
    expect(await balance('USDT')).toMatchObject({ frozen: '0' });
  });

  test('answers order ids as bare integers', async () => {
    const reply = await local.send({ target: '/api/v2/trade/batch-orders', body: { symbol: BTC, orderList: [spotOrder()] }, as: 'guest' });
    expect(reply.text).toMatch(/"orderId":\d{18},/);
  });
});

describe('a single refused order has its own code:', () => {
  test.each<[string, Partial<Order>, string]>([
    ['a price off the tick', { price: '100.001' }, '40015'],
    ['a quantity off the step', { quantity: '0.00001' }, '40015'],
    ['more than the balance', { quantity: '100', price: '101' }, '40015'],
    ['a market buy that comes to less than a step', { orderType: 'market', quantity: '0.01' }, '43006'],
  ])('%s', async (_name, order, code) => {
    expect(await refusalOf(order)).toBe(code);
  });

  test.each<[string, Partial<Order>, string | undefined]>([
    ['a quantity under the minimum', { quantity: '0.009' }, '43006'],
    ['a quantity over the maximum', { quantity: '101', price: '10' }, '43005'],
    ['an amount under the minimum', { quantity: '0.1', price: '99.99' }, '43006'],
    ['an amount over the maximum', { quantity: '100', price: '500.01', side: 'sell' }, '43007'],
    ['an amount just at the minimum', { quantity: '0.1', price: '100' }, undefined],
    ['a buy too far above the last price', { price: '110.01', quantity: '1' }, '43009'],
    ['a buy as far above as it may be', { price: '110', quantity: '1' }, undefined],
    ['a sell too far below the last price', { side: 'sell', price: '79.99', quantity: '1' }, '43009'],
    ['a sell as far below as it may be', { side: 'sell', price: '80', quantity: '1' }, undefined],
    ['a market buy over its size', { orderType: 'market', quantity: '5000.01' }, '43005'],
    ['a market buy of its size', { orderType: 'market', quantity: '5000' }, undefined],
    ['a market sell over its size', { orderType: 'market', side: 'sell', quantity: '3.0001' }, '43005'],
  ])('%s', async (_name, order, code) => {
    local.exchange.control.deposit('guest', 'spot', 'ETH', '200');
    if (code === undefined) expect(await place(order, ETH)).toMatch(/^\d+$/);
    else expect(await refusalOf(order, ETH)).toBe(code);
  });

  test('a market buy by quote whose quantity at the last price is out of bounds', async () => {
    local.price('ETH-USDT', '1');
    expect(await refusalOf({ orderType: 'market', quantity: '100.01' }, ETH)).toBe('43005');
    local.price('ETH-USDT', '2000');
    expect(await refusalOf({ orderType: 'market', quantity: '19.99' }, ETH)).toBe('43006');
    expect(await place({ orderType: 'market', quantity: '20' }, ETH)).toMatch(/^\d+$/);
  });

  test('an unknown pair', async () => {
    expect(await refusalOf({}, 'XUSDT_SPBL')).toBe('40102');
  });

  test('a client id that is in use, or was in the last minute', async () => {
    const orderId = await place({ clientOrderId: 'mine' });
    const again = () => failure(place({ clientOrderId: 'mine' }));
    expect(await again()).toMatchObject({ exchangeCode: '43002', outcome: 'unknown' });
    await client.cancelOrder({ symbol: BTC, orderId });
    local.step(59_999);
    expect(await again()).toMatchObject({ exchangeCode: '43002' });
    local.step(1);
    expect(await place({ clientOrderId: 'mine' })).not.toBe(orderId);
  });
});

test('a market order without a price, or in a pair without trade, is refused', async () => {
  const closed = await startLocal({
    listings: new Map([['BTC-USDT', { enableTrade: false }]]),
  });
  try {
    const order = (symbol: string, quantity: string) =>
      failure(closed.client().batchOrders({ symbol, orderList: [spotOrder({ orderType: 'market', quantity })] }));
    expect(await order(ETH, '50')).toMatchObject({ exchangeCode: '43002' });
    expect(await order(BTC, '50')).toMatchObject({ exchangeCode: '50003' });
  } finally {
    await closed.close();
  }
});

describe('a market order is an IOC limit at the fallback ratio from the last price:', () => {
  const quote = (...[bid, ask, bidSteps, askSteps]: readonly [number, number, number, number]) =>
    local.exchange.exchange.perform('price', ['quote', 1, bid, ask, bidSteps, askSteps], local.exchange.now());
  const outcome = async (order: Partial<Order>) => {
    local.exchange.control.deposit('guest', 'spot', 'ETH', '10');
    const { status, fillQuantity, fillTotalAmount, price, orderType } = await look(await place({ orderType: 'market', ...order }, ETH));
    expect([orderType, price]).toEqual(['market', '0']);
    return `${status} ${fillQuantity} ${fillTotalAmount}`;
  };

  test('it does not fill beyond, and the rest is canceled, with nothing frozen', async () => {
    // The middle of 90 and 111 is 100.5; 5 % from there are 105.525 and 95.475.
    quote(9_000, 11_100, 10_000, 10_000);
    expect(await outcome({ quantity: '50' })).toBe('cancelled 0 0');
    expect(await outcome({ side: 'sell', quantity: '1' })).toBe('cancelled 0 0');
    // 105 and 97 lie inside, for 1 ETH each.
    quote(9_700, 10_500, 10_000, 10_000);
    expect(await outcome({ quantity: '210' })).toBe('cancelled 1 105');
    expect(await outcome({ side: 'sell', quantity: '3' })).toBe('cancelled 1 97');
    expect(await balance('USDT')).toMatchObject({ frozen: '0' });
    expect(await balance('ETH')).toMatchObject({ frozen: '0' });
    quote(10_000, 10_500, 10_000, 100_000);
    expect(await outcome({ quantity: '210' })).toBe('full_fill 2 210');
  });

  test('slippage ends there', async () => {
    await local.close();
    local = await startLocal({
      listings: new Map([['ETH-USDT', RULES]]),
      fills: fillSettings({ limit: 'strictCross', slippageBps: 1_000 }),
    });
    client = local.client();
    local.price('ETH-USDT', '100.01');
    // 10 % slippage would be 110.02 and 90; the bounds 105.0105 and 95.0095 lie on no tick.
    expect(await outcome({ quantity: '105.01' })).toBe('full_fill 1 105.01');
    expect(await outcome({ side: 'sell', quantity: '1' })).toBe('full_fill 1 95.01');
  });

  test('a buy by quantity, too', async () => {
    await local.close();
    local = await startLocal({ listings: new Map([['ETH-USDT', RULES]]), behaviour: { marketBuyByQuote: false } });
    client = local.client();
    quote(9_700, 10_500, 10_000, 10_000);
    expect(await outcome({ quantity: '3' })).toBe('cancelled 1 105');
  });
});

describe('fills', () => {
  const times = async (request: Partial<Parameters<ExchangeClient['fills']>[0]>) => {
    const page = await client.fills({ symbol: BTC, ...request });
    return { minutes: page.fillsOrderResultList.map(({ cTime }) => (cTime - T0) / 60_000), next: page.nextPage, totals: page.totals };
  };

  test('are paged from page 0, newest first, ten at a time by default', async () => {
    for (let minute = 0; minute < 12; minute++) {
      await place({ orderType: 'market', quantity: '11' });
      local.step(60_000);
    }
    expect(await times({})).toEqual({ minutes: [11, 10, 9, 8, 7, 6, 5, 4, 3, 2], next: true, totals: 12 });
    expect(await times({ pageIndex: 1 })).toEqual({ minutes: [1, 0], next: false, totals: 12 });
    expect(await times({ pageIndex: 2, pageSize: 4 })).toEqual({ minutes: [3, 2, 1, 0], next: false, totals: 12 });
    expect(await times({ pageIndex: 3, pageSize: 4 })).toEqual({ minutes: [], next: false, totals: 12 });
    // `after` is the start and `before` the end, both inside.
    expect(await times({ after: T0 + 60_000, before: T0 + 180_000 })).toEqual({ minutes: [3, 2, 1], next: false, totals: 3 });
    expect(await times({ symbol: ETH })).toMatchObject({ totals: 0 });
  });

  test('are those of one order, or of no other account', async () => {
    const [first] = [await place({ orderType: 'market', quantity: '11' }), await place({ orderType: 'market', quantity: '11' })];
    expect((await client.fills({ symbol: BTC, orderId: first })).fillsOrderResultList.map(({ orderId }) => orderId)).toEqual([first]);
    expect((await local.client('stranger').fills({ symbol: BTC })).totals).toBe(0);
  });
});
