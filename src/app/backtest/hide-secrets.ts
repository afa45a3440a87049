import { takeStorageSecrets } from '../../recording/remote/storage-settings.ts';
import type { Config } from '../config/schema/schema.ts';
import { KEY_VARIABLES } from '../exchange/access-settings.ts';

/**
 * Takes the variables that hold keys out of an environment: those that the command line reads, and those that the config's
 * live section names. A backtest needs none, and the strategies that it loads must not find them. Those of remote storage are kept for the
 * recordings that are still to be opened.
 */
export function hideSecrets(environment: Record<string, string | undefined>, live: Config['live']): void {
  const named = Object.values(live?.keys ?? {}).flatMap((place) => (place !== undefined && 'env' in place ? [place.env] : []));
  takeStorageSecrets(environment);
  for (const name of [...Object.values(KEY_VARIABLES), ...named]) delete environment[name];
}
