import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { STORAGE_SECRETS, takeStorageSecrets } from '../../recording/remote-storage.ts';
import { SECRET_VARIABLES } from './reading/secrets.ts';

/** The environment variables that hold keys. */
export const KEY_VARIABLES = { key: 'TIDEGATE_API_KEY', secret: 'TIDEGATE_API_SECRET', passphrase: 'TIDEGATE_API_PASSPHRASE' } as const;

/** Names that secrets have, such as `GITHUB_TOKEN`, `DB_PASSWORD` or `SSH_AUTH_SOCK`, and names for the path of a file of keys. */
const SECRET_NAME =
  /secret|passw|passphrase|token|credential|mnemonic|private|keys?$|key_id$|keys_file$|(^|_)(key|pass|pwd|auth|pat|cookie|dsn)(_|$)/i;
/** A URL with a password. */
const SECRET_VALUE = /^[a-z][a-z\d+.-]*:\/\/[^\s/@:]*:[^\s/@]+@/i;

/** Whether a variable holds a key of the exchange: one that the command line reads, or one that a config of this thread names. */
export function isKeyVariable(name: string): boolean {
  return SECRET_VARIABLES.has(name) || Object.values<string>(KEY_VARIABLES).includes(name);
}

function isSecret(name: string, value: string): boolean {
  return isKeyVariable(name) || STORAGE_SECRETS.some((one) => one === name) || SECRET_NAME.test(name) || SECRET_VALUE.test(value);
}

/**
 * Removes secrets from an environment: the keys of the exchange, under any name that a config gives them, the keys of remote storage,
 * and every variable that looks like a secret. `loadModule` calls it before it loads a strategy. The keys of remote storage are kept for
 * recordings that are opened later. In this process's own environment, the values are also overwritten in memory.
 * @returns false if strategies can still read a secret in `/proc` or with a command such as `ps`.
 */
export function hideSecrets(environment: Record<string, string | undefined> = process.env): boolean {
  takeStorageSecrets(environment);
  for (const [name, value = ''] of Object.entries(environment)) if (isSecret(name, value)) delete environment[name];
  return environment !== process.env || wipeVariables();
}

/** Fields of `/proc/self/stat` after the name of the program; `env_start` is the 50th of all (proc(5)). */
const ENV_START = 50 - 3;

/**
 * Overwrites the values of secrets in the memory of the process's start. On Linux `/proc/self/environ` shows this memory as long as the
 * process lives, even after `delete process.env.NAME`. A restart with other variables would leave the secrets in the parent process.
 * @returns whether all are overwritten; always false on other systems than Linux.
 */
function wipeVariables(): boolean {
  try {
    for (const { start, end } of secretValues()) overwrite(start, end);
    return secretValues().length === 0;
  } catch {
    return false;
  }
}

interface Value {
  /** Offsets in the environment's memory; `end` is after the last byte. */
  readonly start: number;
  readonly end: number;
}

/** The values of secrets that are not yet overwritten. */
function secretValues(): Value[] {
  const environment = readFileSync('/proc/self/environ');
  const found: Value[] = [];
  for (let at = 0; at < environment.length; ) {
    const zero = environment.indexOf(0, at);
    const end = zero < 0 ? environment.length : zero;
    const equals = environment.indexOf('=', at);
    const start = equals < 0 || equals > end ? end : equals + 1;
    if (start < end && isSecret(environment.toString('utf8', at, start - 1), environment.toString('utf8', start, end)))
      found.push({ start, end });
    at = end + 1;
  }
  return found;
}

function overwrite(start: number, end: number): void {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const base = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[ENV_START]);
  if (!Number.isSafeInteger(base) || base <= 0) throw new Error('/proc/self/stat does not show the address of the environment');
  const memory = openSync('/proc/self/mem', 'r+');
  try {
    writeSync(memory, Buffer.alloc(end - start), 0, end - start, base + start);
  } finally {
    closeSync(memory);
  }
}
