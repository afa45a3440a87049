import { createHmac } from 'node:crypto';
import type { AccountSpec } from './account-spec.ts';

/** What signs a request. Of a local exchange, so nothing that needs hiding. */
export interface Credentials {
  readonly key: string;
  readonly secret: string;
  readonly passphrase: string;
}

/** The credentials of an account: as written, or derived from the names, so that every start has the same. */
export function credentialsOf(exchange: string, { name, key, secret, passphrase }: AccountSpec): Credentials {
  const derived = (what: string, length: number) =>
    createHmac('sha256', 'tidegate local exchange').update(`${exchange}/${name}/${what}`).digest('hex').slice(0, length);
  return {
    key: key ?? `local_${derived('key', 24)}`,
    secret: secret ?? derived('secret', 64),
    passphrase: passphrase ?? derived('passphrase', 16),
  };
}
