import { z } from 'zod';
import {
  amount,
  amountOrEmpty,
  change,
  changeOrEmpty,
  coin,
  count,
  flag,
  flagText,
  idLong,
  idText,
  maybe,
  ownIdOrEmpty,
  ownIdOrNull,
  price,
  priceOrEmpty,
  quantity,
  quantityOrEmpty,
  rate,
  rateOrEmpty,
  signedRate,
  signedRateOrEmpty,
  smallId,
  symbol,
  symbolOrEmpty,
  text,
  textId,
  textIdOrEmpty,
  textOrEmpty,
  textOrNull,
  timeLong,
  timeText,
  words,
  wordsOrEmpty,
} from '../fields.ts';

const Chain = z.object({
  /** Empty for the single native chain of a currency (null on the wire). */
  chain: textOrNull,
  needTag: flagText,
  withdrawAble: flagText,
  rechargeAble: flagText,
  /** In the currency itself. */
  withdrawFee: amountOrEmpty,
  /** Blocks. */
  depositConfirm: text,
  withdrawConfirm: text,
  minDepositAmount: amountOrEmpty,
  minWithdrawAmount: amountOrEmpty,
  browserUrl: textOrEmpty,
});

export const Currency = z.object({ coinId: textId, coinName: coin, transfer: flagText, chains: z.array(Chain) });

export const SymbolInformation = z.object({
  symbol,
  baseCoin: coin,
  quoteCoin: coin,
  /** Distance between two prices, in quote. */
  tickSize: price,
  /** Distance between two quantities, in base. */
  stepSize: quantity,
  minTradeAmount: quantityOrEmpty,
  maxTradeAmount: quantityOrEmpty,
  /** Shares of the notional. */
  takerFeeRate: signedRate,
  makerFeeRate: signedRate,
  /** How far a limit may be from the last price, as a share of it. */
  buyLimitPriceRatio: rateOrEmpty,
  sellLimitPriceRatio: rateOrEmpty,
  marketBuyLimitSize: quantityOrEmpty,
  marketSellLimitSize: quantityOrEmpty,
  marketFallbackPriceRatio: rateOrEmpty,
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
  symbol,
  priceChange: changeOrEmpty,
  /** A ratio: 0.05 is 5 %. */
  priceChangePercent: signedRateOrEmpty,
  trades: count.meta({ wire: 'long' }),
  /** In base. */
  size: quantityOrEmpty,
  /** In quote. */
  value: amountOrEmpty,
  high: priceOrEmpty,
  low: priceOrEmpty,
  open: priceOrEmpty,
  close: priceOrEmpty,
  highTime: timeLong,
  lowTime: timeLong,
  startTime: timeLong,
  endTime: timeLong,
  lastPrice: price,
  openInterest: quantityOrEmpty,
  ts: timeLong,
});

export const SpotOrderRecord = z.object({
  accountId: textId,
  symbol,
  orderId: idText,
  clientOrderId: ownIdOrEmpty,
  price: priceOrEmpty,
  /** In base; of a market buy, in quote. */
  quantity,
  /** `limit` and `market` are known. */
  orderType: words('limit', 'market'),
  side: words('buy', 'sell'),
  /** `open`, `new`, `partial_fill`, `full_fill`, `cancelled` are known, in any case. */
  status: words('open', 'new', 'partial_fill', 'full_fill', 'cancelled'),
  latestFillPrice: priceOrEmpty,
  maxFillPrice: priceOrEmpty,
  minFillPrice: priceOrEmpty,
  fillQuantity: quantityOrEmpty,
  fillTotalAmount: amountOrEmpty,
  cTime: timeText,
  uTime: timeText,
});

/** The reply to a cancel, on both hosts: `result` is true if it succeeded. */
export const CancelResult = z.object({
  order_id: textIdOrEmpty,
  client_oid: ownIdOrNull,
  symbol: symbolOrEmpty,
  result: flag,
  err_code: textOrNull,
  err_msg: textOrNull,
});

export const SpotFillRecord = z.object({
  accountId: textId,
  symbol,
  baseCoin: coin,
  quoteCoin: coin,
  orderId: idText,
  fillId: textId,
  /** May be empty. */
  orderType: wordsOrEmpty('limit', 'market'),
  side: words('buy', 'sell'),
  /** May be empty: it is then `fillTotalAmount / fillQuantity`. */
  fillPrice: priceOrEmpty,
  fillQuantity: quantity,
  fillTotalAmount: amount,
  /** In base on a buy, in quote on a sell. */
  fees: change,
  cTime: timeText,
});

export const AssetRecord = z.object({ coinId: smallId, coinName: coin, available: amount, frozen: amount, equity: amount });

/** The reply of operation 10. */
export const FuturesAssetRecord = AssetRecord.extend({ unrealizePnl: maybe(change) });

export const TransferRecord = z.object({
  coinName: coin,
  /** `SUCCESS` is known. */
  status: words('SUCCESS', 'FAILED'),
  toType: words('SPOT', 'CONTRACT', 'FUND'),
  toSymbol: symbolOrEmpty,
  fromType: words('SPOT', 'CONTRACT', 'FUND'),
  fromSymbol: symbolOrEmpty,
  amount,
  tradeTime: timeText,
});

export const TriggerOrderResult = z.object({ client_oid: ownIdOrNull, order_id: idText });

export const FuturesOrderRecord = z.object({
  symbol,
  /** In base coin, although the document states lots. */
  size: quantity,
  client_oid: ownIdOrEmpty,
  createTime: timeLong,
  filled_qty: quantity,
  /** In the margin coin. */
  fee: changeOrEmpty,
  order_id: idText,
  price: priceOrEmpty,
  price_avg: priceOrEmpty,
  /** pending, open, filled, canceling, canceled or untriggered. */
  status: words('pending', 'open', 'filled', 'canceling', 'canceled', 'untriggered'),
  /** open_long, open_short, close_long, close_short, or a forced close. */
  type: words('open_long', 'open_short', 'close_long', 'close_short', 'burst_liquidate_long', 'burst_liquidate_short'),
  /** normal, postOnly, fok or ioc. */
  order_type: words('normal', 'postOnly', 'fok', 'ioc'),
  totalProfits: changeOrEmpty,
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
    coin_id: smallId,
    contract_id: contractId,
    symbol: maybe(symbol),
    /** `LONG` or `SHORT`. */
    side: words('LONG', 'SHORT'),
    /** `SHARED` (cross) or `ISOLATED`. */
    margin_mode: words('SHARED', 'CROSS', 'ISOLATED'),
    separated_mode: words('COMBINED', 'SEPARATED'),
    separated_open_order_id: id,
    leverage: rate,
    /** In base coin. */
    size: quantity,
    open_value: amount,
    open_fee: change,
    funding_fee: change,
    isolated_margin: amount,
    is_auto_append_isolated_margin: flag,
    cum_open_size: quantity,
    cum_open_value: amount,
    cum_open_fee: change,
    cum_close_size: quantity,
    cum_close_value: amount,
    cum_close_fee: change,
    cum_funding_fee: change,
    cum_liquidate_fee: change,
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
  taker_fee_rate: signedRate,
  maker_fee_rate: signedRate,
  is_set_fee_discount: flag,
  fee_discount: rate,
  is_set_taker_maker_fee_discount: flag,
  taker_fee_discount: rate,
  maker_fee_discount: rate,
});

const ModeSetting = z.object({
  contract_id: maybe(textId),
  margin_mode: words('SHARED', 'CROSS', 'ISOLATED'),
  separated_mode: words('COMBINED', 'SEPARATED'),
  /** `HEDGE`: a long and a short side. */
  position_mode: words('HEDGE', 'COMBINED'),
});

const LeverageSetting = z.object({
  contract_id: maybe(textId),
  isolated_long_leverage: rate,
  isolated_short_leverage: rate,
  cross_leverage: rate,
  shared_leverage: rate,
});

const Account = z.object({
  id: textId,
  user_id: textId,
  client_account_id: textIdOrEmpty,
  is_system_account: flag,
  default_fee_setting: FeeSetting.nullable(),
  /** The three maps are keyed by contract id. */
  contract_id_to_fee_setting: z.record(z.string(), FeeSetting.extend({ contract_id: maybe(textId) })),
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
  account_id: textId,
  coin_id: smallId,
  margin_mode: words('SHARED', 'CROSS', 'ISOLATED'),
  cross_contract_id: smallId,
  isolated_position_id: idText,
  amount: change,
  pending_deposit_amount: change,
  pending_withdraw_amount: change,
  pending_transfer_in_amount: change,
  pending_transfer_out_amount: change,
  is_liquidating: flag,
  legacy_amount: change,
  cum_deposit_amount: change,
  cum_withdraw_amount: change,
  cum_transfer_in_amount: change,
  cum_transfer_out_amount: change,
  cum_margin_move_in_amount: change,
  cum_margin_move_out_amount: change,
  cum_position_open_long_amount: change,
  cum_position_open_short_amount: change,
  cum_position_close_long_amount: change,
  cum_position_close_short_amount: change,
  cum_position_fill_fee_amount: change,
  cum_position_liquidate_fee_amount: change,
  cum_position_funding_amount: change,
  cum_order_fill_fee_income_amount: change,
  cum_order_liquidate_fee_income_amount: change,
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
  subAffiliateUid: textId,
  /** `SPOT` or `FUTURES`. */
  productType: words('SPOT', 'FUTURES'),
  /** A day in UTC, `YYYY-MM-DD`. */
  date: text,
  tradingVolume: amount,
  netTradingFee: change,
  paidCommission: change,
});

export const InvitedUserRecord = z.object({
  uid: textId,
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
  withdrawId: textId,
  coin,
  /** `PROGRESSING`, `SUCCESS` or `FAILED`. */
  status: words('PROGRESSING', 'SUCCESS', 'FAILED'),
  amount,
  createTime: timeLong,
  updateTime: timeLong,
});

/** The futures ticker, beyond the twenty: a bare reply, all strings except fields that may be absent. */
export const FuturesTickerRecord = z.object({
  symbol,
  last: price,
  best_ask: maybe(price),
  best_bid: maybe(price),
  high_24h: maybe(price),
  low_24h: maybe(price),
  volume_24h: maybe(quantity),
  timestamp: timeText,
  priceChangePercent: maybe(signedRate),
  base_volume: maybe(quantity),
  markPrice: maybe(price),
  indexPrice: maybe(price),
});

/**
 * A candle of either host, beyond the twenty: its opening time, open, high, low, close, volume in base; then volume in quote,
 * and further fields. Text; bare numbers are read too, and the volume in quote may be missing.
 */
export const CandleRow = z.tuple([timeText, price, price, price, price, quantity]).rest(amountOrEmpty);
