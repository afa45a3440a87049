import type { PayloadOf } from '../../exchange/operations/operations.ts';
import type { CollateralRecord } from '../../matching/futures/records.ts';
import type { Call } from '../http/call.ts';
import { wireTime } from './page.ts';

/** A collateral as operation 16 tells it: every cumulative field bears its sign, and together they are `amount`. */
export function collateralRecord(
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
