import { z } from 'zod';
import {
  count,
  decimal,
  decimalOrEmpty,
  flag,
  flagText,
  idLong,
  idText,
  maybe,
  text,
  textOrEmpty,
  textOrNull,
  timeLong,
  timeText,
} from '../fields.ts';

const Chain = z.object({
  /** Empty for the single native chain of a currency (null on the wire). */
  chain: textOrNull,
  needTag: flagText,
  withdrawAble: flagText,
  rechargeAble: flagText,
  /** In the currency itself. */
  withdrawFee: decimalOrEmpty,
  /** Blocks. */
  depositConfirm: text,
  withdrawConfirm: text,
  minDepositAmount: decimalOrEmpty,
  minWithdrawAmount: decimalOrEmpty,
  browserUrl: textOrEmpty,
});

export const Currency = z.object({ coinId: text, coinName: text, transfer: flagText, chains: z.array(Chain) });

export const SymbolInformation = z.object({
  symbol: text,
  baseCoin: text,
  quoteCoin: text,
  /** Distance between two prices, in quote. */
  tickSize: decimal,
  /** Distance between two quantities, in base. */
  stepSize: decimal,
  minTradeAmount: decimalOrEmpty,
  maxTradeAmount: decimalOrEmpty,
  /** Shares of the notional. */
  takerFeeRate: decimal,
  makerFeeRate: decimal,
  /** How far a limit may be from the last price, as a share of it. */
  buyLimitPriceRatio: decimalOrEmpty,
  sellLimitPriceRatio: decimalOrEmpty,
  marketBuyLimitSize: decimalOrEmpty,
  marketSellLimitSize: decimalOrEmpty,
  marketFallbackPriceRatio: decimalOrEmpty,
  enableTrade: flag,
  enableDisplay: flag,
  /** Steps of depth aggregation, comma-separated. */
  displayDigitMerge: textOrEmpty,
  displayNew: flag,
  displayHot: flag,
  supportTracing: flag,
  supportPlanMarket: flag,
});

export const TickerRecord = z.object({
  symbol: text,
  priceChange: decimalOrEmpty,
  /** A ratio: 0.05 is 5 %. */
  priceChangePercent: decimalOrEmpty,
  trades: count.meta({ wire: 'long' }),
  /** In base. */
  size: decimalOrEmpty,
  /** In quote. */
  value: decimalOrEmpty,
  high: decimalOrEmpty,
  low: decimalOrEmpty,
  open: decimalOrEmpty,
  close: decimalOrEmpty,
  highTime: timeLong,
  lowTime: timeLong,
  startTime: timeLong,
  endTime: timeLong,
  lastPrice: decimal,
  openInterest: decimalOrEmpty,
  ts: timeLong,
});

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

/** The reply to a cancel, on both hosts: `result` is true if it succeeded. */
export const CancelResult = z.object({
  order_id: textOrEmpty,
  client_oid: textOrNull,
  symbol: textOrEmpty,
  result: flag,
  err_code: textOrNull,
  err_msg: textOrNull,
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

/** The reply of operation 10. */
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

export const TriggerOrderResult = z.object({ client_oid: textOrNull, order_id: idText });

export const FuturesOrderRecord = z.object({
  symbol: text,
  /** In base coin, although the document states lots. */
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

/** Operation 15. */
export const SinglePositionRecord = positionRecord(idLong, idLong, timeLong);

/** The `position` list of operation 16. */
const AccountPositionRecord = positionRecord(idText, idLong.meta({ wire: 'integer' }), timeText);

/** Rates are shares of the notional. */
const FeeSetting = z.object({
  is_set_fee_rate: flag,
  taker_fee_rate: decimal,
  maker_fee_rate: decimal,
  is_set_fee_discount: flag,
  fee_discount: decimal,
  is_set_taker_maker_fee_discount: flag,
  taker_fee_discount: decimal,
  maker_fee_discount: decimal,
});

const ModeSetting = z.object({
  contract_id: maybe(text),
  margin_mode: text,
  separated_mode: text,
  /** `HEDGE`: a long and a short side. */
  position_mode: text,
});

const LeverageSetting = z.object({
  contract_id: maybe(text),
  isolated_long_leverage: decimal,
  isolated_short_leverage: decimal,
  cross_leverage: decimal,
  shared_leverage: decimal,
});

const Account = z.object({
  id: text,
  user_id: text,
  client_account_id: textOrEmpty,
  is_system_account: flag,
  default_fee_setting: FeeSetting.nullable(),
  /** The three maps are keyed by contract id. */
  contract_id_to_fee_setting: z.record(z.string(), FeeSetting.extend({ contract_id: maybe(text) })),
  contract_id_to_mode_setting: z.record(z.string(), ModeSetting),
  contract_id_to_leverage_setting: z.record(z.string(), LeverageSetting),
  /** 0 is no limit. */
  create_order_rate_limit_per_minute: count,
  /** Minimum time between two orders, in ms; 0 is none. */
  create_order_delay_milliseconds: count,
  extra_type: textOrEmpty,
  extra_data_json: textOrEmpty,
  status: text,
  created_time: timeText,
  updated_time: timeText,
});

/** All amounts are in the coin; the `cum_` fields only grow, and their differences show what happened. */
const Collateral = z.object({
  account_id: text,
  coin_id: count,
  margin_mode: text,
  cross_contract_id: count,
  isolated_position_id: idText,
  amount: decimal,
  pending_deposit_amount: decimal,
  pending_withdraw_amount: decimal,
  pending_transfer_in_amount: decimal,
  pending_transfer_out_amount: decimal,
  is_liquidating: flag,
  legacy_amount: decimal,
  cum_deposit_amount: decimal,
  cum_withdraw_amount: decimal,
  cum_transfer_in_amount: decimal,
  cum_transfer_out_amount: decimal,
  cum_margin_move_in_amount: decimal,
  cum_margin_move_out_amount: decimal,
  cum_position_open_long_amount: decimal,
  cum_position_open_short_amount: decimal,
  cum_position_close_long_amount: decimal,
  cum_position_close_short_amount: decimal,
  cum_position_fill_fee_amount: decimal,
  cum_position_liquidate_fee_amount: decimal,
  cum_position_funding_amount: decimal,
  cum_order_fill_fee_income_amount: decimal,
  cum_order_liquidate_fee_income_amount: decimal,
  created_time: timeText,
  updated_time: timeText,
});

/** A consistent snapshot of a futures account in one coin; `version` changes with it. */
export const FuturesAccountRecord = z.object({
  account: Account,
  collateral: z.array(Collateral),
  position: z.array(AccountPositionRecord),
  version: text,
});

export const SubAffiliateRecord = z.object({
  subAffiliateUid: text,
  /** `SPOT` or `FUTURES`. */
  productType: text,
  /** A day in UTC, `YYYY-MM-DD`. */
  date: text,
  tradingVolume: decimal,
  netTradingFee: decimal,
  paidCommission: decimal,
});

export const InvitedUserRecord = z.object({
  uid: text,
  registerTime: timeText,
  kycResult: flag,
  inviteCode: text,
  firstDeposit: maybe(timeText),
  firstTrade: maybe(timeText),
  lastDeposit: maybe(timeText),
  lastTrade: maybe(timeText),
});

export const InternalWithdrawalRecord = z.object({
  fromUserId: idLong,
  toUserId: idLong,
  withdrawId: text,
  coin: text,
  /** `PROGRESSING`, `SUCCESS` or `FAILED`. */
  status: text,
  amount: decimal,
  createTime: timeLong,
  updateTime: timeLong,
});

/** The futures ticker, beyond the twenty: a bare reply, all strings except fields that may be absent. */
export const FuturesTickerRecord = z.object({
  symbol: text,
  last: decimal,
  best_ask: maybe(decimal),
  best_bid: maybe(decimal),
  high_24h: maybe(decimal),
  low_24h: maybe(decimal),
  volume_24h: maybe(decimal),
  timestamp: timeText,
  priceChangePercent: maybe(decimal),
  base_volume: maybe(decimal),
  markPrice: maybe(decimal),
  indexPrice: maybe(decimal),
});

/**
 * A candle of either host, beyond the twenty: its opening time, open, high, low, close, volume in base; then volume in quote,
 * and further fields. Text; bare numbers are read too, and the volume in quote may be missing.
 */
export const CandleRow = z.tuple([timeText, decimal, decimal, decimal, decimal, decimal]).rest(decimalOrEmpty);
