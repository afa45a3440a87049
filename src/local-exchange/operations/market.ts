import type { PayloadOf, RequestOf } from '../../exchange/operations/operations.ts';
import { CANDLE_PERIODS, type CandlePeriod, wireSymbol } from '../../exchange/symbols.ts';
import { Decimal } from '../../model/decimal.ts';
import type { ReadonlyLadder } from '../../model/depth-book.ts';
import type { Instrument } from '../../model/instrument.ts';
import { isoTime } from '../../model/time.ts';
import { inOrder } from '../behaviour.ts';
import type { CoinChain } from '../core/coins.ts';
import type { Listings } from '../core/listings.ts';
import { type MarketView, shownDay } from '../core/market-view.ts';
import { Refusal } from '../refusal.ts';
import { listed, listedOf, type PublicCall, wireTime } from './call.ts';
import { mostLeverage } from './futures-orders.ts';

/** Operation 1: the coins, with the chains of the config. */
export function currencies(_request: unknown, { exchange }: PublicCall): PayloadOf<'currencies'> {
  return exchange.coins.map(({ id, name, transfer, chains }) => ({
    coinId: String(id),
    coinName: name,
    transfer,
    chains: chains.map(chainRecord),
  }));
}

function chainRecord(chain: CoinChain) {
  return {
    chain: chain.chain ?? '',
    needTag: chain.needTag ?? false,
    withdrawAble: chain.withdraw ?? false,
    rechargeAble: chain.deposit ?? false,
    withdrawFee: chain.withdrawFee ?? '0',
    depositConfirm: String(chain.depositConfirmations ?? 0),
    withdrawConfirm: String(chain.withdrawConfirmations ?? 0),
    minDepositAmount: chain.minDeposit ?? '0',
    minWithdrawAmount: chain.minWithdraw ?? '0',
    browserUrl: chain.browserUrl ?? '',
  };
}

/** Operation 2: the listed pairs, with the limits of their orders. If both parameters are given, both count. */
export function exchangeInfo({ symbol, symbols }: RequestOf<'exchangeInfo'>, { exchange }: PublicCall): PayloadOf<'exchangeInfo'> {
  const names = [...(symbol === undefined ? [] : [symbol]), ...(symbols?.split(',') ?? [])].map((name) => name.trim());
  const requested = names.length === 0 ? listedOf(exchange, 'spot') : names.map((name) => listed(exchange, 'spot', name));
  const records = [...new Set(requested)].map((instrument) => symbolRecord(instrument, exchange.listings));
  return inOrder(records, exchange.behaviour.listOrder);
}

function symbolRecord(instrument: Instrument, listings: Listings): PayloadOf<'exchangeInfo'>[number] {
  const { spec, base, quote, makerFee, takerFee } = instrument;
  const { tick, step, minQuantity, maxQuantity = '' } = listings.gridOf(instrument);
  const rules = listings.rulesOf(instrument);
  return {
    symbol: wireSymbol(spec.symbol),
    baseCoin: base,
    quoteCoin: quote,
    tickSize: tick.text,
    stepSize: step.text,
    minTradeAmount: minQuantity,
    maxTradeAmount: maxQuantity,
    takerFeeRate: takerFee.toFixed(),
    makerFeeRate: makerFee.toFixed(),
    buyLimitPriceRatio: rules.buyLimitPriceRatio ?? '',
    sellLimitPriceRatio: rules.sellLimitPriceRatio ?? '',
    marketBuyLimitSize: rules.marketBuyLimitSize ?? '',
    marketSellLimitSize: rules.marketSellLimitSize ?? '',
    marketFallbackPriceRatio: rules.marketFallbackPriceRatio ?? '',
    enableTrade: rules.enableTrade ?? true,
    enableDisplay: rules.enableDisplay ?? true,
    displayDigitMerge: rules.displayDigitMerge ?? '',
    displayNew: rules.displayNew ?? false,
    displayHot: rules.displayHot ?? false,
    supportTracing: rules.supportTracing ?? false,
    supportPlanMarket: rules.supportPlanMarket ?? false,
  };
}

/** Operation 3. @throws Refusal 40725 before the first price. */
export function ticker({ symbol }: RequestOf<'ticker'>, { exchange, now }: PublicCall): PayloadOf<'ticker'> {
  const record = tickerRecord(exchange.market.view(listed(exchange, 'spot', symbol)), now);
  if (record === undefined) throw new Refusal('40725', `no price of ${symbol} yet`);
  return record;
}

/** Operation 4: the tickers of all spot pairs that have a price. */
export function tickers(_request: unknown, { exchange, now }: PublicCall): PayloadOf<'tickers'> {
  const records = listedOf(exchange, 'spot').map((instrument) => tickerRecord(exchange.market.view(instrument), now));
  return inOrder(
    records.filter((record) => record !== undefined),
    exchange.behaviour.listOrder,
  );
}

/** Places of a ratio. */
const RATIO_PLACES = 6;

/** A pair's ticker over the last 24 hours; `undefined` before its first price. */
function tickerRecord(view: MarketView, now: number): PayloadOf<'ticker'> | undefined {
  const day = shownDay(view, now);
  if (day === undefined) return undefined;
  const { instrument } = view;
  const change = day.close.minus(day.open);
  return {
    symbol: wireSymbol(instrument.symbol),
    priceChange: change.toFixed(),
    priceChangePercent: change.div(day.open).toDecimalPlaces(RATIO_PLACES).toFixed(),
    trades: day.trades,
    size: day.size.toFixed(),
    value: day.value.toFixed(),
    high: day.high.toFixed(),
    low: day.low.toFixed(),
    open: day.open.toFixed(),
    close: day.close.toFixed(),
    highTime: wireTime(day.highTime),
    lowTime: wireTime(day.lowTime),
    startTime: wireTime(day.startTime),
    endTime: wireTime(day.endTime),
    lastPrice: instrument.tick.toText(view.lastTicks),
    // Only derivatives have it; spot pairs have none.
    openInterest: '0',
    ts: wireTime(now),
  };
}

/** Beyond the twenty: candles of a spot pair; none before the first price. */
export function candles({ symbol, period, limit }: RequestOf<'candles'>, { exchange, now }: PublicCall): PayloadOf<'candles'> {
  const named = CANDLE_PERIODS.find(({ spot }) => spot === period)!;
  return candleRows(exchange.market.view(listed(exchange, 'spot', symbol)), named, limit!, now);
}

/** Beyond the twenty: candles of a contract; none before the first price. */
export function futuresCandles(
  { symbol, granularity, limit }: RequestOf<'futuresCandles'>,
  { exchange, now }: PublicCall,
): PayloadOf<'futuresCandles'> {
  const named = CANDLE_PERIODS.find(({ futures }) => futures === granularity)!;
  return candleRows(exchange.market.view(listed(exchange, 'futures', symbol)), named, limit!, now);
}

/** The newest candles of an instrument as both hosts write them, newest first. */
function candleRows({ candles, instrument }: MarketView, period: CandlePeriod, limit: number, now: number): PayloadOf<'candles'> {
  const { tick, step } = instrument;
  return candles
    .newest(period.ms, limit, now)
    .map(({ start, open, high, low, close, steps, value }) => [
      start,
      tick.toText(open),
      tick.toText(high),
      tick.toText(low),
      tick.toText(close),
      step.toText(steps),
      value.toFixed(),
    ]);
}

/**
 * Beyond the twenty: the ticker of a contract. Bid and ask are those of the quotes if there are quotes, else the last price
 * minus and plus the half spread of the fill rules. @throws Refusal 40725 before the first price.
 */
export function futuresTicker({ symbol }: RequestOf<'futuresTicker'>, { exchange, now }: PublicCall): PayloadOf<'futuresTicker'> {
  const view = exchange.market.view(listed(exchange, 'futures', symbol));
  const day = tickerRecord(view, now);
  if (day === undefined) throw new Refusal('40725', `no price of ${symbol} yet`);
  const { instrument, lastTicks, bidTicks, askTicks } = view;
  const half = Math.ceil(exchange.options.fills.halfSpreadTicks);
  return {
    symbol: wireSymbol(instrument.symbol),
    last: day.lastPrice,
    best_ask: instrument.tick.toText(askTicks ?? lastTicks + half),
    best_bid: instrument.tick.toText(bidTicks ?? Math.max(1, lastTicks - half)),
    high_24h: day.high,
    low_24h: day.low,
    volume_24h: day.value,
    timestamp: wireTime(now),
    priceChangePercent: day.priceChangePercent,
    base_volume: day.size,
    markPrice: view.markPrice.toFixed(),
    indexPrice: undefined,
  };
}

/** Beyond the twenty: the server's clock in three forms; `epoch` is in seconds. */
export function futuresTime(_request: unknown, { shownTime }: PublicCall): PayloadOf<'futuresTime'> {
  return { epoch: (shownTime / 1_000).toFixed(3), iso: isoTime(shownTime), timestamp: shownTime };
}

/** Beyond the twenty: the server's clock, epoch ms. */
export function spotTime(_request: unknown, { shownTime }: PublicCall): number {
  return shownTime;
}

/** Beyond the twenty: the listed contracts, with the limits of their orders. @throws Refusal 40102. */
export function contracts({ symbol }: RequestOf<'contracts'>, { exchange }: PublicCall): PayloadOf<'contracts'> {
  const named = symbol === undefined ? listedOf(exchange, 'futures') : [listed(exchange, 'futures', symbol)];
  return inOrder(named, exchange.behaviour.listOrder).map((instrument) => contractRecord(instrument, exchange.listings));
}

/** Settlement of funding at this exchange, every eight hours. */
const SETTLEMENTS = ['00:00:00', '08:00:00', '16:00:00'];

function contractRecord(instrument: Instrument, listings: Listings): PayloadOf<'contracts'>[number] {
  const { spec, base, quote, contract, makerFee, takerFee } = instrument;
  const rules = listings.rulesOf(instrument);
  const { tick, step, minQuantity, maxQuantity = '' } = listings.gridOf(instrument);
  return {
    symbol: wireSymbol(spec.symbol),
    underlying_index: base,
    quote_currency: quote,
    coin: quote,
    contract_val: contract?.value.toFixed() ?? '1',
    delivery: SETTLEMENTS,
    size_increment: String(step.decimals),
    tick_size: String(tick.decimals),
    priceEndStep: String(tick.numerator),
    forwardContractFlag: true,
    minLeverage: '1',
    maxLeverage: String(mostLeverage(instrument)),
    buyLimitPriceRatio: rules.buyLimitPriceRatio ?? '',
    sellLimitPriceRatio: rules.sellLimitPriceRatio ?? '',
    makerFeeRate: makerFee.toFixed(),
    takerFeeRate: takerFee.toFixed(),
    minOrderSize: minQuantity,
    maxOrderSize: maxQuantity,
    maxPositionSize: rules.maxPositionSize ?? '',
    marketOpenLimitSize: rules.marketOpenLimitSize ?? '',
  };
}

/**
 * Beyond the twenty: the order book of a contract. Without a recorded book it has one level a side, of the quotes or of the last price
 * minus and plus the half spread, of any size. @throws Refusal 40725 before the first price.
 */
export function futuresDepth({ symbol, limit }: RequestOf<'futuresDepth'>, call: PublicCall): PayloadOf<'futuresDepth'> {
  const { exchange, now } = call;
  const instrument = listed(exchange, 'futures', symbol);
  const { tick, step } = instrument;
  const { book } = exchange.market.view(instrument);
  if (book === undefined) {
    const { best_ask, best_bid } = futuresTicker({ symbol }, call);
    const size = step.toText(
      exchange.options.fills.tickerQuantity === undefined ? ANY_STEPS : step.floorUnits(new Decimal(exchange.options.fills.tickerQuantity)),
    );
    return { asks: [[best_ask ?? '', size]], bids: [[best_bid ?? '', size]], timestamp: wireTime(now) };
  }
  const levels = (side: ReadonlyLadder) => {
    const found: [string, string][] = [];
    for (let at = side.bestTicks; found.length < Number(limit) && !Number.isNaN(at); at = side.next(at)) {
      found.push([tick.toText(at), step.toText(side.stepsAt(at))]);
    }
    return found;
  };
  return { asks: levels(book.asks), bids: levels(book.bids), timestamp: wireTime(now) };
}

/** The size of a level where nothing limits it, in steps. */
const ANY_STEPS = 1_000_000;

/** Minutes between two payments, before two have been seen. */
const FUNDING_MINUTES = 480;

/** Beyond the twenty: the newest funding rate of each contract; 0 before the first payment. @throws Refusal 40102. */
export function fundingRate({ symbol }: RequestOf<'fundingRate'>, { exchange, now }: PublicCall): PayloadOf<'fundingRate'> {
  const named = symbol === undefined ? listedOf(exchange, 'futures') : [listed(exchange, 'futures', symbol)];
  return named.map((instrument) => {
    const [before, newest] = exchange.market.view(instrument).fundings.slice(-2);
    const minutes = before === undefined || newest === undefined ? FUNDING_MINUTES : Math.round((newest.time - before.time) / 60_000);
    return {
      symbol: wireSymbol(instrument.symbol),
      fundingRate: (newest ?? before)?.exactRate.toFixed() ?? '0',
      collectCycle: minutes,
      timestamp: wireTime(now),
    };
  });
}

/** Beyond the twenty: past funding rates of a contract, newest first. @throws Refusal 40102. */
export function fundingHistory({ symbol, limit }: RequestOf<'fundingHistory'>, { exchange }: PublicCall): PayloadOf<'fundingHistory'> {
  const { fundings } = exchange.market.view(listed(exchange, 'futures', symbol));
  return fundings
    .slice(-limit!)
    .reverse()
    .map(({ exactRate, time }) => ({ symbol, fundingRate: exactRate.toFixed(), fundingTime: wireTime(time) }));
}
