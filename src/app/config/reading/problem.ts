import { z } from 'zod';
import { TidegateError } from '../../../model/errors.ts';
import { type ConfigPath, formatPath } from './config-path.ts';
import { type Place, type Position, placeOf } from './source.ts';

/** A key whose name smells of a credential (misspelt ones included), and its value up to the next separator. */
const SECRET_VALUE = /([\w-]*(?:key|sec|pass|token)[\w-]*["']?\s*[:=]\s*)("[^"]*"?|'[^']*'?|[^\s{},#"'][^,}#]*)/gi;
/** Who asks, in a URL. */
const USER_INFO = /(?<=:\/\/)[^\s/@'"]+(?=@)/g;
/** A value that is nothing but a reference may be seen. */
const REFERENCE = /^["']?\$\{\w+\}?["']?\s*$/;
/** A word that is no key: none of `:` and `=` follows it. */
const VALUE = /[^\s{}[\],:="']+(?![^\s{}[\],:="'])(?!["']?\s*[:=])/g;

/** A line of config that can be shown: values under names like `key`, `secret`, `passphrase`, and names and passwords in URLs, become as many stars, so that a caret below still points right. */
function maskSecrets(line: string): string {
  return line
    .replace(SECRET_VALUE, (whole, name: string, value: string) => (REFERENCE.test(value) ? whole : name + stars(value)))
    .replace(USER_INFO, stars);
}

/** A line about credentials: every value in it becomes stars, since a key may be misspelt or missing. */
function maskValues(line: string): string {
  return line.replace(VALUE, stars);
}

function stars(text: string): string {
  return '*'.repeat(text.length);
}

/** One thing wrong with a config, at its place. */
export interface Problem {
  readonly at: Position;
  /** The setting concerned; absent for trouble with the text itself. */
  readonly path?: ConfigPath | undefined;
  readonly message: string;
}

/** `file:line:column: message`, the line, and a caret under the column. Secrets in the line are masked. */
export function formatAt(place: Place, message: string, path: ConfigPath = []): string {
  const indent = place.text.slice(0, place.column - 1).replace(/[^\t]/g, ' ');
  const aboutKeys = path[0] === 'live' && path[1] === 'keys';
  const line = aboutKeys ? maskValues(place.text) : maskSecrets(place.text);
  return `${place.file}:${place.line}:${place.column}: ${message}\n  ${line}\n  ${indent}^`;
}

/** All problems as one CONFIG_INVALID, in the order of the text. */
export function configInvalid(problems: readonly Problem[]): TidegateError {
  const sources = [...new Set(problems.map((problem) => problem.at.source))];
  const sorted = [...problems].sort(
    (a, b) => sources.indexOf(a.at.source) - sources.indexOf(b.at.source) || a.at.line - b.at.line || a.at.column - b.at.column,
  );
  const texts = sorted.map(({ at, path, message }) => {
    const name = path === undefined ? '' : formatPath(path);
    return formatAt(placeOf(at), name === '' ? message : `${name}: ${message}`, path);
  });
  return new TidegateError('CONFIG_INVALID', [...new Set(texts)].join('\n'));
}

const SECRET_REFERENCE = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/;
const ERROR = `expected a reference to a secret, $\{NAME} or { file: path }, never the secret itself`;

/** Where a secret is to be found. A config carries the reference alone, so that no text made of it can leak one. */
type SecretReference = { readonly env: string } | { readonly file: string };

/** A secret's reference: the text `${NAME}`, or `{ file: path }`. */
export const secret = z
  .union(
    [z.string().regex(SECRET_REFERENCE, { error: ERROR }), z.strictObject({ file: z.string().min(1).describe('File that holds it') })],
    {
      error: ERROR,
    },
  )
  .transform((input): SecretReference => (typeof input === 'string' ? { env: input.slice(2, -1) } : input));

const SECRET_KEYS: readonly unknown[] = ['key', 'secret', 'passphrase'];

/** True for the settings that must be references: these names anywhere in `live` and `paper`. */
export function isSecretPath(path: ConfigPath): boolean {
  return (path[0] === 'live' || path[0] === 'paper') && SECRET_KEYS.includes(path.at(-1));
}
