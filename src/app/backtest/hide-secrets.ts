import type { Config } from '../config/schema.ts';
import { KEY_VARIABLES } from '../exchange/key-variables.ts';

/**
 * Takes the variables that hold keys out of an environment: those that the command line reads, and those that the config's
 * live section names. A backtest needs none, and the strategies that it loads must not find them.
 */
export function hideSecrets(environment: Record<string, string | undefined>, live: Config['live']): void {
  const named = Object.values(live?.keys ?? {}).flatMap((place) => (place !== undefined && 'env' in place ? [place.env] : []));
  for (const name of [...Object.values(KEY_VARIABLES), ...named]) delete environment[name];
}
