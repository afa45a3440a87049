import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Instrument } from '../../src/model/instrument.ts';
import { T0 } from '../builders.ts';
import { ACCOUNTS, BTC, failure, type Local, spotOrder, startLocal, trigger } from './local.ts';

const DAY_MS = 86_400_000;

let local: Local;
beforeEach(async () => {
  local = await startLocal();
  local.price('BTC-USDT', '100');
  local.price('BTC-USDT-PERP', '100');
});
afterEach(() => local.close());

const buy = (quantity: string, account = 'guest') =>
  local.client(account).batchOrders({ symbol: BTC, orderList: [spotOrder({ orderType: 'market', quantity })] });

test('operations 17 to 20 refuse an account that is no affiliate, until the control API makes it one', async () => {
  const guest = local.client('guest');
  const calls = () => [
    guest.subAffiliateData({ productType: 'SPOT' }),
    guest.invitedUsers(),
    guest.internalWithdrawal({ toUserId: '5', coin: 'USDT', amount: '1' }),
    guest.internalWithdrawalStatus(),
  ];
  for (const call of calls()) expect(await failure(call)).toMatchObject({ exchangeCode: '40014', httpStatus: 403 });
  local.exchange.control.setStatus('guest', { affiliate: true });
  expect(await guest.invitedUsers()).toMatchObject({ total: 0 });
});

describe('operation 17', () => {
  test('sums the fills of a sub-affiliate by day, newest first, fees in quote and the commission a share of them', async () => {
    await buy('100');
    await buy('50');
    local.step(DAY_MS);
    await local.client().batchOrders({ symbol: BTC, orderList: [spotOrder({ side: 'sell', orderType: 'market', quantity: '0.2' })] });
    const { uid } = local.account('guest');
    // 2023-11-15: 150 at a thousandth of base, worth 0.15; the day after: 20 at a thousandth of quote.
    expect(await local.client('affiliate').subAffiliateData({ productType: 'SPOT' })).toEqual({
      records: [
        {
          subAffiliateUid: uid,
          productType: 'SPOT',
          date: '2023-11-16',
          tradingVolume: '20',
          netTradingFee: '0.02',
          paidCommission: '0.006',
        },
        {
          subAffiliateUid: uid,
          productType: 'SPOT',
          date: '2023-11-15',
          tradingVolume: '150',
          netTradingFee: '0.15',
          paidCommission: '0.045',
        },
      ],
      total: 2,
      size: 100,
      current: 1,
      pages: 1,
    });
  });

  test('separates products, sub-affiliates, periods and pages, and counts the users that a sub-affiliate invited', async () => {
    await buy('100');
    local.step(DAY_MS);
    await local.client().triggerOrder(trigger({ trigger_price: '100' }));
    local.exchange.control.setStatus('stranger', { inviter: 'guest' });
    await buy('30', 'stranger');
    const data = async (request: object) =>
      (await local.client('affiliate').subAffiliateData({ productType: 'SPOT', ...request })).records.map(
        ({ date, tradingVolume }) => `${date} ${tradingVolume}`,
      );
    expect(await data({})).toEqual(['2023-11-16 30', '2023-11-15 100']);
    expect(await data({ productType: 'FUTURES' })).toEqual(['2023-11-16 100']);
    expect(await data({ startTime: T0 + DAY_MS })).toEqual(['2023-11-16 30']);
    expect(await data({ endTime: T0 })).toEqual(['2023-11-15 100']);
    expect(await data({ subUid: local.account('guest').uid, pageSize: 1, pageNum: 2 })).toEqual(['2023-11-15 100']);
    expect(await data({ subUid: '5' })).toEqual([]);
  });

  test('sums trades of other coins in USDT, at the prices of their time', async () => {
    await local.close();
    const spec = { tickSize: '0.01', stepSize: '0.0001', makerFee: '0.001', takerFee: '0.001' };
    const symbols = ['BTC-USDT', 'ETH-BTC', 'ETH-EUR', 'USDT-EUR', 'ETH-XYZ'];
    const money = { USDT: '1000', BTC: '10', EUR: '1000', XYZ: '1000' };
    local = await startLocal({
      instruments: symbols.map((symbol, index) => new Instrument(index, { symbol, ...spec })),
      accounts: [ACCOUNTS[0]!, { ...ACCOUNTS[1]!, balances: { spot: money } }],
    });
    for (const [index, price] of ['50000', '0.04', '1800', '0.8', '9'].entries()) local.price(symbols[index]!, price);
    const spend = (symbol: string, quantity: string) =>
      local.client().batchOrders({ symbol, orderList: [spotOrder({ orderType: 'market', quantity })] });
    await spend('BTCUSDT_SPBL', '100');
    await spend('ETHBTC_SPBL', '0.4');
    await spend('ETHEUR_SPBL', '360');
    await spend('ETHXYZ_SPBL', '9');
    local.price('BTC-USDT', '60000');
    // 100, 0.4 BTC at 50000, 360 EUR at 1 / 0.8 = 1.25; of XYZ nobody knows the worth. Fees are a thousandth of each.
    expect((await local.client('affiliate').subAffiliateData({ productType: 'SPOT' })).records).toMatchObject([
      { tradingVolume: '20550', netTradingFee: '20.55', paidCommission: '6.165' },
    ]);
  });

  test('leaves out invited users that are no sub-affiliates', async () => {
    await buy('100');
    local.exchange.control.setStatus('guest', { subAffiliate: false });
    expect(await local.client('affiliate').subAffiliateData({ productType: 'SPOT' })).toMatchObject({ total: 0, pages: 0 });
  });

  test('answers in its odd envelope', async () => {
    const target = '/api/v2/rebate/affiliate/querySubChannelTransactions';
    const { json } = await local.send({ target, body: { productType: 'SPOT' }, as: 'affiliate' });
    expect(json).toMatchObject({ code: '00000', msg: 'success', requestTime: T0, data: { total: 0 } });
  });
});

describe('operation 18', () => {
  test('lists whom the caller invited, with first and last deposits and trades from the ledger', async () => {
    local.step(1_000);
    await buy('10');
    local.step(1_000);
    await buy('10');
    local.exchange.control.deposit('guest', 'funding', 'USDT', '5');
    expect(await local.client('affiliate').invitedUsers()).toEqual({
      pages: 1,
      pageSize: 100,
      total: 1,
      channelUserInfoItemList: [
        {
          uid: local.account('guest').uid,
          registerTime: T0,
          kycResult: true,
          inviteCode: expect.stringMatching(/^[0-9a-z]+$/),
          firstDeposit: T0,
          lastDeposit: T0 + 2_000,
          firstTrade: T0 + 1_000,
          lastTrade: T0 + 2_000,
        },
      ],
    });
  });

  test('leaves out transfers that never happened, filters, and pages from 1', async () => {
    local.exchange.control.setStatus('stranger', { inviter: 'affiliate' });
    const { json } = await local.send({ target: '/api/v2/rebate/affiliate/getAffiliateUIDs', as: 'affiliate' });
    expect(json).toMatchObject({ code: '200', timestamp: T0 });
    const [guest] = (json.data as { channelUserInfoItemList: object[] }).channelUserInfoItemList;
    expect(Object.keys(guest!)).not.toContain('firstTrade');
    const list = async (request: object) =>
      (await local.client('affiliate').invitedUsers(request)).channelUserInfoItemList.map(({ uid }) => uid);
    const uids = ['guest', 'stranger'].map((name) => local.account(name).uid);
    expect(await list({})).toEqual(uids);
    expect(await list({ uid: uids[1] })).toEqual([uids[1]]);
    expect(await list({ pageSize: 1, page: 2 })).toEqual([uids[1]]);
    expect(await list({ startTime: T0 + 1 })).toEqual([]);
  });
});

test('operations 19 and 20 have their payload next to the code', async () => {
  const target = '/api/v2/rebate/affiliate/internalWithdrawal';
  const body = `{"toUserId":${local.account('guest').uid},"coin":"USDT","amount":"1"}`;
  const sent = await local.send({ target, body, as: 'affiliate' });
  expect(sent.json).toEqual({ code: '200', id: expect.stringMatching(/^\d{18}$/), timestamp: T0 });
  const { json, text } = await local.send({ target: '/api/v2/rebate/affiliate/getInternalWithdrawalStatus', as: 'affiliate' });
  expect(json).toMatchObject({ code: '200', timestamp: T0, total: 1, list: [{ withdrawId: sent.json.id, createTime: T0 }] });
  expect(text).toContain(`"toUserId":${local.account('guest').uid},`);
});
