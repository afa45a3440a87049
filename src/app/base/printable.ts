/** Control characters except line breaks and tabs, and characters that change the writing direction. */
const STEERING = /(?!\n|\t|\r\n)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;
const HEX = 16;

/**
 * Makes text from a bundle, a config, an exchange, a log or a strategy safe for a terminal: control characters are written as escapes,
 * for example `\u001b`. JSON keeps its meaning.
 */
export function printable(text: string): string {
  return text.replace(STEERING, (character) => `\\u${character.charCodeAt(0).toString(HEX).padStart(4, '0')}`);
}

/** Makes foreign text `printable` on one line: it can neither end its line nor begin one that looks like the program's own. */
export function onOneLine(text: string): string {
  return printable(text).replace(/[\n\r\t]/g, (character) => JSON.stringify(character).slice(1, -1));
}
