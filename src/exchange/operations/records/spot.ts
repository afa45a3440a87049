import { z } from 'zod';
import { flag } from '../../fields/flags.ts';
import { count, idText, timeText } from '../../fields/integers.ts';
import { maybe } from '../../fields/maybe.ts';
import { decimal, decimalOrEmpty, text, textOrEmpty, textOrNull } from '../../fields/text.ts';

export const SpotOrderRecord = z.object({
  accountId: text,
  symbol: text,
  orderId: idText,
  clientOrderId: textOrEmpty,
  price: decimalOrEmpty,
  /** In base; of a market buy, in quote. */
  quantity: decimal,
  /** `limit` and `market` are known. */
  orderType: text,
  side: text,
  /** `open`, `new`, `partial_fill`, `full_fill`, `cancelled` are known, in any case. */
  status: text,
  latestFillPrice: decimalOrEmpty,
  maxFillPrice: decimalOrEmpty,
  minFillPrice: decimalOrEmpty,
  fillQuantity: decimalOrEmpty,
  fillTotalAmount: decimalOrEmpty,
  cTime: timeText,
  uTime: timeText,
});

export const SpotFillRecord = z.object({
  accountId: text,
  symbol: text,
  baseCoin: text,
  quoteCoin: text,
  orderId: idText,
  fillId: text,
  /** May be empty. */
  orderType: textOrEmpty,
  side: text,
  /** May be empty: it is then `fillTotalAmount / fillQuantity`. */
  fillPrice: decimalOrEmpty,
  fillQuantity: decimal,
  fillTotalAmount: decimal,
  /** In base on a buy, in quote on a sell. */
  fees: decimal,
  cTime: timeText,
});

export const AssetRecord = z.object({ coinId: count, coinName: text, available: decimal, frozen: decimal, equity: decimal });

/** As operation 10 answers. */
export const FuturesAssetRecord = AssetRecord.extend({ unrealizePnl: maybe(decimal) });

export const TransferRecord = z.object({
  coinName: text,
  /** `SUCCESS` is known. */
  status: text,
  toType: text,
  toSymbol: textOrEmpty,
  fromType: text,
  fromSymbol: textOrEmpty,
  amount: decimal,
  tradeTime: timeText,
});

/** What a cancel answers, on both hosts: `result` says whether it succeeded. */
export const CancelResult = z.object({
  order_id: textOrEmpty,
  client_oid: textOrNull,
  symbol: textOrEmpty,
  result: flag,
  err_code: textOrNull,
  err_msg: textOrNull,
});
