const QUOTE = 34;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** One field of a line: its text, trimmed and unquoted, and where the separator or line end after it stands. */
export interface FieldText {
  readonly text: string;
  readonly next: number;
}

/** The field that begins at `at`; `undefined` when a quote in it does not end on its line. The line ends with a line feed. */
export function fieldText(bytes: Buffer, at: number, separator: number): FieldText | undefined {
  let next = at;
  if (bytes[at] === QUOTE) {
    next = quoteEnd(bytes, at);
    if (next < 0) return undefined;
    const rest = fieldEnd(bytes, next, separator);
    const inside = bytes.toString('utf8', at + 1, next - 1).replaceAll('""', '"');
    return { text: (inside + bytes.toString('utf8', next, rest)).trim(), next: rest };
  }
  next = fieldEnd(bytes, at, separator);
  return { text: bytes.toString('utf8', at, next).trim(), next };
}

function fieldEnd(bytes: Buffer, from: number, separator: number): number {
  let at = from;
  while (bytes[at] !== separator && bytes[at] !== LINE_FEED) at++;
  return bytes[at] === LINE_FEED && at > from && bytes[at - 1] === CARRIAGE_RETURN ? at - 1 : at;
}

/** The position after the closing quote, or -1 when the line ends before. */
function quoteEnd(bytes: Buffer, from: number): number {
  for (let at = from + 1; bytes[at] !== LINE_FEED; at++) {
    if (bytes[at] !== QUOTE) continue;
    if (bytes[at + 1] !== QUOTE) return at + 1;
    at++;
  }
  return -1;
}
