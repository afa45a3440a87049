import { Decimal } from '../model/decimal.ts';
import type { MarketState } from './market-state.ts';

const ONE = new Decimal(1);
/** Digits of a rate that is one over a price: far below any asset's smallest unit. */
const INVERSE_DIGITS = 32;

/** Where the price of an asset in the account's currency comes from. */
export interface RateSource {
  readonly market: MarketState;
  /** The instrument is `CURRENCY-ASSET`: the rate is one over its price. */
  readonly inverse: boolean;
}

/**
 * What an asset is worth in the account's currency: the newest last price of the instrument `ASSET-CURRENCY`, or one
 * over that of `CURRENCY-ASSET`. A futures account goes by spot instruments alone.
 */
export class Conversion {
  readonly #sources = new Map<string, RateSource>();

  constructor(
    readonly currency: string,
    markets: readonly MarketState[],
    spotAlone: boolean,
  ) {
    for (const inverse of [false, true]) {
      for (const market of markets) {
        const { base, quote, kind } = market.instrument;
        const asset = inverse ? quote : base;
        if ((inverse ? base : quote) !== currency || (spotAlone && kind !== 'spot')) continue;
        if (!this.#sources.has(asset)) this.#sources.set(asset, { market, inverse });
      }
    }
  }

  sourceOf(asset: string): RateSource | undefined {
    return this.#sources.get(asset);
  }

  /** Units of the currency for one of the asset; `undefined` where there is no price (yet). */
  rateOf(asset: string): Decimal | undefined {
    if (asset === this.currency) return ONE;
    const source = this.#sources.get(asset);
    const last = source?.market.exactLast();
    if (last === undefined || !source?.inverse) return last;
    return ONE.div(last).toSignificantDigits(INVERSE_DIGITS);
  }
}
