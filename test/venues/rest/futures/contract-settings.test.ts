import { expect, test } from '@jest/globals';
import { Decimal } from '../../../../src/model/decimal.ts';
import { ContractSettings } from '../../../../src/venues/rest/futures/contract-settings.ts';
import { perpetual } from '../../../builders.ts';

const instrument = perpetual({ symbol: 'BTC-USDT-PERP' });
const margin = { mode: 'shared', separated: false, longLeverage: new Decimal(10), shortLeverage: new Decimal(10) } as const;

/** The account as the exchange answers, with this leverage. */
function account(leverage: string) {
  const leverages = { isolated_long_leverage: '1', isolated_short_leverage: '1', cross_leverage: leverage, shared_leverage: leverage };
  return {
    contract_id_to_mode_setting: { 7: { margin_mode: 'SHARED', separated_mode: 'COMBINED', position_mode: 'HEDGE' } },
    contract_id_to_leverage_setting: { 7: leverages },
  } as never;
}

test('one answer with another leverage refuses no start, and a second one does', () => {
  const settings = new ContractSettings([{ instrument, contractId: '7', margin }]);
  const message = 'BTC-USDT-PERP: the config expects long leverage 10, the exchange has 0';
  expect(() => settings.compare('USDT', account('0'))).toThrow(
    expect.objectContaining({ code: 'START_REFUSED', message, retryable: true }),
  );
  expect(() => settings.compare('USDT', account('20'))).toThrow(expect.objectContaining({ retryable: true }));
  settings.compare('USDT', account('10'));
  expect(settings.changeOf(instrument)).toBeUndefined();
  const other = new ContractSettings([{ instrument, contractId: '7', margin }]);
  expect(() => other.compare('USDT', account('0'))).toThrow(expect.objectContaining({ retryable: true }));
  expect(() => other.compare('USDT', account('0'))).toThrow(expect.objectContaining({ message, retryable: false }));
});
