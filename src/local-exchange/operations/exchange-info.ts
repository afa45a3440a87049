import type { PayloadOf, RequestOf } from '../../exchange/operations/operations.ts';
import { wireSymbol } from '../../exchange/symbols.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { PublicCall } from '../http/call.ts';
import type { ListingRules } from '../trading/listing-rules.ts';
import { listed, listedOf } from './listed.ts';

/** Operation 2: what is listed, and by which limits orders are judged. Where both parameters are given, both count. */
export function exchangeInfo({ symbol, symbols }: RequestOf<'exchangeInfo'>, { exchange }: PublicCall): PayloadOf<'exchangeInfo'> {
  const names = [...(symbol === undefined ? [] : [symbol]), ...(symbols?.split(',') ?? [])].map((name) => name.trim());
  const asked = names.length === 0 ? listedOf(exchange, 'spot') : names.map((name) => listed(exchange, 'spot', name));
  return [...new Set(asked)].map((instrument) => record(instrument, exchange.rulesOf(instrument)));
}

function record(instrument: Instrument, rules: ListingRules): PayloadOf<'exchangeInfo'>[number] {
  const { spec, base, quote, tick, step, makerFee, takerFee } = instrument;
  return {
    symbol: wireSymbol(spec.symbol),
    baseCoin: base,
    quoteCoin: quote,
    tickSize: tick.text,
    stepSize: step.text,
    minTradeAmount: spec.minQuantity ?? step.text,
    maxTradeAmount: spec.maxQuantity ?? '',
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
