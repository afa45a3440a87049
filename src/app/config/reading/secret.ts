import { z } from 'zod';
import type { ConfigPath } from './config-path.ts';

const REFERENCE = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/;
const ERROR = `expected a reference to a secret, $\{NAME} or { file: path }, never the secret itself`;

/** Where a secret is to be found. A config carries the reference alone, so that no text made of it can leak one. */
export type SecretReference = { readonly env: string } | { readonly file: string };

/** A secret's reference: the text `${NAME}`, or `{ file: path }`. */
export const secret = z
  .union([z.string().regex(REFERENCE, { error: ERROR }), z.strictObject({ file: z.string().min(1).describe('File that holds it') })], {
    error: ERROR,
  })
  .transform((input): SecretReference => (typeof input === 'string' ? { env: input.slice(2, -1) } : input));

const SECRET_KEYS: readonly unknown[] = ['key', 'secret', 'passphrase'];

/** True for the settings that must be references: these names anywhere in `live` and `paper`. */
export function isSecretPath(path: ConfigPath): boolean {
  return (path[0] === 'live' || path[0] === 'paper') && SECRET_KEYS.includes(path.at(-1));
}
