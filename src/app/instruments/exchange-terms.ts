import type { ExchangeClient } from '../../exchange/client/exchange-client.ts';
import type { PayloadOf } from '../../exchange/operations/operations.ts';
import { wireSymbol } from '../../exchange/symbols.ts';
import { Decimal } from '../../model/decimal.ts';
import { TidegateError } from '../../model/errors.ts';
import type { DatedTerms } from './terms-file.ts';

type Listing = PayloadOf<'exchangeInfo'>[number];

/**
 * What the exchange lists of these spot instruments, as terms from a moment on.
 * @param symbols perpetuals among them are left out: the exchange's API tells no terms of contracts.
 * @throws TidegateError DATA_NOT_FOUND where it does not list one.
 */
export async function exchangeTerms(client: ExchangeClient, symbols: readonly string[], from: number): Promise<DatedTerms[]> {
  const listed = new Map((await client.exchangeInfo()).map((one) => [one.symbol.toUpperCase(), one]));
  return symbols
    .filter((symbol) => !symbol.endsWith('-PERP'))
    .map((symbol) => {
      const listing = listed.get(wireSymbol(symbol).toUpperCase());
      if (listing !== undefined) return { symbol, from, settings: settingsOf(listing) };
      throw new TidegateError(
        'DATA_NOT_FOUND',
        `the exchange does not list ${symbol}: name others with --symbol, or write its terms by hand`,
      );
    });
}

/** The exchange says "no limit" by an empty text or zero. */
function settingsOf({ tickSize, stepSize, makerFeeRate, takerFeeRate, minTradeAmount, maxTradeAmount }: Listing): Record<string, string> {
  const limits = { minQuantity: minTradeAmount, maxQuantity: maxTradeAmount };
  const stated = Object.entries(limits).filter(([, text]) => text !== '' && new Decimal(text).gt(0));
  return { tickSize, stepSize, makerFee: makerFeeRate, takerFee: takerFeeRate, ...Object.fromEntries(stated) };
}
