import { csvLine } from '../csv/csv-line.ts';
import type { Lines } from '../line-source.ts';
import { quoted, type RefuseRow, RowError } from '../rows/row-error.ts';
import { jsonFields } from './json-fields.ts';

const LINE_FEED = 10;

/**
 * JSON lines as lines of CSV with the columns `keys` (of arrays: all), each in the place of its own: what reads CSV
 * then reads these, and rows have the same numbers. A line that is no JSON is refused and leaves a blank one.
 */
export class JsonLines implements Lines {
  readonly path: string;
  bytes: Buffer = Buffer.alloc(0);
  readonly start = 0;
  readonly #source: Lines;
  readonly #keys: readonly string[] | undefined;
  readonly #refuse: RefuseRow;
  /** Where each line at hand begins in `bytes`, and in the source's. */
  #begins: number[] = [];
  #sourceBegins: number[] = [];

  /** @param keys of objects; undefined where the lines are arrays. */
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
    return this.#source.text(this.#sourceBegins[this.#begins.indexOf(at)]!);
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
    this.#refuse(new RowError(this.path, row, undefined, `expected one JSON ${expected} on the line, not ${quoted(json)}`), () =>
      json.trimEnd(),
    );
    return '\n';
  }
}

/** A line of JSON as one of CSV without line end: of an object the values of these keys; undefined where it is none. */
export function jsonToCsv(json: string, keys: readonly string[] | undefined): string | undefined {
  const found = jsonFields(json);
  if (found === undefined || (found.keys === undefined) !== (keys === undefined)) return undefined;
  return csvLine(keys === undefined ? found.values : keys.map((key) => found.values[found.keys!.lastIndexOf(key)] ?? ''));
}
