import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { STORAGE_SECRETS, takeStorageSecrets } from '../../recording/remote-storage.ts';
import type { Config } from '../config/schema/schema.ts';

/** The environment variables that hold keys. */
export const KEY_VARIABLES = { key: 'TIDEGATE_API_KEY', secret: 'TIDEGATE_API_SECRET', passphrase: 'TIDEGATE_API_PASSPHRASE' } as const;

/**
 * Takes the variables that hold keys out of an environment: those that the command line reads, and those that the config's
 * live section names. A backtest needs none. Those of remote storage are kept for the recordings that are still to be opened. Of this
 * process's own environment their values are overwritten in memory, too.
 * @returns false where strategies, which are loaded next, can still read some in `/proc` or by a command such as `ps`.
 */
export function hideSecrets(environment: Record<string, string | undefined>, live: Config['live']): boolean {
  const named = Object.values(live?.keys ?? {}).flatMap((place) => (place !== undefined && 'env' in place ? [place.env] : []));
  const keys = [...Object.values(KEY_VARIABLES), ...named];
  takeStorageSecrets(environment);
  for (const name of keys) delete environment[name];
  return environment !== process.env || wipeVariables([...keys, ...STORAGE_SECRETS]);
}

/** Fields of `/proc/self/stat` after the name of the program; `env_start` is the 50th of all (proc(5)). */
const ENV_START = 50 - 3;

/**
 * Overwrites the values of variables in the memory that the process was started with. On Linux `/proc/self/environ` shows it as long as the
 * process lives, whatever `delete process.env.NAME` does. Starting again with other variables would leave them to the parent.
 * @returns whether they are gone. Elsewhere than on Linux nothing can be done.
 */
function wipeVariables(names: readonly string[]): boolean {
  try {
    for (const { start, end } of valuesOf(names)) overwrite(start, end);
    return valuesOf(names).length === 0;
  } catch {
    return false;
  }
}

interface Value {
  /** Places in the environment's memory; `end` is behind the last byte. */
  readonly start: number;
  readonly end: number;
}

/** The values of the variables that are not wiped. */
function valuesOf(names: readonly string[]): Value[] {
  const environment = readFileSync('/proc/self/environ');
  const found: Value[] = [];
  for (let at = 0; at < environment.length; ) {
    const zero = environment.indexOf(0, at);
    const end = zero < 0 ? environment.length : zero;
    const name = names.find((one) => environment.toString('latin1', at, at + one.length + 1) === `${one}=`);
    if (name !== undefined && at + name.length + 1 < end) found.push({ start: at + name.length + 1, end });
    at = end + 1;
  }
  return found;
}

function overwrite(start: number, end: number): void {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const base = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[ENV_START]);
  if (!Number.isSafeInteger(base) || base <= 0) throw new Error('the place of the environment is not told');
  const memory = openSync('/proc/self/mem', 'r+');
  try {
    writeSync(memory, Buffer.alloc(end - start), 0, end - start, base + start);
  } finally {
    closeSync(memory);
  }
}
