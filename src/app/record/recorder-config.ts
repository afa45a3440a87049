import { z } from 'zod';
import { TidegateError } from '../../model/errors.ts';
import type { Environment } from '../config/reading/layers.ts';
import { localDataDir, slug, symbol, text } from '../config/schema/fields.ts';
import { LiveSchema, PaperSchema, RecordSchema } from '../config/schema/live-schema.ts';

const ignored = z.unknown().optional();

/** The sections of a config that `tidegate record` reads. A bot's config is valid, and so is one without the settings that only bots need. */
export const RecorderSchema = z
  .strictObject({
    name: slug(40),
    extends: text('the path of a config file').optional(),
    dataDir: localDataDir,
    instruments: z.record(symbol, z.unknown()).default({}),
    paper: PaperSchema.optional(),
    live: LiveSchema.optional(),
    record: RecordSchema,
    account: ignored,
    strategies: ignored,
    risk: ignored,
    backtest: ignored,
    report: ignored,
  })
  .refine(({ record, instruments }) => record.symbols !== undefined || Object.keys(instruments).length > 0, {
    error: 'missing: set record.symbols, or instruments, to what is to be recorded',
    path: ['record'],
  });

export type RecorderConfig = z.output<typeof RecorderSchema>;

/** The base URLs for the exchange's tickers. */
export interface PricePlaces {
  readonly spotBaseUrl: string | undefined;
  readonly contractBaseUrl: string | undefined;
}

/**
 * The base URLs: from the environment, else from `live`, else from `paper.prices.exchange`.
 * @throws TidegateError CONFIG_INVALID if the URL for a symbol is missing.
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
  return new TidegateError('CONFIG_INVALID', `${setting}: missing: the price of ${symbol} is requested there (or set ${variable})`);
}
