import { TidegateError } from '../../model/errors.ts';
import type { Environment } from '../config/reading/overrides.ts';
import type { RecorderConfig } from './recorder-schema.ts';

/** Where the tickers of the exchange are. */
export interface PricePlaces {
  readonly spotBaseUrl: string | undefined;
  readonly contractBaseUrl: string | undefined;
}

/**
 * The base URLs: those of the environment win over `live`, and those over `paper.prices.exchange`.
 * @throws TidegateError CONFIG_INVALID where one is missing that a symbol is asked at.
 */
export function pricePlaces({ live, paper }: RecorderConfig, symbols: readonly string[], environment: Environment): PricePlaces {
  const { exchange } = paper?.prices ?? {};
  const places = {
    spotBaseUrl: environment.TIDEGATE_SPOT_BASE_URL ?? live?.spotBaseUrl ?? exchange?.spotBaseUrl,
    contractBaseUrl: environment.TIDEGATE_CONTRACT_BASE_URL ?? live?.contractBaseUrl ?? exchange?.contractBaseUrl,
  };
  const spot = symbols.find((symbol) => !symbol.endsWith('-PERP'));
  const contract = symbols.find((symbol) => symbol.endsWith('-PERP'));
  if (spot !== undefined && places.spotBaseUrl === undefined) throw missing('live.spotBaseUrl', spot, 'TIDEGATE_SPOT_BASE_URL');
  if (contract !== undefined && places.contractBaseUrl === undefined) {
    throw missing('live.contractBaseUrl', contract, 'TIDEGATE_CONTRACT_BASE_URL');
  }
  return places;
}

function missing(setting: string, symbol: string, variable: string): TidegateError {
  return new TidegateError('CONFIG_INVALID', `${setting}: missing: the price of ${symbol} is asked there (or set ${variable})`);
}
