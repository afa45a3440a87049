import { Decimal } from '../../model/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import { MONEY_PLACES } from '../../model/margin.ts';
import type { MarketView } from './market-view.ts';

const USDT = 'USDT';
const ONE = new Decimal(1);

/** The coin in which what was traded for several coins is added up: USDT, or where nothing trades for it the first quote. */
export function sumCoin(instruments: readonly Instrument[]): string {
  const quotes = instruments.map(({ quote }) => quote);
  return quotes.includes(USDT) ? USDT : (quotes[0] ?? USDT);
}

/**
 * What one `coin` is worth in another at the last price of an instrument between the two, whichever is its base;
 * `undefined` where there is none, or no price yet.
 */
export function worthOf(coin: string, other: string, views: readonly MarketView[]): Decimal | undefined {
  if (coin === other) return ONE;
  for (const { instrument, known, lastTicks } of views) {
    if (!known) continue;
    const { base, quote, tick } = instrument;
    if (base === coin && quote === other) return tick.toDecimal(lastTicks);
    if (base === other && quote === coin) return ONE.div(tick.toDecimal(lastTicks)).toDecimalPlaces(MONEY_PLACES);
  }
  return undefined;
}
