/** A key whose name smells of a credential (misspelt ones included), and its value up to the next separator. */
const SECRET_VALUE = /([\w-]*(?:key|sec|pass|token)[\w-]*["']?\s*[:=]\s*)("[^"]*"?|'[^']*'?|[^\s{},#"'][^,}#]*)/gi;
/** Who asks, in a URL. */
const USER_INFO = /(?<=:\/\/)[^\s/@'"]+(?=@)/g;
/** A value that is nothing but a reference may be seen. */
const REFERENCE = /^["']?\$\{\w+\}?["']?\s*$/;
/** A word that is no key: none of `:` and `=` follows it. */
const VALUE = /[^\s{}[\],:="']+(?![^\s{}[\],:="'])(?!["']?\s*[:=])/g;

/** A line of config that can be shown: values under names like `key`, `secret`, `passphrase`, and names and passwords in URLs, become as many stars, so that a caret below still points right. */
export function maskSecrets(line: string): string {
  return line
    .replace(SECRET_VALUE, (whole, name: string, value: string) => (REFERENCE.test(value) ? whole : name + stars(value)))
    .replace(USER_INFO, stars);
}

/** A line about credentials: every value in it becomes stars, since a key may be misspelt or missing. */
export function maskValues(line: string): string {
  return line.replace(VALUE, stars);
}

function stars(text: string): string {
  return '*'.repeat(text.length);
}
