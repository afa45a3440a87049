import { z } from 'zod';
import { flag } from '../../fields/flags.ts';
import { count, idLong, idText, timeLong, timeText } from '../../fields/integers.ts';
import { maybe } from '../../fields/maybe.ts';
import { decimal, decimalOrEmpty, text, textOrEmpty, textOrNull } from '../../fields/text.ts';

export const TriggerOrderResult = z.object({ client_oid: textOrNull, order_id: idText });

export const FuturesOrderRecord = z.object({
  symbol: text,
  /** In base coin, although the document says lots. */
  size: decimal,
  client_oid: textOrEmpty,
  createTime: timeLong,
  filled_qty: decimal,
  /** In the margin coin. */
  fee: decimalOrEmpty,
  order_id: idText,
  price: decimalOrEmpty,
  price_avg: decimalOrEmpty,
  /** pending, open, filled, canceling, canceled or untriggered. */
  status: text,
  /** open_long, open_short, close_long, close_short, or a forced close. */
  type: text,
  /** normal, postOnly, fok or ioc. */
  order_type: text,
  totalProfits: decimalOrEmpty,
  contracts: count,
});

/** The two spellings of a position: ids, sequences and times as integers or as strings. */
function positionRecord<I extends typeof idLong | typeof idText, T extends typeof timeLong | typeof timeText>(
  id: I,
  contractId: typeof idLong,
  time: T,
) {
  return z.object({
    id,
    account_id: id,
    coin_id: count,
    contract_id: contractId,
    symbol: maybe(text),
    /** `LONG` or `SHORT`. */
    side: text,
    /** `SHARED` (cross) or `ISOLATED`. */
    margin_mode: text,
    separated_mode: text,
    separated_open_order_id: id,
    leverage: decimal,
    /** In base coin. */
    size: decimal,
    open_value: decimal,
    open_fee: decimal,
    funding_fee: decimal,
    isolated_margin: decimal,
    is_auto_append_isolated_margin: flag,
    cum_open_size: decimal,
    cum_open_value: decimal,
    cum_open_fee: decimal,
    cum_close_size: decimal,
    cum_close_value: decimal,
    cum_close_fee: decimal,
    cum_funding_fee: decimal,
    cum_liquidate_fee: decimal,
    created_match_sequence_id: id,
    updated_match_sequence_id: id,
    created_time: time,
    updated_time: time,
  });
}

/** Of operation 15. */
export const SinglePositionRecord = positionRecord(idLong, idLong, timeLong);
/** Of operation 16's `position` list. */
export const AccountPositionRecord = positionRecord(idText, idLong.meta({ wire: 'integer' }), timeText);
