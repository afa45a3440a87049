import type { ContractSettingRecord } from '../../matching/futures/records.ts';
import { Decimal } from '../../model/decimal.ts';

/** What operation 16 says of the fees of one contract: the contract's own rates, no discounts. */
export function feeSetting({ takerFee, makerFee }: ContractSettingRecord, contract_id: string) {
  return {
    contract_id,
    is_set_fee_rate: true,
    taker_fee_rate: takerFee.toFixed(),
    maker_fee_rate: makerFee.toFixed(),
    is_set_fee_discount: false,
    fee_discount: '0',
    is_set_taker_maker_fee_discount: false,
    taker_fee_discount: '0',
    maker_fee_discount: '0',
  };
}

export function modeSetting({ mode, separated }: ContractSettingRecord, contract_id: string) {
  return {
    contract_id,
    margin_mode: mode.toUpperCase(),
    separated_mode: separated ? 'SEPARATED' : 'COMBINED',
    position_mode: 'HEDGE',
  };
}

/** The wire has one leverage for shared margin: where the sides differ, the lower, at which no order wants for margin. */
export function leverageSetting({ longLeverage, shortLeverage }: ContractSettingRecord, contract_id: string) {
  const shared = Decimal.min(longLeverage, shortLeverage).toFixed();
  return {
    contract_id,
    isolated_long_leverage: longLeverage.toFixed(),
    isolated_short_leverage: shortLeverage.toFixed(),
    cross_leverage: shared,
    shared_leverage: shared,
  };
}
