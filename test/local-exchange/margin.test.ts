import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Decimal } from '../../src/model/decimal.ts';
import type { MarginSettings } from '../../src/model/margin.ts';
import { type Local, PERP, startLocal, trigger } from './local.ts';

const FUTURES = { futures: { USDT: '10000' } };
const SHARED: MarginSettings = {
  mode: 'shared',
  separated: false,
  longLeverage: new Decimal(10),
  shortLeverage: new Decimal(10),
  autoAppend: false,
};
const SETTINGS: Readonly<Record<string, MarginSettings>> = {
  plain: SHARED,
  uneven: { ...SHARED, longLeverage: new Decimal(20), shortLeverage: new Decimal(5) },
  bare: { ...SHARED, mode: 'isolated', separated: true, longLeverage: new Decimal(4) },
  apart: { ...SHARED, mode: 'isolated', separated: true, longLeverage: new Decimal(4), shortLeverage: new Decimal(2), autoAppend: true },
};

let local: Local;
beforeEach(async () => {
  local = await startLocal({
    accounts: Object.keys(SETTINGS).map((name) => ({ name, balances: FUTURES })),
    margin: (_instrument, account) => SETTINGS[account]!,
  });
  local.price('BTC-USDT-PERP', '100');
});
afterEach(() => local.close());

const settingsOf = async (name: string) => {
  const { account } = await local.client(name).futuresAccount({ coinId: '2' });
  const { contract_id: _, ...leverage } = account.contract_id_to_leverage_setting['10000001']!;
  const { margin_mode, separated_mode } = account.contract_id_to_mode_setting['10000001']!;
  return [margin_mode, separated_mode, ...Object.values(leverage)];
};
const open = (name: string, order: Parameters<typeof trigger>[0] = {}) =>
  local.client(name).triggerOrder(trigger({ trigger_price: '100', ...order }));
const positions = (name: string) => local.client(name).singlePosition({ symbol: PERP });

describe('margin settings', () => {
  test("are an account's own in operation 16: long, short, and one for cross and shared, the lower of the two", async () => {
    expect(await settingsOf('plain')).toEqual(['SHARED', 'COMBINED', '10', '10', '10', '10']);
    expect(await settingsOf('uneven')).toEqual(['SHARED', 'COMBINED', '20', '5', '5', '5']);
    expect(await settingsOf('apart')).toEqual(['ISOLATED', 'SEPARATED', '4', '2', '2', '2']);
  });

  test('apply to its positions, and to no other account', async () => {
    for (const name of Object.keys(SETTINGS)) {
      await open(name);
      await open(name, { type: '2' });
    }
    const told = async (name: string) =>
      (await positions(name)).map((one) => [
        one.side,
        one.margin_mode,
        one.leverage,
        one.isolated_margin,
        one.is_auto_append_isolated_margin,
      ]);
    expect(await told('plain')).toEqual([
      ['LONG', 'SHARED', '10', '0', false],
      ['SHORT', 'SHARED', '10', '0', false],
    ]);
    expect(await told('apart')).toEqual([
      ['LONG', 'ISOLATED', '4', '25', true],
      ['SHORT', 'ISOLATED', '2', '50', true],
    ]);
    // A long of 100 at 20 times and a short at 5 times bind 5 and 20; the fees are two times 0.06.
    expect(await local.client('uneven').futuresAssets()).toMatchObject([{ frozen: '25', available: '9974.88' }]);
  });
});

describe('sums of collateral', () => {
  const account = () => local.client('apart').futuresAccount({ coinId: '2' });
  type Collateral = Awaited<ReturnType<typeof account>>['collateral'];
  const SUMS = ['open_long', 'close_long', 'fill_fee'].map((name) => `cum_position_${name}_amount` as keyof Collateral[0]);
  /** Over all collaterals of the coin. */
  const total = (collateral: Collateral, name: keyof Collateral[0]) =>
    collateral.reduce((sum, one) => sum.plus(String(one[name])), new Decimal(0)).toFixed();

  test('of a closed separated position remain, in the shared collateral that received its margin', async () => {
    await open('apart');
    await open('apart', { size: '0.5' });
    const opened = (await account()).collateral;
    expect(opened.map(({ margin_mode, amount }) => [margin_mode, amount])).toEqual([
      // 10000 less margins of 25 and 12.5 and fees of 0.06 and 0.03; the margins have turned into positions of 100 and 50.
      ['SHARED', '9962.41'],
      ['ISOLATED', '-75'],
      ['ISOLATED', '-37.5'],
    ]);
    local.price('BTC-USDT-PERP', '110');
    await open('apart', { type: '3', trigger_price: '110' });
    const { collateral } = await account();
    // The oldest position is gone: it brought 110 at a fee of 0.066.
    expect(SUMS.map((name) => total(collateral, name))).toEqual(['-150', '110', '-0.156']);
    expect(collateral.map(({ margin_mode, amount }) => [margin_mode, amount])).toEqual([
      ['SHARED', '9997.344'],
      ['ISOLATED', '-37.5'],
    ]);
    // What moved to and fro between the two is there as well: 37.5 out, 25 in, and 34.934 of margin and profit back.
    expect(['cum_margin_move_out_amount', 'cum_margin_move_in_amount'].map((name) => collateral[0]![name as 'amount'])).toEqual([
      '-72.434',
      '59.934',
    ]);
    for (const one of collateral) {
      const sums = Object.entries(one).filter(([name]) => name.startsWith('cum_'));
      expect(sums.reduce((sum, [, amount]) => sum.plus(String(amount)), new Decimal(0)).toFixed()).toBe(one.amount);
    }
    await open('apart', { type: '3', trigger_price: '110', size: '0.5' });
    expect((await account()).collateral.map((one) => SUMS.map((name) => one[name]))).toEqual([['-150', '165', '-0.189']]);
  });

  test('of a liquidated one remain too', async () => {
    await open('bare');
    // At 75.2 the margin of 25 has 0.2 left, under a maintenance of 0.376; the fee is 0.0752, and the rest goes back.
    local.price('BTC-USDT-PERP', '75.2');
    expect(await positions('bare')).toEqual([]);
    expect((await local.client('bare').futuresAccount({ coinId: '2' })).collateral).toMatchObject([
      {
        amount: '9975.0648',
        cum_position_open_long_amount: '-100',
        cum_position_close_long_amount: '75.2',
        cum_position_fill_fee_amount: '-0.06',
        cum_position_liquidate_fee_amount: '-0.0752',
      },
    ]);
  });
});
