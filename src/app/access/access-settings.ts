import { Credentials, type Keys, readSecret, readSecretFile, type SecretEnvironment } from '../../exchange/client/credentials.ts';
import { ExchangeClient } from '../../exchange/client/exchange-client.ts';
import { WeightBudget } from '../../exchange/client/weight-budget.ts';
import { TidegateError } from '../../model/errors.ts';
import { SteadyClock, SystemClock } from '../../venues/rest/real-clock.ts';
import { KEY_VARIABLES } from '../config/hide-secrets.ts';
import type { Config } from '../config/schema/schema.ts';

type Live = NonNullable<Config['live']>;

/** The options of the command line for the exchange's addresses and the keys. */
export interface AccessOptions {
  readonly spotUrl?: string | undefined;
  readonly contractUrl?: string | undefined;
  readonly locale?: string | undefined;
  /** A JSON file of mode 600 with `key`, `secret` and `passphrase`. */
  readonly keys?: string | undefined;
}

/** URLs and keys of the exchange: an option overrides the environment, and the environment overrides the config. */
export interface Access {
  readonly spotBaseUrl: string | undefined;
  readonly contractBaseUrl: string | undefined;
  readonly locale: string | undefined;
  readonly credentials: Credentials | undefined;
}

/**
 * Reads the exchange's addresses and the keys. A secret is removed from the environment when it is read.
 * @throws TidegateError KEYS_INVALID if only some of the keys are given, or if other users can read the file of keys.
 */
export function accessOf(options: AccessOptions, environment: SecretEnvironment, live: Live | undefined): Access {
  return {
    spotBaseUrl: options.spotUrl ?? environment.TIDEGATE_SPOT_BASE_URL ?? live?.spotBaseUrl,
    contractBaseUrl: options.contractUrl ?? environment.TIDEGATE_CONTRACT_BASE_URL ?? live?.contractBaseUrl,
    locale: options.locale ?? environment.TIDEGATE_LOCALE ?? live?.locale,
    credentials: credentialsOf(options, environment, live),
  };
}

function credentialsOf({ keys }: AccessOptions, environment: SecretEnvironment, live: Live | undefined): Credentials | undefined {
  if (keys !== undefined) return fromFile(keys);
  if (Object.values(KEY_VARIABLES).some((name) => environment[name] !== undefined)) {
    return credentials((part) => ({ at: KEY_VARIABLES[part], value: readSecret({ env: KEY_VARIABLES[part] }, environment) }));
  }
  if (environment.TIDEGATE_KEYS_FILE !== undefined) return fromFile(environment.TIDEGATE_KEYS_FILE);
  const { key, secret, passphrase } = live?.keys ?? {};
  if (key === undefined && secret === undefined && passphrase === undefined) return undefined;
  return credentials((part) => {
    const place = { key, secret, passphrase }[part];
    if (place === undefined) throw new TidegateError('KEYS_INVALID', `live.keys.${part} is missing: key, secret and passphrase are needed`);
    return { at: `live.keys.${part} (${'file' in place ? place.file : place.env})`, value: readSecret(place, environment) };
  });
}

/** One of the three keys, and the place where it was found. */
interface Found {
  readonly at: string;
  readonly value: string;
}

function credentials(read: (part: keyof typeof KEY_VARIABLES) => Found): Credentials {
  return new Credentials({ key: sendable(read('key')), secret: read('secret').value, passphrase: sendable(read('passphrase')) });
}

/** Characters that no header can have, and spaces at an end, which servers remove. */
const UNSENDABLE = /[^\x20-\x7e\x80-\xff]|^ | $/;
const HEX = 16;

/** Key and passphrase are headers of a request. @throws TidegateError KEYS_INVALID for one that cannot be sent. */
function sendable({ at, value }: Found): string {
  const index = value.search(UNSENDABLE);
  if (index < 0) return value;
  // The character itself may be a part of the secret.
  const code = value.codePointAt(index)!.toString(HEX).toUpperCase().padStart(4, '0');
  const text = `its character ${index + 1} (U+${code}) cannot be sent to the exchange: expected printable characters of Latin-1, without a space at an end`;
  throw new TidegateError('KEYS_INVALID', `${at}: ${text}`);
}

function fromFile(path: string): Credentials {
  const text = readSecretFile(path);
  let parsed: Partial<Record<keyof Keys, unknown>> | null;
  try {
    parsed = JSON.parse(text) as typeof parsed;
  } catch {
    // The parser's own message would quote the text.
    throw new TidegateError('KEYS_INVALID', `${path} is not JSON: expected an object with "key", "secret" and "passphrase"`);
  }
  return credentials((part) => {
    const value = parsed?.[part];
    if (typeof value !== 'string' || value === '') throw new TidegateError('KEYS_INVALID', `${path}: "${part}" is missing or not a text`);
    return { at: `${path}: "${part}"`, value };
  });
}

/** A client with the wall clock and its own weight budget, for a process without another client. */
export function exchangeClient({ credentials, ...access }: Access, live: Config['live']): ExchangeClient {
  const clock = new SystemClock();
  const given = Object.fromEntries(Object.entries(access).filter(([, value]) => value !== undefined));
  const { batchLimit, timeouts } = live ?? {};
  return new ExchangeClient({
    clock,
    budget: new WeightBudget(new SteadyClock(), live?.budget),
    credentials,
    random: Math.random,
    settings: { ...timeouts, ...(batchLimit === undefined ? {} : { batchLimit }), ...given },
  });
}
