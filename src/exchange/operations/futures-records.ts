import { z } from 'zod';
import {
  amount,
  amountOrEmpty,
  change,
  changeOrEmpty,
  changeOrRole,
  coin,
  count,
  flag,
  idLong,
  maybe,
  ownIdOrNull,
  places,
  price,
  priceOrEmpty,
  quantity,
  quantityOrEmpty,
  rate,
  rateOrEmpty,
  signedRate,
  symbol,
  symbolOrEmpty,
  text,
  textOrEmpty,
  textOrNull,
  timeLong,
  words,
  wordsOrEmpty,
} from '../fields.ts';
import { FuturesOrderRecord, SinglePositionRecord } from './records.ts';

// Replies of the futures operations beyond the twenty, in the wire's own names. Ids are 64-bit; amounts are decimal text.

/** `order_id` is a bare integer; 0 for an order that was not placed. */
export const FuturesOrderResult = z.object({ client_oid: ownIdOrNull, order_id: idLong });

/** One entry of a batch: its id if it was placed, else the error. */
const BatchEntryResult = z.object({
  order_id: maybe(idLong),
  client_oid: ownIdOrNull,
  result: flag,
  error_code: textOrEmpty,
  error_message: textOrEmpty,
});

export const FuturesBatchResult = z.object({ order_info: z.array(BatchEntryResult), result: flag });

/** The reply to the cancel of one order by the operations beyond the twenty. */
export const PlainCancelResult = z.object({ order_id: maybe(idLong), client_oid: ownIdOrNull, result: flag, err_msg: textOrNull });

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
  symbol,
  /** SHARED or ISOLATED. */
  marginMode: words('SHARED', 'CROSS', 'ISOLATED'),
  separatedMode: wordsOrEmpty('COMBINED', 'SEPARATED'),
  /** LONG or SHORT. */
  positionSide: words('LONG', 'SHORT'),
  /** BUY or SELL. */
  orderSide: words('BUY', 'SELL'),
  /** In base coin. */
  fillSize: quantity,
  /** In quote. */
  fillValue: amount,
  /** In the margin coin; negative where it was received. */
  fillFee: changeOrEmpty,
  /** A fee of a liquidation. A sample of the exchange has the word MAKER here. */
  liquidateFee: changeOrRole,
  realizePnl: changeOrEmpty,
  /** OPEN_LONG and so on; one client reports MAKER or TAKER here. */
  direction: wordsOrEmpty('OPEN_LONG', 'OPEN_SHORT', 'CLOSE_LONG', 'CLOSE_SHORT', 'MAKER', 'TAKER'),
  /** FORCE_LIQUIDATE is known; empty for ordinary fills. */
  liquidateType: wordsOrEmpty('FORCE_LIQUIDATE'),
  /** Spelt so by the exchange. */
  legacyOrdeDirection: wordsOrEmpty('OPEN_LONG', 'OPEN_SHORT', 'CLOSE_LONG', 'CLOSE_SHORT'),
  createdTime: timeLong,
});

export const FuturesFillsPage = z.object({ list: z.array(FuturesFillRecord), nextFlag: flag, totals: count });

/** An order in `detail` and `history`. */
export const FuturesOrderInfoRecord = FuturesOrderRecord.extend({
  filledQtyContracts: maybe(count),
  presetTakeProfitPrice: priceOrEmpty,
  presetStopLossPrice: priceOrEmpty,
});

/** A trigger order in its own two lists. */
export const TriggerRecord = FuturesOrderInfoRecord.extend({
  /** -1 canceled, 0 pending, 1 partly filled, 2 filled. */
  status: words('-1', '0', '1', '2'),
  /** 1 to 4 as in the request, 5 and 6 partial closes, 7 and 8 auto-deleveraging, 9 and 10 liquidation of long and short. */
  type: words('1', '2', '3', '4', '5', '6', '7', '8', '9', '10'),
  /** 0 normal, 1 post-only, 2 fill or kill, 3 immediate or cancel. */
  order_type: words('0', '1', '2', '3'),
  triggerPrice: price,
  /** 1 last price, 3 mark price. */
  triggerPriceType: wordsOrEmpty('1', '3'),
  /** Epoch ms; 0 before it has fired. */
  triggerTime: timeLong,
});

export const TriggerHistoryPage = z.object({ list: z.array(TriggerRecord), nextPage: flag });

export const BillRecord = z.object({
  billId: idLong,
  coin,
  /** Empty for movements that concern no contract. */
  symbol: symbolOrEmpty,
  /** The change of the balance, without `fillFee`. */
  amount: change,
  /** Such as position_funding, position_open_long or transfer_in. */
  businessType: words(
    'position_funding',
    'position_open_long',
    'position_open_short',
    'position_close_long',
    'position_close_short',
    'transfer_in',
    'transfer_out',
  ),
  /** After it. */
  balance: change,
  /** A paid fee is positive. */
  fillFee: changeOrEmpty,
  transferReason: textOrEmpty,
  ctime: timeLong,
});

export const BillsPage = z.object({ items: z.array(BillRecord), hasNextPage: flag });

export const PositionRecord = SinglePositionRecord.extend({
  marginSize: changeOrEmpty,
  contractVal: amountOrEmpty,
  unrealizePnl: changeOrEmpty,
  /** 0: none. */
  liquidatePrice: priceOrEmpty,
});

/** By symbol; multiples. */
export const LeverageRecord = z.record(
  z.string(),
  z.object({ isolated_long_leverage: rate, isolated_short_leverage: rate, cross_leverage: rate }),
);

export const ContractRecord = z.object({
  symbol,
  underlying_index: text,
  quote_currency: coin,
  coin,
  /** Base coin in one contract. */
  contract_val: quantity,
  /** Settlement times of the day, `HH:MM:SS` in UTC. */
  delivery: z.array(text),
  /** Numbers of decimals of size and price. */
  size_increment: places,
  tick_size: places,
  /** Step of the price's last digit. */
  priceEndStep: price,
  forwardContractFlag: flag,
  minLeverage: rate,
  maxLeverage: rate,
  /** How far a limit may be from the last price, as a share of it. */
  buyLimitPriceRatio: rateOrEmpty,
  sellLimitPriceRatio: rateOrEmpty,
  /** Shares of the notional. */
  makerFeeRate: signedRate,
  takerFeeRate: signedRate,
  /** In base coin. */
  minOrderSize: quantity,
  maxOrderSize: quantityOrEmpty,
  maxPositionSize: quantityOrEmpty,
  marketOpenLimitSize: quantityOrEmpty,
});

const Level = z.tuple([price, quantity]);

/** Best first; each level is price and size in base coin. */
export const DepthRecord = z.object({ asks: z.array(Level), bids: z.array(Level), timestamp: timeLong });

/** `fundingRate` is a share of the position's value; longs pay a positive one. */
export const FundingRateRecord = z.object({
  symbol,
  fundingRate: signedRate,
  /** Minutes between two payments. */
  collectCycle: count,
  timestamp: timeLong,
});

export const PastFundingRecord = z.object({ symbol, fundingRate: signedRate, fundingTime: timeLong });
