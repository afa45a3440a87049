import { Decimal } from '../../../../src/model/decimal.ts';
import { Instrument } from '../../../../src/model/instrument.ts';
import type { MarginSettings } from '../../../../src/model/margin.ts';
import type { MarketEventKind } from '../../../../src/model/market-events.ts';
import { contractOf, type FuturesRow } from '../row.ts';

export const SYMBOL = 'BTC-USDT-PERP';

/** Ticks and steps of one. */
export function perpetual(row: FuturesRow): Instrument {
  const { makerFee, takerFee } = row;
  return new Instrument(0, { symbol: SYMBOL, tickSize: '1', stepSize: '1', makerFee, takerFee, contract: contractOf(row) });
}

export function marginOf({ margin = {} }: FuturesRow): MarginSettings {
  const { mode = 'shared', separated = false, leverage = '1', shortLeverage = leverage, autoAppend = false } = margin;
  return { mode, separated, longLeverage: new Decimal(leverage), shortLeverage: new Decimal(shortLeverage), autoAppend };
}

/** Rows write funding rates in millionths, everything else in whole numbers. */
export function seriesOptions(kind: MarketEventKind): { readonly priceDecimals?: number } {
  return kind === 'funding' ? { priceDecimals: 6 } : {};
}
