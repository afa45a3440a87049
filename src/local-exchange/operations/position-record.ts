import type { PayloadOf } from '../../exchange/operations/operations.ts';
import { wireSymbol } from '../../exchange/symbols.ts';
import type { PositionRecord } from '../../matching/futures/records.ts';
import type { Call } from '../http/call.ts';
import { coinNamed, contractId } from './listed.ts';
import { wireTime } from './page.ts';

/** The caller's positions that are listed: flat ones only where the setting keeps them. */
export function positionsOf({ exchange, account }: Call): PositionRecord[] {
  const { keepFlatPositions } = exchange.lists;
  return account.futures.positionRecords().filter(({ steps }) => keepFlatPositions || steps !== 0);
}

/** A position as operations 15 and 16 tell it; they spell ids and times differently, which is their schemas' affair. */
export function positionRecord(position: PositionRecord, { exchange, account }: Call): PayloadOf<'singlePosition'>[number] {
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
