import { z } from 'zod';
import type { ConfigPath } from './tree.ts';

const SECRET_REFERENCE = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/;
const SECRET_ERROR = `expected a reference to a secret, $\{NAME} or { file: path }, never the secret itself`;

/** Where a secret is to be found. A config carries the reference alone, so that no text made of it can leak one. */
type SecretReference = { readonly env: string } | { readonly file: string };

/** A secret's reference: the text `${NAME}`, or `{ file: path }`. */
export const secret = z
  .union(
    [
      z.string().regex(SECRET_REFERENCE, { error: SECRET_ERROR }),
      z.strictObject({ file: z.string().min(1).describe('File that holds it') }),
    ],
    {
      error: SECRET_ERROR,
    },
  )
  .transform((input): SecretReference => (typeof input === 'string' ? { env: input.slice(2, -1) } : input));

const SECRET_KEYS: readonly unknown[] = ['key', 'secret', 'passphrase'];

/** True for the settings that must be references: these names anywhere in `live` and `paper`. */
export function isSecretPath(path: ConfigPath): boolean {
  return (path[0] === 'live' || path[0] === 'paper') && SECRET_KEYS.includes(path.at(-1));
}

/** A key whose name smells of a credential (misspelt ones included), and its value up to the next separator. */
const SECRET_VALUE = /([\w-]*(?:key|sec|pass|token)[\w-]*["']?\s*[:=]\s*)("[^"]*"?|'[^']*'?|[^\s{},#"'][^,}#]*)/gi;
/** Who asks, in a URL. */
const USER_INFO = /(?<=:\/\/)[^\s/@'"]+(?=@)/g;
/** A value that is nothing but a reference may be seen. */
const REFERENCE_ALONE = /^["']?\$\{\w+\}?["']?\s*$/;
/** A word that is no key: none of `:` and `=` follows it. */
const VALUE = /[^\s{}[\],:="']+(?![^\s{}[\],:="'])(?!["']?\s*[:=])/g;

/** A line of config that can be shown: values under names like `key`, `secret`, `passphrase`, and names and passwords in URLs, become as many stars, so that a caret below still points right. */
export function maskSecrets(line: string): string {
  return line
    .replace(SECRET_VALUE, (whole, name: string, value: string) => (REFERENCE_ALONE.test(value) ? whole : name + stars(value)))
    .replace(USER_INFO, stars);
}

/** A line about credentials: every value in it becomes stars, since a key may be misspelt or missing. */
export function maskValues(line: string): string {
  return line.replace(VALUE, stars);
}

function stars(text: string): string {
  return '*'.repeat(text.length);
}
