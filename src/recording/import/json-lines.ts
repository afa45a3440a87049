import type { SeriesKind } from '../columns/series-meta.ts';
import type { LayoutSettings } from './csv/csv-fields.ts';
import { type CsvLayout, layoutOf } from './csv/csv-layout.ts';
import { csvLine } from './csv/csv-line.ts';
import type { Lines } from './line-source.ts';
import { quoted, type RefuseRow, RowError } from './rows.ts';

/** How the lines of a file of JSON lines are read, after their conversion to CSV. */
export interface JsonLayout {
  readonly layout: CsvLayout;
  /** The keys to read from each object, in the order of the layout's fields; undefined where the lines are arrays. */
  readonly keys: readonly string[] | undefined;
}

/**
 * Finds a kind's columns in the first lines of a file: by the keys of all of them where they are objects, by the form of the first where
 * they are arrays.
 * @throws TidegateError DATA_INVALID naming the file, the row and what was expected.
 */
export function jsonLayout(path: string, kind: SeriesKind, lines: readonly string[], settings: LayoutSettings): JsonLayout {
  const rows = lines.map(jsonFields).filter((row): row is JsonFields => row !== undefined);
  const first = rows[0];
  if (first === undefined) {
    const row = lines.findIndex((line) => line.trim() !== '');
    throw new RowError(path, row + 1, undefined, `expected one JSON object or array on each line, not ${quoted(lines[row] ?? '')}`);
  }
  const keys = first.keys && [...new Set(rows.flatMap((row) => row.keys ?? []))];
  const alike = rows.filter((row) => (row.keys === undefined) === (keys === undefined));
  const values = alike.map((row) => (keys === undefined ? row.values : keys.map((key) => row.values[row.keys!.lastIndexOf(key)] ?? '')));
  const found = layoutOf(path, kind, keys, values, settings);
  const fields = keys === undefined ? found.fields : found.fields.filter((field) => field.unit !== 'skip');
  const layout = { ...found, separator: ',', headLines: 0, remarks: 0, fields } as const;
  return { layout, keys: keys && fields.map((field) => field.header) };
}

const LINE_FEED = 10;

/**
 * JSON lines as lines of CSV with the columns `keys` (for arrays: all), so that a CSV reader can read them with the same row numbers. A
 * line that is not JSON is refused and becomes a blank one.
 */
export class JsonLines implements Lines {
  readonly path: string;
  bytes: Buffer = Buffer.alloc(0);
  readonly start = 0;
  readonly #source: Lines;
  readonly #keys: readonly string[] | undefined;
  readonly #refuse: RefuseRow;
  refused = 0;
  /** Start of each current line in `bytes`, and in the source's. */
  #begins: number[] = [];
  #sourceBegins: number[] = [];

  /** @param keys for objects; undefined where the lines are arrays. */
  constructor(source: Lines, keys: readonly string[] | undefined, refuse: RefuseRow) {
    this.path = source.path;
    this.#source = source;
    this.#keys = keys;
    this.#refuse = refuse;
    this.#convert(1);
  }

  get end(): number {
    return this.bytes.length;
  }

  next(row: number): boolean {
    if (!this.#source.next(row)) return false;
    this.#convert(row);
    return true;
  }

  text(at: number): string {
    return this.#source.text(this.#sourceBegins[indexIn(this.#begins, at)]!);
  }

  close(): void {
    this.#source.close();
  }

  #convert(firstRow: number): void {
    const { bytes, start, end } = this.#source;
    this.#begins = [];
    this.#sourceBegins = [];
    const lines: string[] = [];
    let written = 0;
    for (let at = start, next: number; at < end; at = next) {
      next = bytes.indexOf(LINE_FEED, at) + 1;
      const line = this.#line(bytes.toString('utf8', at, next - 1), firstRow + lines.length);
      this.#begins.push(written);
      this.#sourceBegins.push(at);
      lines.push(line);
      written += Buffer.byteLength(line);
    }
    this.bytes = Buffer.from(lines.join(''));
  }

  #line(json: string, row: number): string {
    if (json.trim() === '') return '\n';
    const line = jsonToCsv(json, this.#keys);
    if (line !== undefined) return `${line}\n`;
    const expected = this.#keys === undefined ? 'array' : 'object';
    this.refused++;
    this.#refuse(new RowError(this.path, row, undefined, `expected one JSON ${expected} on the line, not ${quoted(json)}`), () =>
      json.trimEnd(),
    );
    return '\n';
  }
}

/** The index of a number in an ascending list. */
function indexIn(rising: readonly number[], wanted: number): number {
  let low = 0;
  for (let high = rising.length - 1; low < high; ) {
    const middle = (low + high) >> 1;
    if (rising[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A line of JSON as a line of CSV without line end: for an object the values of these keys; undefined where it is not JSON. */
export function jsonToCsv(json: string, keys: readonly string[] | undefined): string | undefined {
  const found = jsonFields(json);
  if (found === undefined || (found.keys === undefined) !== (keys === undefined)) return undefined;
  return csvLine(keys === undefined ? found.values : keys.map((key) => found.values[found.keys!.lastIndexOf(key)] ?? ''));
}

/** The contents of one line of JSON: the keys of an object (none for an array) and the values as text. */
export interface JsonFields {
  readonly keys: readonly string[] | undefined;
  readonly values: readonly string[];
}

const STRING = /\s*("(?:[^"\\]|\\.)*")\s*/y;
/** `NaN` and `Infinity` are no JSON, but Python writes them. */
const PLAIN = /\s*(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|NaN|-?Infinity)\s*/y;
const INSIDE = /"(?:[^"\\]|\\.)*"|[[\]{}]|[^"[\]{}]+/y;

/**
 * The fields of a line that is one flat JSON object or array. Numbers keep their written digits, which `JSON.parse` would round. Strings
 * are decoded, `null` becomes empty, nested objects and arrays keep their text. `undefined` for any other line.
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

/** Appends the value at `at`; returns the position after it, or -1 where there is no value. */
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

/** Like `valueAt`, for an object or array. */
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
