import type { ConfigPath } from './tree.ts';

/** The text of a reference to a secret: `${NAME}`. */
export const SECRET_REFERENCE = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/;

const SECRET_KEYS: readonly unknown[] = ['key', 'secret', 'passphrase', 'token'];

/** True for settings that must be references: `key`, `secret`, `passphrase` and `token` anywhere in `live` and `paper`. */
export function isSecretPath(path: ConfigPath): boolean {
  return (path[0] === 'live' || path[0] === 'paper') && SECRET_KEYS.includes(path.at(-1));
}

/** The environment variables that configs of this thread name for secrets. */
export const SECRET_VARIABLES: ReadonlySet<string> = new Set();

/** Stores the name of the variable in a secret's reference. The schema refuses other text. */
export function noteSecret(reference: string): void {
  const name = SECRET_REFERENCE.exec(reference)?.[1];
  if (name !== undefined) (SECRET_VARIABLES as Set<string>).add(name);
}

/** Shorter values are words such as `1` or `BTC`, which also occur in messages by chance. */
const SHORTEST_HIDDEN = 4;

/** The values that configs of this thread took from the environment, with the names of their variables. */
const BORROWED = new Map<string, string>();

/** Stores a value that a config takes from the environment, so that messages can hide it. */
export function borrow(name: string, value: string): void {
  if (value.length < SHORTEST_HIDDEN) return;
  for (const text of [value, JSON.stringify(value).slice(1, -1)]) BORROWED.set(text, name);
}

/** A message that can be shown: each value that a config took from the environment is replaced by `${NAME}`. */
export function hideBorrowed(message: string): string {
  const longestFirst = [...BORROWED].sort(([a], [b]) => b.length - a.length);
  return longestFirst.reduce((shown, [value, name]) => shown.replaceAll(value, () => `\${${name}}`), message);
}

/** A whole word that may be a key. It cannot begin inside a word, which keeps the search linear. */
const WORD = /(?<![\w-])[\w-]+/g;
/** The name of a key that may be a credential, misspelt ones included. */
const SECRET_NAME = /key|sec|pass|token/i;
/** A colon, a character that is written instead by mistake, or only blanks. */
const SEPARATOR = /["']?\s*[:=;\uFF1A\uFE55]\s*|["']?\s+(?=[^\s:])/y;
/** A value up to the next separator. */
const SECRET_VALUE = /"[^"]*"?|'[^']*'?|[^\s{},#"'][^,}#]*/y;
/** The user name and password of a URL. */
const USER_INFO = /(?<=:\/\/)[^\s/@'"]+(?=@)/g;
/** A value that is only a reference may be shown. */
const REFERENCE_ALONE = /^["']?\$\{\w+\}?["']?\s*$/;
/** A word that is not a key: no `:` or `=` follows it. */
const VALUE = /(?<![^\s{}[\],:="'])[^\s{}[\],:="']+(?![^\s{}[\],:="'])(?!["']?\s*[:=])/g;

/**
 * A line of config that can be shown: values of keys such as `key`, `secret` and `passphrase`, and user names and passwords in URLs, are
 * replaced by as many stars, so that a caret below still points at the right column.
 */
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

/** The end of the match of a sticky pattern at `at`; undefined without a match. */
function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** A line about credentials with every value replaced by stars, as a key may be misspelt or missing. */
export function maskValues(line: string): string {
  return line.replace(VALUE, stars);
}

function stars(text: string): string {
  return '*'.repeat(text.length);
}
