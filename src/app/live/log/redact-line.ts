/** Strings of a JSON text, with the colon behind those that are names. */
const STRINGS = /"(?:[^"\\]|\\.)*"(:?)/g;
/** What every line has: a passphrase that is such a word must not take it away. */
const OWN_NAMES = new Set(['level', 'time', 'at', 'msg']);

/**
 * A line of JSON whose strings have been through `redact`, as they read without escapes; all else stays as it is. Digits of
 * a passphrase are found in times and quantities, too: hidden there, they would leave what is no JSON, and tell themselves.
 */
export function redactLine(line: string, redact: (text: string) => string): string {
  return line.replace(STRINGS, (found, colon: string) => {
    const text = JSON.parse(found.slice(0, found.length - colon.length)) as string;
    if (colon !== '' && OWN_NAMES.has(text)) return found;
    const redacted = redact(text);
    return redacted === text ? found : `${JSON.stringify(redacted)}${colon}`;
  });
}
