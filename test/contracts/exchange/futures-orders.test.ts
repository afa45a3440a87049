import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Subject } from 'rxjs';
import type { ExchangeClient } from '../../../src/exchange/client/exchange-client.ts';
import type { ExchangeOptions } from '../../../src/local-exchange/options.ts';
import { Decimal } from '../../../src/model/decimal.ts';
import { Funding } from '../../../src/model/market-events.ts';
import { fillSettings, T0 } from '../../builders.ts';
import { failure, type Local, PERP, startLocal, trigger } from '../../local-exchange/local.ts';

// The futures operations beyond the twenty that place, cancel and know, as the exchange's own documents describe them, over real
// sockets. The contract: tick 0.1, step 0.0001, fees 0.0002 and 0.0006, 10 times leverage, 10,000 USDT.

let local: Local;
let client: ExchangeClient;
beforeEach(() => begin());
afterEach(() => local.close());

async function begin(options: Partial<ExchangeOptions> = {}): Promise<void> {
  local = await startLocal(options);
  client = local.client();
  local.price('BTC-USDT-PERP', '100');
}

/** Another exchange in place of the one that each test has. */
async function instead(options: Partial<ExchangeOptions>): Promise<void> {
  await local.close();
  await begin(options);
}

type Placed = Parameters<ExchangeClient['placeFuturesOrder']>[0];
let ids = 0;
/** A limit buy that opens 1 BTC long at 99. */
function order(terms: Partial<Placed> = {}): Placed {
  return { symbol: PERP, client_oid: `p${++ids}`, size: '1', type: '1', order_type: '0', match_price: '0', price: '99', ...terms };
}
const place = async (terms: Partial<Placed> = {}) => (await client.placeFuturesOrder(order(terms))).order_id;
const market = (terms: Partial<Placed> = {}) => place({ match_price: '1', price: undefined, ...terms });
const price = (value: string) => local.price('BTC-USDT-PERP', value);
const sizes = async () => (await client.allPositions()).map(({ side, size }) => `${side} ${size}`);
const open = async () => (await client.futuresOrders()).map(({ order_id }) => order_id);

describe('placeOrder', () => {
  test('places a limit order that rests and fills at its price, with the maker fee', async () => {
    const result = await client.placeFuturesOrder(order({ client_oid: 'mine' }));
    expect(result.client_oid).toBe('mine');
    expect(await client.futuresOrders()).toMatchObject([
      { order_id: result.order_id, client_oid: 'mine', status: 'open', order_type: 'normal', price: '99', type: 'open_long' },
    ]);
    price('99');
    expect(await open()).toEqual([]);
    // 99 x 0.0002
    expect(await client.futuresOrder({ orderId: result.order_id })).toMatchObject({ status: 'filled', price_avg: '99', fee: '0.0198' });
  });

  test('fills a market order at once, with the taker fee, and closes by type 3', async () => {
    await market();
    expect(await sizes()).toEqual(['LONG 1']);
    price('110');
    const closing = await market({ type: '3' });
    // (110 - 100) x 1 and 110 x 0.0006
    expect(await client.futuresOrder({ orderId: closing })).toMatchObject({ totalProfits: '10', fee: '0.066', type: 'close_long' });
    expect(await sizes()).toEqual([]);
  });

  test('cancels a post-only order that would take, and the rest of IOC; FOK fills whole or not at all', async () => {
    await instead({ fills: fillSettings({ limit: 'touch', tickerQuantity: '0.4', liquidity: 'recorded' }) });
    const taking = await place({ order_type: '1', price: '101' });
    expect(await client.futuresOrder({ orderId: taking })).toMatchObject({ status: 'canceled', order_type: 'postOnly', filled_qty: '0' });
    price('100');
    const kill = await place({ order_type: '2', price: '101' });
    expect(await client.futuresOrder({ orderId: kill })).toMatchObject({ status: 'canceled', order_type: 'fok', filled_qty: '0' });
    const part = await place({ order_type: '3', price: '101' });
    expect(await client.futuresOrder({ orderId: part })).toMatchObject({ status: 'canceled', order_type: 'ioc', filled_qty: '0.4' });
  });

  test.each<[string, Partial<Placed>, string]>([
    ['a size between two steps', { size: '0.00005' }, '40015'],
    ['a price between two ticks', { price: '99.05' }, '40015'],
    ['more than the margin pays for', { size: '2000' }, '40015'],
    ['a close without a position', { type: '3' }, '40015'],
    ['the other margin mode', { marginMode: 3 }, '40015'],
    ['a stop loss above an order that buys', { presetStopLossPrice: '99.5' }, '40015'],
    ['an unknown contract', { symbol: 'cmt_dogeusdt' }, '40102'],
  ])('refuses %s', async (_, terms, code) => {
    expect(await failure(client.placeFuturesOrder(order(terms)))).toMatchObject({ code: 'EXCHANGE_REFUSED', exchangeCode: code });
  });

  test('needs a price for a limit order, and refuses a client id that is in use', async () => {
    expect(await failure(client.placeFuturesOrder(order({ price: undefined })))).toMatchObject({ code: 'REQUEST_INVALID' });
    await place({ client_oid: 'once' });
    expect(await failure(client.placeFuturesOrder(order({ client_oid: 'once' })))).toMatchObject({ exchangeCode: '43002' });
  });

  test('places its preset exits once it is over, for what it has filled', async () => {
    const id = await place({ presetTakeProfitPrice: '110', presetStopLossPrice: '90' });
    expect(await client.triggers()).toEqual([]);
    price('99');
    expect(await client.triggers()).toMatchObject([
      { type: '3', size: '1', triggerPrice: '90', status: '0' },
      { type: '3', size: '1', triggerPrice: '110', status: '0' },
    ]);
    expect(await client.futuresOrder({ orderId: id })).toMatchObject({ presetTakeProfitPrice: '110', presetStopLossPrice: '90' });
    price('110');
    expect(await sizes()).toEqual([]);
  });
});

describe('batchOrders', () => {
  test('gives every order its own result', async () => {
    const { symbol: _, ...first } = order({ client_oid: 'a' });
    const { symbol: __, ...second } = order({ client_oid: 'b', size: '2000' });
    const { order_info, result } = await client.futuresBatchOrders({ symbol: PERP, orderDataList: [first, second] });
    expect(result).toBe(false);
    expect(order_info).toMatchObject([
      { client_oid: 'a', result: true, error_code: '' },
      { client_oid: 'b', result: false, error_code: '40015' },
    ]);
    expect(await open()).toEqual([order_info[0]!.order_id]);
  });

  test('takes at most 20 orders', async () => {
    const orderDataList = Array.from({ length: 21 }, () => order());
    expect(await failure(client.futuresBatchOrders({ symbol: PERP, orderDataList }))).toMatchObject({ code: 'REQUEST_INVALID' });
    const body = { symbol: PERP, orderDataList: orderDataList.map(({ symbol: _, ...terms }) => terms) };
    const { json } = await local.send({ host: 'futures', target: '/capi/v2/order/batchOrders', body, as: 'guest' });
    expect(json).toMatchObject({ code: '40912' });
  });

  test('may leave an order that it placed out of its reply, by setting', async () => {
    await instead({ behaviour: { batchReply: 'part' } });
    const orderDataList = [order({ client_oid: 'a' }), order({ client_oid: 'b' })];
    const { order_info } = await client.futuresBatchOrders({ symbol: PERP, orderDataList });
    expect(order_info.map(({ client_oid }) => client_oid)).toEqual(['a']);
    expect((await client.futuresOrders()).map(({ client_oid }) => client_oid)).toEqual(['b', 'a']);
  });
});

describe('cancels', () => {
  test('cancel_batch_orders cancels by either id, and names those it could not', async () => {
    const [one] = [await place({ client_oid: 'one' }), await place({ client_oid: 'two' })];
    expect(await client.cancelFuturesBatch({ ids: [one, '5'] })).toMatchObject({
      result: true,
      orderIds: [one],
      clientOids: ['one'],
      cancelOrderResultList: [{ result: true }, { order_id: '5', result: false, err_msg: 'FAILED_ORDER_NOT_FOUND' }],
      failInfos: [{ order_id: '5' }],
    });
    expect(await client.cancelFuturesBatch({ cids: ['two'] })).toMatchObject({ result: true, clientOids: ['two'] });
    expect(await open()).toEqual([]);
    expect(await failure(client.cancelFuturesBatch({}))).toMatchObject({ code: 'REQUEST_INVALID' });
  });

  test('cancel_plan cancels a waiting trigger, and no other order', async () => {
    const { order_id } = await client.triggerOrder(trigger());
    const plain = await place();
    expect(await client.cancelTrigger({ orderId: plain })).toMatchObject({ result: false, err_msg: 'FAILED_ORDER_NOT_FOUND' });
    expect(await client.cancelTrigger({ orderId: order_id })).toMatchObject({ order_id, result: true });
    expect(await client.cancelTrigger({ orderId: order_id })).toMatchObject({ result: false });
    expect(await open()).toEqual([plain]);
  });

  test('cancelAllOrders cancels orders or triggers', async () => {
    const [first, second] = [await place(), await place()];
    const { order_id: waiting } = await client.triggerOrder(trigger());
    expect(await client.cancelAllFutures({ cancelOrderType: 'normal', symbol: PERP })).toEqual([
      { orderId: first, success: true },
      { orderId: second, success: true },
    ]);
    expect(await open()).toEqual([waiting]);
    expect(await client.cancelAllFutures({ cancelOrderType: 'plan' })).toEqual([{ orderId: waiting, success: true }]);
    expect(await open()).toEqual([]);
  });

  test('closePositions closes both sides of a contract at market', async () => {
    await market({ size: '1' });
    await market({ type: '2', size: '0.5' });
    const closed = await client.closePositions({ symbol: PERP });
    expect(closed).toMatchObject([{ success: true }, { success: true }]);
    expect(await client.futuresOrder({ orderId: closed[0]!.successOrderId })).toMatchObject({ type: 'close_long', status: 'filled' });
    expect(await sizes()).toEqual([]);
  });

  test('a cancel may act after its reply, by setting', async () => {
    await instead({ behaviour: { futuresCancelMs: 1_000 } });
    const id = await place();
    expect(await client.cancelFuturesBatch({ ids: [id] })).toMatchObject({ result: true });
    expect(await open()).toEqual([id]);
    local.step(1_000);
    expect(await open()).toEqual([]);
  });

  test.each([
    ['over', 'FAILED_ORDER_NOT_FOUND: the order is over'],
    ['notFound', 'FAILED_ORDER_NOT_FOUND'],
  ] as const)('a cancel of a filled order says "%s", by setting', async (endedCancel, message) => {
    await instead({ behaviour: { endedCancel } });
    const id = await market();
    expect((await client.cancelFuturesBatch({ ids: [id] })).failInfos).toMatchObject([{ order_id: id, err_msg: message }]);
  });
});

describe('placeTpSlOrder and modifyTpSlOrder', () => {
  const stop = (terms: Partial<Parameters<ExchangeClient['placeTpSl']>[0]> = {}) =>
    client.placeTpSl({
      symbol: PERP,
      clientOrderId: '',
      planType: 'loss_plan',
      triggerPrice: '95',
      size: '1',
      positionSide: 'long',
      ...terms,
    });

  test('place a trigger that closes the position, and move it', async () => {
    await market();
    const [placed] = await stop();
    expect(await client.modifyTpSl({ orderId: placed!.orderId, triggerPrice: '97' })).toEqual({ requestTime: T0 });
    expect(await client.triggers()).toMatchObject([{ order_id: placed!.orderId, triggerPrice: '97', type: '3' }]);
    price('97.1');
    expect(await sizes()).toEqual(['LONG 1']);
    price('97');
    expect(await sizes()).toEqual([]);
    expect(await failure(client.modifyTpSl({ orderId: placed!.orderId, triggerPrice: '96' }))).toMatchObject({ exchangeCode: '43004' });
  });

  test.each([
    ['a stop loss of a long above the price', { triggerPrice: '101' }],
    ['a take profit of a long below the price', { planType: 'profit_plan' as const }],
    ['a stop loss of a short below the price', { positionSide: 'short' as const }],
  ])('refuse %s', async (_, terms) => {
    await market();
    expect(await failure(stop(terms))).toMatchObject({ exchangeCode: '40015' });
  });

  test('refuse to move what is no trigger, or by a price that triggers none', async () => {
    await market();
    const plain = await place();
    expect(await failure(client.modifyTpSl({ orderId: plain, triggerPrice: '96' }))).toMatchObject({ exchangeCode: '50005' });
    const [placed] = await stop();
    const byMark = { orderId: placed!.orderId, triggerPrice: '96', triggerPriceType: 3 };
    expect(await failure(client.modifyTpSl(byMark))).toMatchObject({ exchangeCode: '40020' });
  });
});

describe('records', () => {
  test('fills have value, fee, profit and words, newest first', async () => {
    const opening = await market({ size: '2' });
    price('105');
    const closing = await market({ type: '3', size: '0.5' });
    const { list, nextFlag, totals } = await client.futuresFills({ symbol: PERP });
    expect({ nextFlag, totals }).toEqual({ nextFlag: false, totals: 2 });
    expect(list).toMatchObject([
      // 0.5 x 105, 52.5 x 0.0006, 0.5 x (105 - 100)
      {
        orderId: closing,
        positionSide: 'LONG',
        orderSide: 'SELL',
        fillSize: '0.5',
        fillValue: '52.5',
        fillFee: '0.0315',
        realizePnl: '2.5',
        direction: 'CLOSE_LONG',
        liquidateType: '',
        liquidateFee: '0',
        createdTime: T0,
      },
      { orderId: opening, orderSide: 'BUY', fillSize: '2', fillValue: '200', fillFee: '0.12', realizePnl: '0', direction: 'OPEN_LONG' },
    ]);
    expect((await client.futuresFills({ limit: 1 })).nextFlag).toBe(true);
    expect((await client.futuresFills({ orderId: opening })).list).toHaveLength(1);
    expect((await client.futuresFills({ startTime: T0 + 1 })).list).toEqual([]);
  });

  test('a liquidation is a fill of its kind, with its fee apart, and bills that begin and end it', async () => {
    // 10,000 USDT carry 900 BTC down to 88.9: at 88 the loss is 10,800, and the fund pays what is missing.
    await market({ size: '900' });
    price('88');
    const [forced] = (await client.futuresFills()).list;
    expect(forced).toMatchObject({ direction: 'CLOSE_LONG', liquidateType: 'FORCE_LIQUIDATE', fillFee: '0' });
    expect(await client.futuresOrder({ orderId: forced!.orderId })).toMatchObject({ type: 'burst_liquidate_long', client_oid: '' });
    const kinds = (await client.futuresBills({ limit: 100 })).items.map(({ businessType }) => businessType);
    expect(kinds.slice(0, 4)).toEqual(['finish_liquidate', 'transfer_in', 'position_close_long', 'start_liquidate']);
  });

  test('words of a fill are empty or odd, by setting', async () => {
    await instead({ behaviour: { fillWords: 'odd' } });
    await market();
    expect((await client.futuresFills()).list).toMatchObject([{ direction: 'TAKER', liquidateFee: 'MAKER', liquidateType: '' }]);
    await instead({ behaviour: { fillWords: 'empty' } });
    await market();
    expect((await client.futuresFills()).list).toMatchObject([{ direction: '', liquidateFee: '', legacyOrdeDirection: '' }]);
  });

  test('detail knows open and ended orders, and refuses an unknown id with 50007', async () => {
    const id = await place();
    expect(await client.futuresOrder({ orderId: id })).toMatchObject({ order_id: id, status: 'open', filledQtyContracts: 0 });
    expect(await failure(client.futuresOrder({ orderId: '5' }))).toMatchObject({ exchangeCode: '50007' });
  });

  test('history has the orders that are over, and triggers that fired, not those that wait', async () => {
    const resting = await place();
    const filled = await market();
    const { order_id: fired } = await client.triggerOrder(trigger({ type: '1', trigger_price: '100' }));
    await client.triggerOrder(trigger({ trigger_price: '120' }));
    expect((await client.futuresHistory()).map(({ order_id, status }) => [order_id, status])).toEqual([
      [fired, 'filled'],
      [filled, 'filled'],
    ]);
    await client.cancelFuturesBatch({ ids: [resting] });
    expect((await client.futuresHistory({ pageSize: 1 })).map(({ order_id }) => order_id)).toEqual([fired]);
    expect((await client.futuresHistory({ symbol: PERP })).map(({ order_id }) => order_id)).toContain(resting);
  });

  test.each([
    ['either', 1, 1],
    ['either', T0 + 1, 0],
    ['days', 1, 1],
    ['time', 1, 1],
    ['time', T0 + 1, 0],
  ] as const)('createDate is read as "%s": %d finds %d', async (createDate, given, found) => {
    await instead({ behaviour: { createDate } });
    await market();
    expect(await client.futuresHistory({ createDate: given })).toHaveLength(found);
  });

  test('triggers and their history have numeric states', async () => {
    const { order_id: waits } = await client.triggerOrder(trigger({ client_oid: 'w', trigger_price: '120' }));
    const { order_id: fires } = await client.triggerOrder(trigger({ trigger_price: '110' }));
    const { order_id: dropped } = await client.triggerOrder(trigger({ trigger_price: '130' }));
    await client.cancelTrigger({ orderId: dropped });
    price('110');
    expect(await client.triggers({ symbol: PERP })).toMatchObject([
      { order_id: waits, client_oid: 'w', status: '0', type: '1', triggerPrice: '120', triggerPriceType: '1', triggerTime: 0 },
    ]);
    const { list, nextPage } = await client.triggerHistory({ symbol: PERP });
    expect(nextPage).toBe(false);
    expect(list.map(({ order_id, status, triggerTime }) => [order_id, status, triggerTime])).toEqual([
      [dropped, '-1', 0],
      [fires, '2', T0],
    ]);
    expect((await client.triggerHistory({ symbol: PERP, delegateType: '2' })).list).toEqual([]);
  });

  test.each([
    ['kept', true, true],
    ['newWithClientId', false, true],
    ['new', false, false],
  ] as const)('the order of a fired trigger has its id "%s", by setting', async (firedTriggerId, sameId, sameClientId) => {
    await instead({ behaviour: { firedTriggerId } });
    const { order_id } = await client.triggerOrder(trigger({ client_oid: 'mine', match_type: '0', execute_price: '105' }));
    price('110');
    const [shown] = await client.futuresOrders();
    expect([shown!.order_id === order_id, shown!.client_oid === 'mine']).toEqual([sameId, sameClientId]);
    expect((await client.triggerHistory({ symbol: PERP })).list).toMatchObject([{ order_id, client_oid: 'mine', status: '2' }]);
    price('105');
    expect((await client.futuresFills()).list).toMatchObject([{ orderId: shown!.order_id }]);
  });

  test('operation 14 leaves out waiting triggers, by setting', async () => {
    await instead({ behaviour: { currentListsTriggers: false } });
    const { order_id } = await client.triggerOrder(trigger());
    expect(await open()).toEqual([]);
    expect((await client.triggers()).map((one) => one.order_id)).toEqual([order_id]);
  });

  test('each list lags by itself: an order can be in none of them', async () => {
    await instead({ lists: { lagMs: { history: 2_000, fills: 1_000, bills: 3_000, detail: 500 } } });
    const id = await market();
    const seen = async () => [
      (await client.futuresFills()).list.length,
      (await client.futuresHistory()).length,
      (await client.futuresBills({ businessType: 'position_open_long' })).items.length,
      (await client.futuresOrder({ orderId: id }).catch(() => undefined))?.status,
    ];
    expect(await open()).toEqual([]);
    expect(await seen()).toEqual([0, 0, 0, undefined]);
    local.step(1_000);
    expect(await seen()).toEqual([1, 0, 0, 'filled']);
    local.step(2_000);
    expect(await seen()).toEqual([1, 1, 1, 'filled']);
  });

  test('bills less their fees sum to the balance', async () => {
    await market({ size: '3' });
    price('107');
    await market({ type: '3', size: '2' });
    const { items, hasNextPage } = await client.futuresBills({ limit: 100, coin: 'USDT' });
    expect(hasNextPage).toBe(false);
    const sum = items.reduce((total, { amount, fillFee }) => total.plus(amount).minus(fillFee || '0'), new Decimal(0));
    const { equity, unrealizePnl } = (await client.futuresAssets())[0]!;
    expect(sum.toFixed()).toBe(new Decimal(equity).minus(unrealizePnl ?? '0').toFixed());
    expect(items[0]!.balance).toBe(sum.toFixed());
    expect(items.at(-1)).toMatchObject({ businessType: 'transfer_in', amount: '10000', symbol: '' });
  });
});

describe('settings', () => {
  test('leverage is read and set, by symbol, and decides the margin', async () => {
    await market();
    expect(await client.leverageSettings()).toEqual({
      [PERP]: { isolated_long_leverage: '10', isolated_short_leverage: '10', cross_leverage: '10' },
    });
    expect((await client.allPositions())[0]).toMatchObject({ leverage: '10', marginSize: '10', contractVal: '0.000001' });
    await client.setLeverage({ symbol: PERP, marginMode: 1, longLeverage: '20', shortLeverage: '20' });
    expect((await client.leverageSettings({ symbol: PERP }))[PERP]).toMatchObject({ cross_leverage: '20' });
    // 100 / 20
    expect((await client.allPositions())[0]).toMatchObject({ leverage: '20', marginSize: '5' });
    expect((await client.futuresAssets())[0]).toMatchObject({ frozen: '5' });
  });

  test.each([
    ['while an order of the contract is open', { longLeverage: '20', shortLeverage: '20' }, '40015'],
    ['with two values in cross mode', { longLeverage: '20', shortLeverage: '10' }, '40020'],
    ['in the other margin mode', { marginMode: 3, longLeverage: '20', shortLeverage: '20' }, '40015'],
    ['above the highest', { longLeverage: '401', shortLeverage: '401' }, '50007'],
  ])('leverage is refused %s', async (_, change, code) => {
    await place();
    expect(await failure(client.setLeverage({ symbol: PERP, marginMode: 1, ...change }))).toMatchObject({ exchangeCode: code });
  });

  test('leverage that the free margin does not pay for is refused', async () => {
    await market({ size: '900' });
    const request = { symbol: PERP, marginMode: 1, longLeverage: '1', shortLeverage: '1' };
    expect(await failure(client.setLeverage(request))).toMatchObject({ exchangeCode: '40015' });
    expect((await client.leverageSettings())[PERP]).toMatchObject({ cross_leverage: '10' });
  });
});

describe('market', () => {
  test('contracts have steps, fees and limits', async () => {
    expect(await client.contracts()).toMatchObject([
      {
        symbol: PERP,
        underlying_index: 'BTC',
        quote_currency: 'USDT',
        contract_val: '0.000001',
        tick_size: '1',
        priceEndStep: '1',
        size_increment: '4',
        minOrderSize: '0.0001',
        makerFeeRate: '0.0002',
        takerFeeRate: '0.0006',
      },
    ]);
    expect(await failure(client.contracts({ symbol: 'cmt_dogeusdt' }))).toMatchObject({ exchangeCode: '40102' });
  });

  test('the book has the best prices first', async () => {
    const { bids, asks, timestamp } = await client.futuresDepth({ symbol: PERP });
    expect([bids[0]![0], asks[0]![0], timestamp]).toEqual(['100', '100', T0]);
  });

  test('funding rates are those that were paid, and each payment is a bill', async () => {
    expect(await client.fundingRate()).toEqual([{ symbol: PERP, fundingRate: '0', collectCycle: 480, timestamp: T0 }]);
    expect(await client.fundingHistory({ symbol: PERP })).toEqual([]);
    const funding$ = new Subject<Funding>();
    await instead({ feed: { events$: funding$ } });
    await market({ size: '2' });
    const perp = local.exchange.exchange.instruments[2]!;
    for (const rate of ['0.001', '-0.0005']) {
      local.step(4 * 3_600_000);
      funding$.next(new Funding(perp, local.exchange.now(), 0, new Decimal(rate)));
    }
    const [first, second] = [T0 + 4 * 3_600_000, T0 + 8 * 3_600_000];
    expect(await client.fundingRate({ symbol: PERP })).toMatchObject([{ fundingRate: '-0.0005', collectCycle: 240 }]);
    expect(await client.fundingHistory({ symbol: PERP, limit: 2 })).toEqual([
      { symbol: PERP, fundingRate: '-0.0005', fundingTime: second },
      { symbol: PERP, fundingRate: '0.001', fundingTime: first },
    ]);
    // A long of 200 USDT pays 0.001 of it, and receives 0.0005.
    expect((await client.futuresBills({ businessType: 'position_funding' })).items).toMatchObject([
      { amount: '0.1', symbol: PERP, ctime: second },
      { amount: '-0.2', symbol: PERP, ctime: first },
    ]);
  });
});
