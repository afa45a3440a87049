import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { T0 } from '../builders.ts';
import { failure, type Local, startLocal, trigger } from './local.ts';

let local: Local;
beforeEach(async () => {
  local = await startLocal();
});
afterEach(() => local.close());

test("operation 9 shows the spot wallet, operation 10 the futures wallet, each its own account's", async () => {
  const guest = local.client('guest');
  expect(await guest.accountAssets()).toEqual([
    { coinId: 1, coinName: 'BTC', available: '1', frozen: '0', equity: '1' },
    { coinId: 2, coinName: 'USDT', available: '10000', frozen: '0', equity: '10000' },
  ]);
  expect(await local.client('stranger').accountAssets()).toMatchObject([{ coinName: 'USDT', equity: '1000' }]);
  expect(await local.client('stranger').futuresAssets()).toEqual([]);
});

describe('operation 11', () => {
  test('lists transfers newest first; after selects earlier ones, before later ones, both without their limit', async () => {
    const { control } = local.exchange;
    for (const [minute, amount] of ['1', '2', '3', '4'].entries()) {
      control.transfer('guest', 'USDT', amount, 'spot', minute % 2 === 0 ? 'futures' : 'funding');
      local.step(60_000);
    }
    const amounts = async (request: object) => (await local.client().transferRecords(request)).map(({ amount }) => amount);
    expect(await amounts({})).toEqual(['4', '3', '2', '1']);
    expect(await amounts({ after: T0 + 120_000 })).toEqual(['2', '1']);
    expect(await amounts({ before: T0 + 60_000 })).toEqual(['4', '3']);
    expect(await amounts({ before: T0, after: T0 + 180_000 })).toEqual(['3', '2']);
    expect(await amounts({ limit: 1 })).toEqual(['4']);
    expect(await amounts({ coinId: 1 })).toEqual([]);
    expect(await amounts({ coinId: 2, fromType: 'spot' })).toHaveLength(4);
    expect(await amounts({ fromType: 'CONTRACT' })).toEqual([]);
    expect(await failure(local.client().transferRecords({ after: 1, before: 2 }))).toMatchObject({ code: 'REQUEST_INVALID' });
    expect(await local.client().transferRecords({ limit: 1 })).toEqual([
      {
        coinName: 'USDT',
        status: 'SUCCESS',
        fromType: 'SPOT',
        fromSymbol: '',
        toType: 'FUND',
        toSymbol: '',
        amount: '4',
        tradeTime: T0 + 180_000,
      },
    ]);
    expect(await local.client('stranger').transferRecords()).toEqual([]);
  });

  test('and both wallets move', async () => {
    local.exchange.control.transfer('guest', 'USDT', '2500', 'spot', 'futures');
    expect((await local.client().accountAssets())[1]).toMatchObject({ equity: '7500' });
    expect(await local.client().futuresAssets()).toMatchObject([{ equity: '12500' }]);
    const { collateral } = await local.client().futuresAccount({ coinId: '2' });
    expect(collateral[0]).toMatchObject({ cum_deposit_amount: '10000', cum_transfer_in_amount: '2500', amount: '12500' });
    expect(() => local.exchange.control.transfer('guest', 'USDT', '7500.01', 'spot', 'futures')).toThrow('not enough');
    local.exchange.control.transfer('guest', 'USDT', '12500', 'futures', 'spot');
    expect((await local.client().futuresAccount({ coinId: '2' })).collateral[0]).toMatchObject({
      cum_transfer_out_amount: '-12500',
      amount: '0',
    });
  });
});

test('profit that is not realised cannot leave the futures wallet, nor can margin', async () => {
  local.price('BTC-USDT-PERP', '100');
  await local.client().triggerOrder(trigger({ trigger_price: '100', size: '100' }));
  local.price('BTC-USDT-PERP', '150');
  // 10000 - 6 of fees, 1000 of it margin; the 5000 gained are not there yet.
  const { available } = local.exchange.exchange.accounts.named('guest')!.wallets.futures;
  expect(available('USDT').toFixed()).toBe('8994');
  expect(() => local.exchange.control.transfer('guest', 'USDT', '8994.01', 'futures', 'spot')).toThrow('not enough');
  local.price('BTC-USDT-PERP', '60');
  // And 4000 lost are gone already.
  expect(available('USDT').toFixed()).toBe('4994');
});

describe('an internal withdrawal', () => {
  const send = (amount: string, more: object = {}) =>
    local.client('affiliate').internalWithdrawal({ toUserId: local.account('guest').uid, coin: 'USDT', amount, ...more });
  const money = async (name: string) => (await local.client(name).accountAssets()).find(({ coinName }) => coinName === 'USDT');
  const status = async () => (await local.client('affiliate').internalWithdrawalStatus()).list[0];

  test('is frozen while it is PROGRESSING, then arrives, and shows in both transfer records', async () => {
    const { id } = await send('12.345678');
    expect(await status()).toMatchObject({
      withdrawId: id,
      status: 'PROGRESSING',
      fromUserId: local.account('affiliate').uid,
      toUserId: local.account('guest').uid,
      amount: '12.345678',
      createTime: T0,
    });
    expect(await money('affiliate')).toMatchObject({ available: '9987.654322', frozen: '12.345678' });
    expect(await money('guest')).toMatchObject({ equity: '10000' });
    expect(await local.client('affiliate').transferRecords()).toMatchObject([{ status: 'PROGRESSING' }]);
    expect(await local.client('guest').transferRecords()).toEqual([]);
    local.step(2_000);
    expect(await status()).toMatchObject({ status: 'SUCCESS', updateTime: T0 + 2_000 });
    expect(await money('affiliate')).toMatchObject({ available: '9987.654322', frozen: '0', equity: '9987.654322' });
    expect(await money('guest')).toMatchObject({ available: '10012.345678' });
    const record = { status: 'SUCCESS', amount: '12.345678', fromType: 'SPOT', toType: 'SPOT' };
    expect(await local.client('affiliate').transferRecords()).toMatchObject([record]);
    expect(await local.client('guest').transferRecords()).toMatchObject([record]);
  });

  test('is dated in its receiver’s transfer records by its arrival, after all records that were read before', async () => {
    await send('1');
    local.step(1_000);
    local.exchange.control.transfer('guest', 'USDT', '5', 'spot', 'futures');
    const records = async (request: object = {}) =>
      (await local.client('guest').transferRecords(request)).map(({ amount, tradeTime }) => [amount, tradeTime]);
    expect(await records()).toEqual([['5', T0 + 1_000]]);
    local.step(1_000);
    const came = ['1', T0 + 2_000];
    expect(await records()).toEqual([came, ['5', T0 + 1_000]]);
    expect(await records({ before: T0 + 1_000 })).toEqual([came]);
    expect(await local.client('affiliate').transferRecords()).toMatchObject([{ tradeTime: T0 }]);
  });

  test('to a frozen account fails and is returned', async () => {
    local.exchange.control.setStatus('guest', { frozen: true });
    await send('100');
    local.step(2_000);
    expect(await status()).toMatchObject({ status: 'FAILED' });
    expect(await money('affiliate')).toMatchObject({ available: '10000', frozen: '0' });
    expect(await local.client('affiliate').transferRecords()).toMatchObject([{ status: 'FAILED' }]);
  });

  test('moves between the given wallets, and is listed by them', async () => {
    await send('50', { fromAccountType: 'FUND', toAccountType: 'SPOT' });
    local.step(2_000);
    expect(local.exchange.exchange.accounts.named('affiliate')!.funding.total('USDT').toFixed()).toBe('450');
    expect(await money('guest')).toMatchObject({ equity: '10050' });
    const list = async (request: object) => (await local.client('affiliate').internalWithdrawalStatus(request)).total;
    expect(await list({})).toBe(0);
    expect(await list({ fromAccountType: 'FUND' })).toBe(1);
    expect(await list({ fromAccountType: 'FUND', coin: 'BTC' })).toBe(0);
    expect(await list({ fromAccountType: 'FUND', withdrawID: '5' })).toBe(0);
  });

  test.each([
    ['of more than there is', '10000.01', {}, '40015'],
    ['of a coin that is none', '1', { coin: 'XXX' }, '40020'],
    ['to nobody', '1', { toUserId: '5' }, '40020'],
  ] as const)('%s is refused', async (_name, amount, more, exchangeCode) => {
    expect(await failure(send(amount, more))).toMatchObject({ exchangeCode });
    expect(await money('affiliate')).toMatchObject({ available: '10000', frozen: '0' });
  });

  test('takes at most six decimal places', async () => {
    const body = { toUserId: 5, coin: 'USDT', amount: '1.1234567' };
    const reply = await local.send({ target: '/api/v2/rebate/affiliate/internalWithdrawal', body, as: 'affiliate' });
    expect(reply.json.code).toBe('40020');
  });

  test('is shown only to its sender', async () => {
    await send('1');
    local.exchange.control.setStatus('guest', { affiliate: true });
    expect(await local.client('guest').internalWithdrawalStatus()).toMatchObject({ total: 0 });
  });

  test('is available only for the past month, in pages from 1', async () => {
    const ids: string[] = [];
    for (let day = 0; day < 3; day++) {
      ids.push((await send('1')).id);
      local.step(20 * 86_400_000);
    }
    const list = async (request: object) =>
      (await local.client('affiliate').internalWithdrawalStatus(request)).list.map(({ withdrawId }) => ids.indexOf(withdrawId));
    const now = local.exchange.now();
    expect(await list({})).toEqual([2]);
    expect(await list({ startTime: now - 31 * 86_400_000, pageSize: 1, page: 1 })).toEqual([2]);
    expect(await list({ pageSize: 1, page: 2 })).toEqual([]);
    const old = failure(local.client('affiliate').internalWithdrawalStatus({ startTime: now - 31 * 86_400_000 - 1 }));
    expect(await old).toMatchObject({ exchangeCode: '40704' });
  });
});
