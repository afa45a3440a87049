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

  test('rule its positions, and nobody else', async () => {
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
