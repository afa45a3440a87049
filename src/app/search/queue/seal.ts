import { createHmac, timingSafeEqual } from 'node:crypto';
import { readSecret, readSecretFile, type SecretEnvironment } from '../../../exchange/client/credentials.ts';
import { TidegateError } from '../../../model/errors.ts';

/** The variable with the secret that a search and its workers share, and the one with the path of its file. */
const SECRET_VARIABLE = 'TIDEGATE_QUEUE_SECRET';
const SECRET_FILE_VARIABLE = 'TIDEGATE_QUEUE_SECRET_FILE';
/** Shorter secrets can be guessed. */
const SHORTEST_SECRET = 32;

/** A text in the queue with its signature (HMAC-SHA256). Everything in a queue may come from a stranger until its signature was checked. */
export interface Sealed {
  readonly body: string;
  readonly mac: string;
}

/** The kinds of texts: one of another kind, or about another thing, has another signature. */
type SealedKind = 'study' | 'bundle' | 'job' | 'result' | 'note';

/** Signs texts with the shared secret, and opens those that were signed with it. */
export class Seal {
  readonly #secret: string;

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** @param about the study, or the study and its job. */
  sign(kind: SealedKind, about: string, body: string): Sealed {
    return { body, mac: this.#mac(kind, about, body).toString('hex') };
  }

  /** @returns the text; undefined if it was not signed with this secret as this kind about this thing. */
  open(kind: SealedKind, about: string, sealed: unknown): string | undefined {
    const { body, mac } = (typeof sealed === 'object' && sealed !== null ? sealed : {}) as Partial<Record<keyof Sealed, unknown>>;
    if (typeof body !== 'string' || typeof mac !== 'string' || !/^[0-9a-f]{64}$/.test(mac)) return undefined;
    return timingSafeEqual(Buffer.from(mac, 'hex'), this.#mac(kind, about, body)) ? body : undefined;
  }

  #mac(kind: SealedKind, about: string, body: string): Buffer {
    return createHmac('sha256', this.#secret).update(`tidegate-queue 1\0${kind}\0${about}\0${body}`).digest();
  }
}

/**
 * The seal of the secret in the environment, or in a file of mode 600. The variable is removed.
 * @param file overrides the environment.
 * @throws TidegateError KEYS_INVALID without a secret, and for one that is too short.
 */
export function sealOf(environment: SecretEnvironment, file = environment[SECRET_FILE_VARIABLE]): Seal {
  const text =
    file === undefined ? environment[SECRET_VARIABLE] && readSecret({ env: SECRET_VARIABLE }, environment) : readSecretFile(file);
  delete environment[SECRET_VARIABLE];
  if (text === undefined || text === '') {
    const text = `the secret that a search shares with its workers is missing: set ${SECRET_VARIABLE}, or name its file by --secret-file`;
    throw new TidegateError('KEYS_INVALID', `${text} (docs/how-to/search-on-several-machines.md)`);
  }
  const secret = text.trim();
  if (secret.length >= SHORTEST_SECRET) return new Seal(secret);
  throw new TidegateError(
    'KEYS_INVALID',
    `${file ?? SECRET_VARIABLE}: expected a secret of ${SHORTEST_SECRET} characters or more, such as from \`openssl rand -hex 32\``,
  );
}
