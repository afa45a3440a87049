import type { PayloadOf, RequestOf } from '../../exchange/operations/operations.ts';
import { wireSymbol } from '../../exchange/symbols.ts';
import type { CollateralRecord, ContractSettingRecord, PositionRecord } from '../../matching/futures/records.ts';
import { Decimal, ZERO } from '../../model/decimal.ts';
import { unrealizedProfit } from '../../model/margin.ts';
import type { Call } from '../http/call.ts';
import { Refusal } from '../refusal.ts';
import { coinNamed, contractId, listed, wireTime } from './shared.ts';

/** A collateral as operation 16 tells it: every cumulative field bears its sign, and together they are `amount`. */
function collateralRecord(
  record: CollateralRecord,
  coinId: number,
  { exchange, account }: Call,
): PayloadOf<'futuresAccount'>['collateral'][number] {
  const { cumulative: sums } = record;
  return {
    account_id: account.uid,
    coin_id: coinId,
    margin_mode: record.mode.toUpperCase(),
    cross_contract_id: 0,
    isolated_position_id: record.positionId === undefined ? '0' : exchange.ids.order(record.positionId),
    amount: record.amount.toFixed(),
    // Deposits and transfers of this exchange are done at once.
    pending_deposit_amount: '0',
    pending_withdraw_amount: '0',
    pending_transfer_in_amount: '0',
    pending_transfer_out_amount: '0',
    is_liquidating: record.liquidating,
    legacy_amount: record.legacyAmount.toFixed(),
    cum_deposit_amount: sums.deposit.toFixed(),
    cum_withdraw_amount: sums.withdraw.toFixed(),
    cum_transfer_in_amount: sums.transferIn.toFixed(),
    cum_transfer_out_amount: sums.transferOut.toFixed(),
    cum_margin_move_in_amount: sums.marginMoveIn.toFixed(),
    cum_margin_move_out_amount: sums.marginMoveOut.toFixed(),
    cum_position_open_long_amount: sums.openLong.toFixed(),
    cum_position_open_short_amount: sums.openShort.toFixed(),
    cum_position_close_long_amount: sums.closeLong.toFixed(),
    cum_position_close_short_amount: sums.closeShort.toFixed(),
    cum_position_fill_fee_amount: sums.fee.toFixed(),
    cum_position_liquidate_fee_amount: sums.liquidationFee.toFixed(),
    cum_position_funding_amount: sums.funding.toFixed(),
    cum_order_fill_fee_income_amount: sums.feeIncome.toFixed(),
    cum_order_liquidate_fee_income_amount: sums.liquidationFeeIncome.toFixed(),
    created_time: wireTime(record.createdTime),
    updated_time: wireTime(record.updatedTime),
  };
}

/** What operation 16 says of the fees of one contract: the contract's own rates, no discounts. */
function feeSetting({ takerFee, makerFee }: ContractSettingRecord, contract_id: string) {
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

function modeSetting({ mode, separated }: ContractSettingRecord, contract_id: string) {
  return {
    contract_id,
    margin_mode: mode.toUpperCase(),
    separated_mode: separated ? 'SEPARATED' : 'COMBINED',
    position_mode: 'HEDGE',
  };
}

/** The wire has one leverage for shared margin: where the sides differ, the lower, at which no order wants for margin. */
function leverageSetting({ longLeverage, shortLeverage }: ContractSettingRecord, contract_id: string) {
  const shared = Decimal.min(longLeverage, shortLeverage).toFixed();
  return {
    contract_id,
    isolated_long_leverage: longLeverage.toFixed(),
    isolated_short_leverage: shortLeverage.toFixed(),
    cross_leverage: shared,
    shared_leverage: shared,
  };
}

/** The caller's positions that are listed: flat ones only where the setting keeps them. */
function positionsOf({ exchange, account }: Call): PositionRecord[] {
  const { keepFlatPositions } = exchange.lists;
  return account.futures.positionRecords().filter(({ steps }) => keepFlatPositions || steps !== 0);
}

/** A position as operations 15 and 16 tell it; they spell ids and times differently, which is their schemas' affair. */
function positionRecord(position: PositionRecord, { exchange, account }: Call): PayloadOf<'singlePosition'>[number] {
  const { instrument, cumulative } = position;
  const orderId = (count: string) => exchange.ids.order(count);
  return {
    id: orderId(position.positionId),
    account_id: account.uid,
    coin_id: coinNamed(exchange, instrument.quote)!.id,
    contract_id: contractId(exchange, instrument),
    symbol: wireSymbol(instrument.symbol),
    side: position.positionSide.toUpperCase(),
    margin_mode: position.mode.toUpperCase(),
    separated_mode: position.separated ? 'SEPARATED' : 'COMBINED',
    separated_open_order_id: position.openOrderId === undefined ? '0' : orderId(position.openOrderId),
    leverage: position.leverage.toFixed(),
    size: position.quantity.toFixed(),
    open_value: position.openValue.toFixed(),
    open_fee: position.openFee.toFixed(),
    funding_fee: position.funding.toFixed(),
    isolated_margin: position.isolatedMargin.toFixed(),
    is_auto_append_isolated_margin: position.autoAppend,
    cum_open_size: cumulative.openQuantity.toFixed(),
    cum_open_value: cumulative.openValue.toFixed(),
    cum_open_fee: cumulative.openFee.toFixed(),
    cum_close_size: cumulative.closeQuantity.toFixed(),
    cum_close_value: cumulative.closeValue.toFixed(),
    cum_close_fee: cumulative.closeFee.toFixed(),
    cum_funding_fee: cumulative.funding.toFixed(),
    cum_liquidate_fee: cumulative.liquidationFee.toFixed(),
    created_match_sequence_id: String(position.createdSequence),
    updated_match_sequence_id: String(position.updatedSequence),
    created_time: wireTime(position.createdTime),
    updated_time: wireTime(position.updatedTime),
  };
}

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

/** Operation 15: the caller's positions of one contract, long and short. */
export function singlePosition({ symbol }: RequestOf<'singlePosition'>, call: Call): PayloadOf<'singlePosition'> {
  const instrument = listed(call.exchange, 'futures', symbol);
  return positionsOf(call)
    .filter((position) => position.instrument === instrument)
    .map((position) => positionRecord(position, call));
}

/**
 * Operation 10: the futures wallet. `equity` is the collateral and what positions have gained at the mark; `available`
 * what a new order may bind; `frozen` the margin of positions and opening orders.
 */
export function futuresAssets(_request: unknown, { exchange, account }: Call): PayloadOf<'futuresAssets'> {
  const { futures } = account;
  return exchange.coins.flatMap(({ id, name }) => {
    const { total, frozen } = futures.ledger.balance(name);
    if (total.isZero() && frozen.isZero()) return [];
    const profit = futures
      .positionRecords()
      .filter(({ instrument }) => instrument.quote === name)
      .reduce(
        (sum, position) =>
          sum.plus(position.steps === 0 ? ZERO : unrealizedProfit(position, exchange.market.view(position.instrument).markPrice)),
        ZERO,
      );
    return [
      {
        coinId: id,
        coinName: name,
        available: Decimal.max(ZERO, futures.margin(name).free).toFixed(),
        frozen: frozen.toFixed(),
        equity: total.plus(profit).toFixed(),
        unrealizePnl: profit.toFixed(),
      },
    ];
  });
}
