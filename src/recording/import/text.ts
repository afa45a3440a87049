import { type ByteSource, openBytes } from './bytes.ts';

const BLOCK_BYTES = 1 << 16;

/** Opens a file as text in UTF-8, with each row of a JSON document on a line of its own. @throws as `openBytes`. */
export function openText({ file, entry }: { readonly file: string; readonly entry?: string | undefined }): ByteSource {
  const bytes = new Ahead(openBytes(file, entry));
  const encoding = encodingOf(bytes.head);
  const text = encoding === undefined ? bytes : new Ahead(new Changed(bytes, decoder(encoding)));
  const start = jsonStart(text.head, text.isWhole);
  return start === undefined ? text : new Changed(text, jsonRows(start));
}

/** A source whose first bytes have been read ahead. */
class Ahead implements ByteSource {
  readonly head: Buffer;
  /** The head is the whole file. */
  readonly isWhole: boolean;
  #passed = 0;

  constructor(private readonly source: ByteSource) {
    const head = Buffer.alloc(BLOCK_BYTES);
    let filled = 0;
    let read = 1;
    try {
      while (filled < head.length && read > 0) {
        read = source.read(head, filled);
        filled += read;
      }
    } catch (error) {
      source.close();
      throw error;
    }
    this.head = head.subarray(0, filled);
    this.isWhole = read === 0;
  }

  read(target: Buffer, offset: number): number {
    if (this.#passed === this.head.length) return this.isWhole ? 0 : this.source.read(target, offset);
    const count = this.head.copy(target, offset, this.#passed);
    this.#passed += count;
    return count;
  }

  close(): void {
    this.source.close();
  }
}

/** Changes the bytes of a source a block at a time. @throws Error for what cannot be changed; called without a block at the end. */
type Change = (block: Buffer | undefined) => Buffer;

class Changed implements ByteSource {
  readonly #block = Buffer.alloc(BLOCK_BYTES);
  #waiting: Buffer = Buffer.alloc(0);
  #ended = false;

  constructor(
    private readonly source: ByteSource,
    private readonly change: Change,
  ) {}

  read(target: Buffer, offset: number): number {
    while (this.#waiting.length === 0 && !this.#ended) {
      const read = this.source.read(this.#block, 0);
      this.#ended = read === 0;
      this.#waiting = this.change(read === 0 ? undefined : this.#block.subarray(0, read));
    }
    const count = this.#waiting.copy(target, offset);
    this.#waiting = this.#waiting.subarray(count);
    return count;
  }

  close(): void {
    this.source.close();
  }
}

/** UTF-16, by its mark or by its zeros; undefined for UTF-8 and all else. */
function encodingOf(head: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if (head.length < 2) return undefined;
  const mark = head.readUInt16BE(0);
  if (mark === 0xfffe) return 'utf-16le';
  if (mark === 0xfeff) return 'utf-16be';
  const pairs = Math.min(100, Math.floor(head.length / 2));
  const zeros = (place: 0 | 1) => Array.from({ length: pairs }, (_, pair) => head[2 * pair + place]).filter((byte) => byte === 0).length;
  if (zeros(0) === 0 && zeros(1) === pairs) return 'utf-16le';
  return zeros(1) === 0 && zeros(0) === pairs ? 'utf-16be' : undefined;
}

function decoder(encoding: 'utf-16le' | 'utf-16be'): Change {
  const decoding = new TextDecoder(encoding);
  return (block) => Buffer.from(block === undefined ? decoding.decode() : decoding.decode(block, { stream: true }));
}

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_ARRAY = 91;
const CLOSE_ARRAY = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const COMMA = 44;
const LINE_FEED = 10;
const isBlank = (byte: number) => byte === 32 || byte === LINE_FEED || byte === 13 || byte === 9;

/**
 * Whether a file is one JSON document with its rows in an array: `[[...], ...]`, `[{...}, ...]` or an object that has such an array.
 * @returns what the document is; undefined for lines of JSON and all else.
 */
function jsonStart(head: Buffer, isWhole: boolean): 'array' | 'object' | undefined {
  const text = head.toString('utf8').replace(/^\ufeff/, '');
  if (/^\s*\[\s*[[{]/.test(text)) return 'array';
  if (!/^\s*\{/.test(text)) return undefined;
  const end = valueEnd(text);
  const isOnly = end < 0 ? !isWhole : isWhole && text.slice(end).trim() === '';
  return isOnly && /\[\s*[[{]/.test(text) ? 'object' : undefined;
}

/** The place after the first value; -1 where it does not end. */
function valueEnd(text: string): number {
  let depth = 0;
  for (const { 0: sign, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (sign === '[' || sign === '{') depth++;
    else if ((sign === ']' || sign === '}') && --depth === 0) return index + 1;
  }
  return -1;
}

/** Finds the rows in a JSON document and puts each of them on a line. */
function jsonRows(start: 'array' | 'object'): Change {
  let place: 'before' | 'rows' | 'after' = 'before';
  /** An array has just begun, and its first value shows whether it is that of the rows. */
  let opened = false;
  let inText = false;
  let escaped = false;
  /** Depth of nested arrays and objects in a row. */
  let depth = 0;
  return (block) => {
    if (block === undefined) {
      if (place === 'after') return Buffer.alloc(0);
      throw new Error(
        place === 'rows' ? 'the JSON array of rows does not end: the file is cut short' : 'expected an array of rows in this JSON',
      );
    }
    const out = Buffer.alloc(block.length + 2);
    let written = 0;
    for (const byte of block) {
      const isRow = place === 'rows';
      if (inText) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inText = false;
        if (isRow) out[written++] = byte;
        continue;
      }
      if (byte === QUOTE) inText = true;
      if (!isRow) {
        if (isBlank(byte)) continue;
        const isRows = opened && (byte === OPEN_ARRAY || byte === OPEN_OBJECT);
        if (place === 'after' && start === 'array') throw new Error('there is more after the JSON array of rows; expected one array');
        if (isRows && place === 'after')
          throw new Error('the JSON has several arrays of rows; expected one: put each into a file of its own');
        opened = byte === OPEN_ARRAY;
        if (!isRows) continue;
        place = 'rows';
        opened = false;
      }
      if (isBlank(byte)) continue;
      if (depth === 0 && byte === CLOSE_ARRAY) {
        place = 'after';
        out[written++] = LINE_FEED;
        continue;
      }
      if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) depth++;
      else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth--;
      out[written++] = depth === 0 && byte === COMMA ? LINE_FEED : byte;
    }
    return out.subarray(0, written);
  };
}
