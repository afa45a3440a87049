/** What one line of JSON holds: the keys of an object (none of an array) and the values as text. */
export interface JsonFields {
  readonly keys: readonly string[] | undefined;
  readonly values: readonly string[];
}

const STRING = /\s*("(?:[^"\\]|\\.)*")\s*/y;
const PLAIN = /\s*(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)\s*/y;
const INSIDE = /"(?:[^"\\]|\\.)*"|[[\]{}]|[^"[\]{}]+/y;

/**
 * The fields of a line that is one flat JSON object or array. Numbers keep the digits they are written with, which
 * `JSON.parse` would round; strings come decoded, `null` empty, objects and arrays inside as they are written.
 * `undefined` for a line that is neither.
 */
export function jsonFields(line: string): JsonFields | undefined {
  const text = line.trim();
  const open = text[0];
  if (open !== '{' && open !== '[') return undefined;
  const close = open === '{' ? '}' : ']';
  const keys: string[] | undefined = open === '{' ? [] : undefined;
  const values: string[] = [];
  let at = 1;
  while (!(values.length === 0 && text.slice(at).trimStart() === close)) {
    if (keys !== undefined) {
      const key = match(STRING, text, at);
      if (key === undefined || text[STRING.lastIndex] !== ':') return undefined;
      keys.push(decoded(key));
      at = STRING.lastIndex + 1;
    }
    const end = valueAt(text, at, values);
    if (end < 0) return undefined;
    at = end + 1;
    if (text[end] === close) return at === text.length ? { keys, values } : undefined;
    if (text[end] !== ',') return undefined;
  }
  return { keys, values };
}

/** Appends the value at `at`; returns where the sign after it stands, -1 where there is no value. */
function valueAt(text: string, at: number, values: string[]): number {
  const plain = match(PLAIN, text, at);
  if (plain !== undefined) {
    values.push(plain === 'null' ? '' : plain);
    return PLAIN.lastIndex;
  }
  const string = match(STRING, text, at);
  if (string !== undefined) {
    values.push(decoded(string));
    return STRING.lastIndex;
  }
  return nestedAt(text, at, values);
}

/** As `valueAt`, of an object or array. */
function nestedAt(text: string, from: number, values: string[]): number {
  let at = from;
  while (text[at] === ' ') at++;
  const start = at;
  if (text[at] !== '{' && text[at] !== '[') return -1;
  for (let depth = 0; ; ) {
    INSIDE.lastIndex = at;
    const piece = INSIDE.exec(text)?.[0];
    if (piece === undefined) return -1;
    at = INSIDE.lastIndex;
    if (piece === '{' || piece === '[') depth++;
    else if ((piece === '}' || piece === ']') && --depth === 0) break;
  }
  values.push(text.slice(start, at));
  while (text[at] === ' ') at++;
  return at;
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[1];
}

function decoded(string: string): string {
  if (!string.includes('\\')) return string.slice(1, -1);
  try {
    return JSON.parse(string) as string;
  } catch {
    return string.slice(1, -1);
  }
}
