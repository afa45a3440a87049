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

/** Shorter values are words such as `1` or `BTC`, which stand in messages by chance. A setting that holds one does not show it either. */
const SHORTEST_HIDDEN = 4;

/** The values that the configs of this thread took from its environment, with the names of their variables. */
const BORROWED = new Map<string, string>();

/** Notes a value that a config takes from the environment. */
export function borrow(name: string, value: string): void {
  if (value.length < SHORTEST_HIDDEN) return;
  for (const text of [value, JSON.stringify(value).slice(1, -1)]) BORROWED.set(text, name);
}

/** A message that can be shown: with `${NAME}` in place of each value that a config took from the environment. */
export function hideBorrowed(message: string): string {
  const longestFirst = [...BORROWED].sort(([a], [b]) => b.length - a.length);
  return longestFirst.reduce((shown, [value, name]) => shown.replaceAll(value, () => `\${${name}}`), message);
}

/** A whole word that may be a key. That it cannot begin inside a word keeps the search linear. */
const WORD = /(?<![\w-])[\w-]+/g;
/** A key whose name smells of a credential, misspelt ones included. */
const SECRET_NAME = /key|sec|pass|token/i;
const SEPARATOR = /["']?\s*[:=]\s*/y;
/** A value up to the next separator. */
const SECRET_VALUE = /"[^"]*"?|'[^']*'?|[^\s{},#"'][^,}#]*/y;
/** Who asks, in a URL. */
const USER_INFO = /(?<=:\/\/)[^\s/@'"]+(?=@)/g;
/** A value that is nothing but a reference may be seen. */
const REFERENCE_ALONE = /^["']?\$\{\w+\}?["']?\s*$/;
/** A word that is no key: none of `:` and `=` follows it. */
const VALUE = /(?<![^\s{}[\],:="'])[^\s{}[\],:="']+(?![^\s{}[\],:="'])(?!["']?\s*[:=])/g;

/** A line of config that can be shown: values under names like `key`, `secret`, `passphrase`, and names and passwords in URLs, become as many stars, so that a caret below still points right. */
export function maskSecrets(line: string): string {
  let masked = '';
  let shown = 0;
  WORD.lastIndex = 0;
  for (let word = WORD.exec(line); word !== null; word = WORD.exec(line)) {
    if (!SECRET_NAME.test(word[0])) continue;
    const start = endOf(SEPARATOR, line, WORD.lastIndex);
    const end = start === undefined ? undefined : endOf(SECRET_VALUE, line, start);
    if (start === undefined || end === undefined) continue;
    const value = line.slice(start, end);
    masked += line.slice(shown, start) + (REFERENCE_ALONE.test(value) ? value : stars(value));
    shown = end;
    WORD.lastIndex = end;
  }
  return (masked + line.slice(shown)).replace(USER_INFO, stars);
}

/** Where what the sticky pattern finds at `at` ends. */
function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** A line about credentials: every value in it becomes stars, since a key may be misspelt or missing. */
export function maskValues(line: string): string {
  return line.replace(VALUE, stars);
}

function stars(text: string): string {
  return '*'.repeat(text.length);
}
