import type { PayloadOf, RequestOf } from '../../exchange/operations/operations.ts';
import type { Call } from '../http/call.ts';
import { Refusal } from '../refusal.ts';
import { collateralRecord } from './collateral-record.ts';
import { feeSetting, leverageSetting, modeSetting } from './contract-settings.ts';
import { contractId } from './listed.ts';
import { wireTime } from './page.ts';
import { positionRecord, positionsOf } from './position-record.ts';

/**
 * Operation 16: settings, collateral and positions of the caller in one coin: one picture, whose `version` grows with
 * every change of it. @throws Refusal 40020 for a coin that is none.
 */
export function futuresAccount({ coinId }: RequestOf<'futuresAccount'>, call: Call): PayloadOf<'futuresAccount'> {
  const { exchange, account, limits } = call;
  const coin = exchange.coins.find(({ id }) => String(id) === coinId);
  if (coin === undefined) throw new Refusal('40020', `coinId ${coinId}: no such coin`);
  const { version, contracts, createdTime, updatedTime } = account.futures.record();
  const { registerTime } = account.identity;
  const byContract = <T>(value: (setting: (typeof contracts)[number], id: string) => T): Record<string, T> =>
    Object.fromEntries(
      contracts.map((setting) => {
        const id = contractId(exchange, setting.instrument);
        return [id, value(setting, id)];
      }),
    );
  return {
    account: {
      id: account.uid,
      user_id: account.uid,
      client_account_id: account.identity.name,
      is_system_account: false,
      default_fee_setting: null,
      contract_id_to_fee_setting: byContract(feeSetting),
      contract_id_to_mode_setting: byContract(modeSetting),
      contract_id_to_leverage_setting: byContract(leverageSetting),
      create_order_rate_limit_per_minute: limits.ordersPerMinute,
      create_order_delay_milliseconds: limits.orderDelayMs,
      extra_type: '',
      extra_data_json: '',
      status: 'NORMAL',
      created_time: wireTime(Number.isNaN(createdTime) ? registerTime : createdTime),
      updated_time: wireTime(Number.isNaN(updatedTime) ? registerTime : updatedTime),
    },
    collateral: account.futures
      .collateralRecords()
      .filter(({ currency }) => currency === coin.name)
      .map((record) => collateralRecord(record, coin.id, call)),
    position: positionsOf(call)
      .filter(({ instrument }) => instrument.quote === coin.name)
      .map((position) => positionRecord(position, call)),
    version: String(version),
  };
}
