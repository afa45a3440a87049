import { z } from 'zod';
import { count, decimal, decimalOrEmpty, flag, idLong, maybe, text, textOrEmpty, textOrNull, timeLong } from '../fields.ts';
import { FuturesOrderRecord, SinglePositionRecord } from './records.ts';

// Replies of the futures operations beyond the twenty, in the wire's own names. Ids are 64-bit; amounts are decimal text.

/** `order_id` is a bare integer; 0 for an order that was not placed. */
export const FuturesOrderResult = z.object({ client_oid: textOrNull, order_id: idLong });

/** One entry of a batch: its id if it was placed, else the error. */
const BatchEntryResult = z.object({
  order_id: maybe(idLong),
  client_oid: textOrNull,
  result: flag,
  error_code: textOrEmpty,
  error_message: textOrEmpty,
});

export const FuturesBatchResult = z.object({ order_info: z.array(BatchEntryResult), result: flag });

/** The reply to the cancel of one order by the operations beyond the twenty. */
export const PlainCancelResult = z.object({ order_id: maybe(idLong), client_oid: textOrNull, result: flag, err_msg: textOrNull });

export const FuturesCancelBatchResult = z.object({
  result: flag,
  orderIds: z.array(idLong),
  clientOids: z.array(text),
  cancelOrderResultList: z.array(PlainCancelResult),
  failInfos: z.array(PlainCancelResult),
});

/** An order that was placed, canceled or closed by one of many. */
export const DoneRecord = z.object({ orderId: idLong, success: flag });

export const ClosedPositionRecord = z.object({
  positionId: idLong,
  /** The order that closes it; 0 if it failed. */
  successOrderId: idLong,
  success: flag,
  errorMessage: textOrEmpty,
});

/** A reply that says only that the request succeeded. */
export const Acknowledgement = z.object({ requestTime: timeLong });

/** A fill. The price is `fillValue / fillSize`. */
export const FuturesFillRecord = z.object({
  tradeId: idLong,
  orderId: idLong,
  symbol: text,
  /** SHARED or ISOLATED. */
  marginMode: text,
  separatedMode: textOrEmpty,
  /** LONG or SHORT. */
  positionSide: text,
  /** BUY or SELL. */
  orderSide: text,
  /** In base coin. */
  fillSize: decimal,
  /** In quote. */
  fillValue: decimal,
  /** In the margin coin; negative where it was received. */
  fillFee: decimalOrEmpty,
  /** A fee of a liquidation. A sample of the exchange has the word MAKER here. */
  liquidateFee: textOrEmpty,
  realizePnl: decimalOrEmpty,
  /** OPEN_LONG and so on; one client reports MAKER or TAKER here. */
  direction: textOrEmpty,
  /** FORCE_LIQUIDATE is known; empty for ordinary fills. */
  liquidateType: textOrEmpty,
  /** Spelt so by the exchange. */
  legacyOrdeDirection: textOrEmpty,
  createdTime: timeLong,
});

export const FuturesFillsPage = z.object({ list: z.array(FuturesFillRecord), nextFlag: flag, totals: count });

/** An order in `detail` and `history`. */
export const FuturesOrderInfoRecord = FuturesOrderRecord.extend({
  filledQtyContracts: maybe(count),
  presetTakeProfitPrice: decimalOrEmpty,
  presetStopLossPrice: decimalOrEmpty,
});

/** A trigger order in its own two lists. */
export const TriggerRecord = FuturesOrderInfoRecord.extend({
  /** -1 canceled, 0 pending, 1 partly filled, 2 filled. */
  status: text,
  /** 1 to 4 as in the request, 5 and 6 partial closes, 7 and 8 auto-deleveraging, 9 and 10 liquidation of long and short. */
  type: text,
  /** 0 normal, 1 post-only, 2 fill or kill, 3 immediate or cancel. */
  order_type: text,
  triggerPrice: decimal,
  /** 1 last price, 3 mark price. */
  triggerPriceType: textOrEmpty,
  /** Epoch ms; 0 before it has fired. */
  triggerTime: timeLong,
});

export const TriggerHistoryPage = z.object({ list: z.array(TriggerRecord), nextPage: flag });

export const BillRecord = z.object({
  billId: idLong,
  coin: text,
  /** Empty for movements that concern no contract. */
  symbol: textOrEmpty,
  /** The change of the balance, without `fillFee`. */
  amount: decimal,
  /** Such as position_funding, position_open_long or transfer_in. */
  businessType: text,
  /** After it. */
  balance: decimal,
  /** A paid fee is positive. */
  fillFee: decimalOrEmpty,
  transferReason: textOrEmpty,
  ctime: timeLong,
});

export const BillsPage = z.object({ items: z.array(BillRecord), hasNextPage: flag });

export const PositionRecord = SinglePositionRecord.extend({
  marginSize: decimalOrEmpty,
  contractVal: decimalOrEmpty,
  unrealizePnl: decimalOrEmpty,
  /** 0: none. */
  liquidatePrice: decimalOrEmpty,
});

/** By symbol; multiples. */
export const LeverageRecord = z.record(
  z.string(),
  z.object({ isolated_long_leverage: decimal, isolated_short_leverage: decimal, cross_leverage: decimal }),
);

export const ContractRecord = z.object({
  symbol: text,
  underlying_index: text,
  quote_currency: text,
  coin: text,
  /** Base coin in one contract. */
  contract_val: decimal,
  /** Settlement times of the day, `HH:MM:SS` in UTC. */
  delivery: z.array(text),
  /** Numbers of decimals of size and price. */
  size_increment: text,
  tick_size: text,
  /** Step of the price's last digit. */
  priceEndStep: decimal,
  forwardContractFlag: flag,
  minLeverage: decimal,
  maxLeverage: decimal,
  /** How far a limit may be from the last price, as a share of it. */
  buyLimitPriceRatio: decimalOrEmpty,
  sellLimitPriceRatio: decimalOrEmpty,
  /** Shares of the notional. */
  makerFeeRate: decimal,
  takerFeeRate: decimal,
  /** In base coin. */
  minOrderSize: decimal,
  maxOrderSize: decimalOrEmpty,
  maxPositionSize: decimalOrEmpty,
  marketOpenLimitSize: decimalOrEmpty,
});

const Level = z.tuple([decimal, decimal]);

/** Best first; each level is price and size in base coin. */
export const DepthRecord = z.object({ asks: z.array(Level), bids: z.array(Level), timestamp: timeLong });

/** `fundingRate` is a share of the position's value; longs pay a positive one. */
export const FundingRateRecord = z.object({
  symbol: text,
  fundingRate: decimal,
  /** Minutes between two payments. */
  collectCycle: count,
  timestamp: timeLong,
});

export const PastFundingRecord = z.object({ symbol: text, fundingRate: decimal, fundingTime: timeLong });
