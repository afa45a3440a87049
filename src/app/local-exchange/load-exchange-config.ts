import { loadSettings } from '../config/load-settings.ts';
import type { Environment } from '../config/reading/environment.ts';
import { type ExchangeConfig, ExchangeConfigSchema } from './exchange-schema.ts';

/**
 * Reads, merges and checks the config of a local exchange.
 * @throws TidegateError CONFIG_NOT_FOUND, or CONFIG_INVALID with every problem at its file, line and column.
 */
export function loadExchangeConfig(path: string, set: readonly string[], environment: Environment): ExchangeConfig {
  return loadSettings(ExchangeConfigSchema, path, set, environment);
}
