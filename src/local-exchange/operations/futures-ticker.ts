import type { PayloadOf, RequestOf } from '../../exchange/operations/operations.ts';
import { wireSymbol } from '../../exchange/symbols.ts';
import type { PublicCall } from '../http/call.ts';
import { Refusal } from '../refusal.ts';
import { listed } from './listed.ts';
import { wireTime } from './page.ts';
import { tickerRecord } from './ticker-record.ts';

/**
 * Beyond the twenty: the ticker of a contract. Bid and ask are the quotes' where there are quotes, else the last price
 * less and plus the half spread of the fill rules. @throws Refusal 40725 before the first price.
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
