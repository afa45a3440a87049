import { z } from 'zod';
import {
  count,
  decimal,
  decimalOrEmpty,
  flag,
  flagText,
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
  /** How far from the last price a limit may lie, as a share of it. */
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

/** The futures ticker, beyond the twenty: answered bare, all strings but for what may be absent. */
export const FuturesTickerRecord = z.object({
  symbol: text,
  last: decimal,
  best_ask: maybe(decimal),
  best_bid: maybe(decimal),
  high_24h: maybe(decimal),
  low_24h: maybe(decimal),
  volume_24h: maybe(decimal),
  timestamp: timeLong.meta({ wire: 'string' }),
  priceChangePercent: maybe(decimal),
  base_volume: maybe(decimal),
  markPrice: maybe(decimal),
  indexPrice: maybe(decimal),
});

/**
 * A candle of either host, beyond the twenty: its opening time, open, high, low, close, volume in base; then volume in quote,
 * and whatever else they add. Written as text; bare numbers are read too, and a volume in quote may be missing.
 */
export const CandleRow = z.tuple([timeText, decimal, decimal, decimal, decimal, decimal]).rest(decimalOrEmpty);

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
