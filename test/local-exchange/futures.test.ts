import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { ExchangeClient } from '../../src/exchange/client/exchange-client.ts';
import type { ListSettings } from '../../src/local-exchange/options.ts';
import { Decimal } from '../../src/model/decimal.ts';
import { T0 } from '../builders.ts';
import { failure, type Local, PERP, startLocal, trigger } from './local.ts';

let local: Local;
let client: ExchangeClient;
beforeEach(async () => {
  local = await startLocal();
  client = local.client();
  local.price('BTC-USDT-PERP', '100');
});
afterEach(() => local.close());

type Order = ReturnType<typeof trigger>;
const place = (order: Partial<Order> = {}) => client.triggerOrder(trigger(order));
const refusal = async (order: Partial<Order>) => (await failure(place(order))).exchangeCode;
const statuses = async (who = client) => (await who.futuresOrders()).map(({ status }) => status);
const positions = () => client.singlePosition({ symbol: PERP });

describe('a trigger order', () => {
  test('waits untriggered, fires when the price is there, and opens a position', async () => {
    const { order_id, client_oid } = await place({ client_oid: 'mine' });
    expect(client_oid).toBe('mine');
    expect(await client.futuresOrders()).toEqual([
      {
        symbol: PERP,
        size: '1',
        client_oid: 'mine',
        createTime: T0,
        filled_qty: '0',
        fee: '0',
        order_id,
        price: '0.0',
        price_avg: '0',
        status: 'untriggered',
        type: 'open_long',
        order_type: 'ioc',
        totalProfits: '0',
        // One contract is a millionth of a BTC.
        contracts: 1_000_000,
      },
    ]);
    local.price('BTC-USDT-PERP', '109.9');
    expect(await statuses()).toEqual(['untriggered']);
    local.price('BTC-USDT-PERP', '110');
    expect(await statuses()).toEqual([]);
    expect(await positions()).toMatchObject([
      {
        id: order_id,
        contract_id: '10000001',
        coin_id: 2,
        side: 'LONG',
        margin_mode: 'SHARED',
        separated_mode: 'COMBINED',
        leverage: '10',
        size: '1',
        open_value: '110',
        open_fee: '0.066',
      },
    ]);
  });

  test('with a limit rests at it once fired, and is filled there', async () => {
    await place({ match_type: '0', execute_price: '105', trigger_price: '110' });
    local.price('BTC-USDT-PERP', '110');
    expect(await client.futuresOrders()).toMatchObject([{ status: 'open', order_type: 'normal', price: '105' }]);
    local.price('BTC-USDT-PERP', '105');
    expect(await positions()).toMatchObject([{ open_value: '105', open_fee: '0.021' }]);
  });

  test('without a client id gets one', async () => {
    const { client_oid } = await place({ client_oid: '' });
    expect(client_oid).toMatch(/^auto_\d+$/);
    expect(await client.cancelFuturesOrder({ symbol: PERP, clientOid: client_oid })).toMatchObject({ result: true });
  });

  test('can be canceled while it waits, once, with or without its symbol', async () => {
    const { order_id } = await place({ client_oid: 'mine' });
    const cancel = (body: object) => local.send({ host: 'futures', target: '/capi/v2/order/cancel_order', body, as: 'guest' });
    expect((await cancel({ orderId: order_id })).json).toEqual({
      order_id,
      client_oid: 'mine',
      symbol: PERP,
      result: true,
      err_code: null,
      err_msg: null,
    });
    expect((await cancel({ symbol: PERP, clientOid: 'mine' })).json).toMatchObject({ result: false, err_code: '43004' });
    expect((await cancel({ symbol: PERP, orderId: '5' })).json).toMatchObject({
      result: false,
      err_code: '43001',
      err_msg: 'FAILED_ORDER_NOT_FOUND',
    });
    expect(await statuses()).toEqual([]);
  });

  test.each<[string, Partial<Order>, string]>([
    ['an unknown contract', { symbol: 'cmt_xusdt' }, '40102'],
    ['a spot pair', { symbol: 'BTCUSDT_SPBL' }, '40102'],
    ['a size off the step', { size: '0.00001' }, '40015'],
    ['a trigger off the tick', { trigger_price: '110.05' }, '40015'],
    ['a limit off the tick', { match_type: '0', execute_price: '110.05' }, '40015'],
  ])('with %s is refused', async (_name, order, code) => {
    expect(await refusal(order)).toBe(code);
    expect(await statuses()).toEqual([]);
  });

  test('with a client id in use is refused, and creates nothing', async () => {
    await place({ client_oid: 'mine' });
    expect(await failure(place({ client_oid: 'mine' }))).toMatchObject({ exchangeCode: '43002', outcome: 'unknown' });
    expect(await statuses()).toHaveLength(1);
  });

  test('that lacks margin when it fires is canceled', async () => {
    const { order_id } = await place({ size: '2000' });
    local.price('BTC-USDT-PERP', '110');
    expect(await positions()).toEqual([]);
    expect(await client.cancelFuturesOrder({ symbol: PERP, orderId: order_id })).toMatchObject({ result: false });
  });
});

describe('the list of current orders', () => {
  test("is filtered by id and period, paged from 0, newest first, with the owner's orders only", async () => {
    const ids: string[] = [];
    for (let minute = 0; minute < 5; minute++) {
      ids.push((await place()).order_id);
      local.step(60_000);
    }
    const list = async (request: object) => (await client.futuresOrders(request)).map(({ order_id }) => ids.indexOf(order_id));
    expect(await list({})).toEqual([4, 3, 2, 1, 0]);
    expect(await list({ limit: 2, page: 1 })).toEqual([2, 1]);
    expect(await list({ orderId: ids[1] })).toEqual([1]);
    expect(await list({ startTime: T0 + 60_000, endTime: T0 + 120_000 })).toEqual([2, 1]);
    expect(await list({ symbol: PERP, limit: 1 })).toEqual([4]);
    expect(await statuses(local.client('stranger'))).toEqual([]);
  });

  test('lists ended orders if configured, and flat positions too', async () => {
    const keeping = await startLocal({ lists: { keepTerminalOrders: true, keepFlatPositions: true } });
    try {
      const keeper = keeping.client();
      keeping.price('BTC-USDT-PERP', '100');
      await keeper.triggerOrder(trigger({ trigger_price: '100' }));
      await keeper.triggerOrder(trigger({ trigger_price: '100', type: '3' }));
      const { order_id } = await keeper.triggerOrder(trigger());
      await keeper.cancelFuturesOrder({ symbol: PERP, orderId: order_id });
      expect(await keeper.futuresOrders()).toMatchObject([
        { status: 'canceled', type: 'open_long' },
        { status: 'filled', type: 'close_long', price_avg: '100', fee: '0.06' },
        { status: 'filled', type: 'open_long', filled_qty: '1' },
      ]);
      expect(await keeper.singlePosition({ symbol: PERP })).toMatchObject([{ size: '0', cum_open_size: '1', cum_close_size: '1' }]);
    } finally {
      await keeping.close();
    }
  });
});

describe('details that the document does not define', () => {
  async function quiet(lists: Partial<ListSettings>) {
    const there = await startLocal({ lists });
    there.price('BTC-USDT-PERP', '100');
    return { there, user: there.client() };
  }

  test('an order is shown as pending for as long as is set, and a fill ends that', async () => {
    const { there, user } = await quiet({ pendingMs: 2_000 });
    try {
      const rests = await user.triggerOrder(trigger({ trigger_price: '100', match_type: '0', execute_price: '90' }));
      const waits = await user.triggerOrder(trigger({ trigger_price: '110' }));
      const shown = async () => new Map((await user.futuresOrders()).map(({ order_id, status }) => [order_id, status]));
      expect(await shown()).toEqual(
        new Map([
          [waits.order_id, 'untriggered'],
          [rests.order_id, 'pending'],
        ]),
      );
      there.step(1_000);
      there.exchange.exchange.perform('price', ['trade', 2, 900, 100, -1], there.clock.now());
      expect((await shown()).get(rests.order_id)).toBe('open');
    } finally {
      await there.close();
    }
  });

  test.each([true, false])(
    'a canceled order is shown as canceling for as long as is set (orders that are over are kept: %s)',
    async (keepTerminalOrders) => {
      const { there, user } = await quiet({ cancelingMs: 2_000, keepTerminalOrders });
      try {
        const { order_id: orderId } = await user.triggerOrder(trigger({ trigger_price: '110' }));
        const shown = async () => (await user.futuresOrders()).map(({ status }) => status);
        expect(await user.cancelFuturesOrder({ symbol: PERP, orderId })).toMatchObject({ result: true });
        there.step(1_999);
        expect(await shown()).toEqual(['canceling']);
        there.step(1);
        expect(await shown()).toEqual(keepTerminalOrders ? ['canceled'] : []);
      } finally {
        await there.close();
      }
    },
  );

  test.each(['SHARED', 'CROSS'] as const)('shared margin is called %s where that is set', async (sharedMode) => {
    const { there, user } = await quiet({ sharedMode });
    try {
      await user.triggerOrder(trigger({ trigger_price: '100' }));
      const { account, collateral, position } = await user.futuresAccount({ coinId: '2' });
      expect(Object.values(account.contract_id_to_mode_setting)).toMatchObject([{ margin_mode: sharedMode }]);
      expect(collateral).toMatchObject([{ margin_mode: sharedMode, cross_contract_id: 0 }]);
      expect(position).toMatchObject([{ margin_mode: sharedMode }]);
    } finally {
      await there.close();
    }
  });

  test('a position is closed by agreement at the price agreed on, without a fee, and its orders are canceled', async () => {
    const { there, user } = await quiet({ keepTerminalOrders: true });
    try {
      await user.triggerOrder(trigger({ trigger_price: '100' }));
      await user.triggerOrder(trigger({ trigger_price: '90', type: '3' }));
      there.exchange.control.agree('guest', 'BTC-USDT-PERP', 'long', '103');
      expect(await user.futuresOrders()).toMatchObject([
        { type: 'agreement_close_long', status: 'filled', price_avg: '103', filled_qty: '1', fee: '0', client_oid: '' },
        { type: 'close_long', status: 'canceled' },
        { type: 'open_long', status: 'filled' },
      ]);
      expect(await user.singlePosition({ symbol: PERP })).toEqual([]);
      // 10000, a taker's fee of 0.06 % of 100, and a profit of 3.
      expect(await user.futuresAssets()).toMatchObject([{ equity: '10002.94', frozen: '0' }]);
      there.exchange.control.agree('guest', 'BTC-USDT-PERP', 'long', '103');
      expect(() => there.exchange.control.agree('guest', 'BTC-USDT', 'long', '103')).toThrow(/unknown contract/);
    } finally {
      await there.close();
    }
  });

  test('a part of a position is closed by auto-deleveraging, without a fee and without the bills of a liquidation', async () => {
    const { there, user } = await quiet({ keepTerminalOrders: true });
    try {
      await user.triggerOrder(trigger({ trigger_price: '100', type: '2' }));
      there.exchange.control.deleverage('guest', 'BTC-USDT-PERP', 'short', '97', '0.4');
      expect(await user.futuresOrders()).toMatchObject([
        { type: '8', status: 'filled', price_avg: '97', filled_qty: '0.4', fee: '0', client_oid: '' },
        { type: 'open_short', status: 'filled' },
      ]);
      expect(await user.singlePosition({ symbol: PERP })).toMatchObject([{ side: 'SHORT', size: '0.6' }]);
      // 10000, a taker's fee of 0.06 % of 100, and a profit of 0.4 x 3.
      expect(await user.futuresAssets()).toMatchObject([{ equity: '10001.14' }]);
      const { items } = await user.futuresBills({ coin: 'USDT' });
      expect(items.map(({ businessType }) => businessType).filter((type) => /liquidate|close/.test(type))).toEqual([
        'position_close_short',
      ]);
      expect(() => there.exchange.control.deleverage('guest', 'BTC-USDT-PERP', 'short', '97', '0')).toThrow(/above 0/);
    } finally {
      await there.close();
    }
  });
});

describe('positions and collateral', () => {
  test('spell ids as integers in operation 15 and as strings in operation 16', async () => {
    const { order_id } = await place({ trigger_price: '100' });
    const single = await local.send({ host: 'futures', target: `/capi/v2/account/position/singlePosition?symbol=${PERP}`, as: 'guest' });
    expect(single.text).toContain(`"id":${order_id},`);
    const account = await local.send({ host: 'futures', target: '/capi/v2/account/account?coinId=2', as: 'guest' });
    expect(account.text).toContain(`"id":"${order_id}",`);
  });

  test('have a long and a short side, and a close brings profit', async () => {
    await place({ trigger_price: '100' });
    await place({ trigger_price: '100', type: '2', size: '0.5' });
    local.price('BTC-USDT-PERP', '120');
    // Long 1 at 100 has gained 20, short 0.5 has lost 10; fees 0.06 and 0.03; margins 10 and 5.
    expect(await client.futuresAssets()).toMatchObject([
      { coinName: 'USDT', unrealizePnl: '10', equity: '10009.91', frozen: '15', available: '9994.91' },
    ]);
    await place({ trigger_price: '120', type: '3' });
    expect(await positions()).toMatchObject([{ side: 'SHORT', size: '0.5' }]);
    await place({ trigger_price: '120', type: '4', size: '0.2' });
    expect(await positions()).toMatchObject([{ side: 'SHORT', size: '0.3' }]);
    // 10000 - 0.06 - 0.03 + 20 - 0.072, and 0.2 of the short closed: -4 - 0.0144; 0.3 of it has lost 6.
    expect(await client.futuresAssets()).toMatchObject([{ equity: '10009.8236', unrealizePnl: '-6' }]);
  });

  test('are one picture in operation 16, whose version moves with it and whose sums add up', async () => {
    const before = await client.futuresAccount({ coinId: '2' });
    expect(before.position).toEqual([]);
    await place({ trigger_price: '100' });
    const after = await client.futuresAccount({ coinId: '2' });
    expect(Number(after.version)).toBeGreaterThan(Number(before.version));
    expect(after.account).toMatchObject({ user_id: local.account('guest').uid, status: 'NORMAL' });
    expect(after.account.contract_id_to_mode_setting['10000001']).toEqual({
      contract_id: '10000001',
      margin_mode: 'SHARED',
      separated_mode: 'COMBINED',
      position_mode: 'HEDGE',
    });
    expect(after.account.contract_id_to_fee_setting['10000001']).toMatchObject({ taker_fee_rate: '0.0006', maker_fee_rate: '0.0002' });
    const [collateral] = after.collateral;
    expect(collateral).toMatchObject({
      coin_id: 2,
      margin_mode: 'SHARED',
      legacy_amount: '9999.94',
      cum_deposit_amount: '10000',
      cum_position_open_long_amount: '-100',
      cum_position_fill_fee_amount: '-0.06',
    });
    const sums = Object.entries(collateral!).filter(([name]) => name.startsWith('cum_'));
    expect(sums.reduce((sum, [, amount]) => sum.plus(String(amount)), new Decimal(0)).toFixed()).toBe(collateral!.amount);
    expect(await failure(client.futuresAccount({ coinId: '99' }))).toMatchObject({ exchangeCode: '40020' });
  });

  test('that lack margin inside a bar are liquidated at its low, whatever its close', async () => {
    await place({ trigger_price: '100', size: '900' });
    // Walked 100, 101, 89, 100: at 89 the 900 have lost 9900 of 9946.
    local.exchange.exchange.perform('price', ['bar', 2, 1_000, 1_010, 890, 1_000, 10, 60_000], local.exchange.now());
    expect(await positions()).toEqual([]);
    const { collateral } = await client.futuresAccount({ coinId: '2' });
    expect(collateral[0]).toMatchObject({ amount: '0', cum_position_liquidate_fee_amount: '-46' });
  });

  test('that lack margin are liquidated, which shows as an order of the exchange', async () => {
    const keeping = await startLocal({ lists: { keepTerminalOrders: true } });
    try {
      const keeper = keeping.client();
      keeping.price('BTC-USDT-PERP', '100');
      await keeper.triggerOrder(trigger({ trigger_price: '100', size: '900' }));
      // 900 long at 100 on 10000 - 54 = 9946: at 89 it has lost 9900, and 46 is under the maintenance margin of 400.5.
      keeping.price('BTC-USDT-PERP', '89');
      expect(await keeper.singlePosition({ symbol: PERP })).toEqual([]);
      const [order] = await keeper.futuresOrders();
      expect(order).toMatchObject({
        type: 'burst_liquidate_long',
        status: 'filled',
        filled_qty: '900',
        client_oid: '',
        totalProfits: '-9900',
        fee: '46',
      });
      const { collateral } = await keeper.futuresAccount({ coinId: '2' });
      expect(collateral[0]).toMatchObject({ amount: '0', cum_position_liquidate_fee_amount: '-46' });
    } finally {
      await keeping.close();
    }
  });
});

test('operation 10 is enveloped on the spot host and bare on the futures host', async () => {
  const target = '/capi/v2/account/assets';
  const record = { coinId: 2, coinName: 'USDT', available: '10000', frozen: '0', equity: '10000', unrealizePnl: '0' };
  expect((await local.send({ target, as: 'guest' })).json).toMatchObject({ code: '00000', data: [record] });
  expect((await local.send({ target, host: 'futures', as: 'guest' })).json).toEqual([record]);
});
