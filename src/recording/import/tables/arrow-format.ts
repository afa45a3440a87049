import { fstatSync, readSync } from 'node:fs';
import { DAMAGED, Tables } from './flat-tables.ts';
import type { CellType, TimeUnit } from './table.ts';

/**
 * The Arrow format (columnar specification 1.5): a schema, and messages with the rows. A file (Feather version 2 is one) lists them in
 * its footer; a stream has them one after the other.
 */

/** How the values of a column are stored. */
export type Storage =
  | { readonly kind: 'numbers'; readonly bytes: 1 | 2 | 4 | 8; readonly as: 'signed' | 'unsigned' | 'float' }
  | { readonly kind: 'days' | 'bits' | 'views' | 'unread' }
  | { readonly kind: 'words'; readonly bytes: 8 | 16 }
  | { readonly kind: 'texts'; readonly offsetBytes: 4 | 8 };

/** A column of the schema. */
export interface ArrowField {
  readonly name: string;
  readonly type: CellType;
  readonly storage: Storage;
  /** For a column whose values are positions in a dictionary. */
  readonly dictionary?: { readonly id: number; readonly values: Storage; readonly type: CellType } | undefined;
  /** Nodes and buffers that the column takes in a message, those of its children included. */
  readonly nodes: number;
  readonly buffers: number;
  /** It has buffers whose number is in each message. */
  readonly variadic: boolean;
}

/** A message with rows or with the values of a dictionary. */
export interface ArrowMessage {
  readonly rows: number;
  /** The dictionary that it is of; undefined for rows. */
  readonly dictionary: number | undefined;
  readonly isDelta: boolean;
  /** Nulls by node. */
  readonly nulls: readonly number[];
  /** Position in the file and length. */
  readonly buffers: readonly { readonly at: number; readonly bytes: number }[];
  readonly variadic: readonly number[];
  readonly packing: 'lz4' | 'zstd' | undefined;
}

export interface ArrowContents {
  readonly fields: readonly ArrowField[];
  readonly messages: readonly ArrowMessage[];
}

/** The first bytes of an Arrow file, and of a stream: a marker before the length of each message. */
export const ARROW_MAGIC = 'ARROW1';
const CONTINUATION = 0xffffffff;
/** The end of a file: the length of the footer in four bytes, and the magic. */
const END_BYTES = 10;
const BLOCK_BYTES = 24;
const PAIR_BYTES = 16;
/** A description of more bytes is not read. */
const LARGEST_HEAD = 1 << 26;

/** Header types of messages. */
const SCHEMA = 1;
const DICTIONARY_BATCH = 2;
const RECORD_BATCH = 3;

/** Reads what a file has, without its rows. @throws Error saying what is damaged or not supported. */
export function readArrowContents(file: number): ArrowContents {
  const { size } = fstatSync(file);
  const isFile = bytesAt(file, 0, Math.min(size, ARROW_MAGIC.length)).toString('latin1') === ARROW_MAGIC;
  return isFile ? fileContents(file, size) : streamContents(file, size);
}

function bytesAt(file: number, at: number, count: number): Buffer {
  const bytes = Buffer.alloc(count);
  if (at < 0 || readSync(file, bytes, 0, count, at) < count) throw new Error(DAMAGED);
  return bytes;
}

function fileContents(file: number, size: number): ArrowContents {
  if (size < 2 * END_BYTES) throw new Error(DAMAGED);
  const end = size - END_BYTES;
  const tail = bytesAt(file, end, END_BYTES);
  const length = tail.readInt32LE(0);
  if (tail.toString('latin1', 4) !== ARROW_MAGIC || length <= 0 || length > Math.min(end, LARGEST_HEAD)) throw new Error(DAMAGED);
  const footer = new Tables(bytesAt(file, end - length, length));
  const top = footer.root();
  const schema = footer.table(top, 1);
  if (schema === undefined) throw new Error(DAMAGED);
  const messages: ArrowMessage[] = [];
  for (const [list, kind] of [
    [2, DICTIONARY_BATCH],
    [3, RECORD_BATCH],
  ] as const) {
    const { start, count } = footer.vector(top, list, BLOCK_BYTES);
    for (let at = start; at < start + count * BLOCK_BYTES; at += BLOCK_BYTES) {
      const [place, head, body] = [footer.long(at), footer.int(at + 8), footer.long(at + 16)];
      if (place < 0 || head < 8 || head > LARGEST_HEAD || body < 0 || place + head + body > end) throw new Error(DAMAGED);
      const bytes = bytesAt(file, place, head);
      const prefix = bytes.readUInt32LE(0) === CONTINUATION ? 8 : 4;
      const own = bytes.readInt32LE(prefix - 4);
      if (own <= 0 || prefix + own > head) throw new Error(DAMAGED);
      const message = new Tables(bytes.subarray(prefix, prefix + own));
      if (message.number(message.root(), 1, 1, 0) !== kind) throw new Error(DAMAGED);
      messages.push(messageOf(message, place + head, body));
    }
  }
  return { fields: schemaFields(footer, schema), messages };
}

function streamContents(file: number, size: number): ArrowContents {
  let fields: readonly ArrowField[] | undefined;
  const messages: ArrowMessage[] = [];
  for (let at = 0; at + 8 <= size; ) {
    const prefix = bytesAt(file, at, 8);
    const head = prefix.readInt32LE(4);
    if (prefix.readUInt32LE(0) !== CONTINUATION || head < 0 || head > LARGEST_HEAD || at + 8 + head > size) throw new Error(DAMAGED);
    if (head === 0) break;
    const message = new Tables(bytesAt(file, at + 8, head));
    const root = message.root();
    const body = message.number(root, 3, 8, 0);
    const start = at + 8 + head;
    if (body < 0 || start + body > size) throw new Error(DAMAGED);
    const kind = message.number(root, 1, 1, 0);
    const header = message.table(root, 2);
    if (header === undefined) throw new Error(DAMAGED);
    if (kind === SCHEMA) fields = schemaFields(message, header);
    else if (kind === RECORD_BATCH || kind === DICTIONARY_BATCH) messages.push(messageOf(message, start, body));
    else throw new Error(DAMAGED);
    at = start + body;
  }
  if (fields === undefined) throw new Error(DAMAGED);
  return { fields, messages };
}

/** @param start of the message's body in the file. */
function messageOf(tables: Tables, start: number, bodyBytes: number): ArrowMessage {
  const root = tables.root();
  const header = tables.table(root, 2);
  if (header === undefined) throw new Error(DAMAGED);
  const isDictionary = tables.number(root, 1, 1, 0) === DICTIONARY_BATCH;
  const batch = isDictionary ? tables.table(header, 1) : header;
  if (batch === undefined) throw new Error(DAMAGED);
  const rows = tables.number(batch, 0, 8, 0);
  const nodes = tables.vector(batch, 1, PAIR_BYTES);
  const nulls = Array.from({ length: nodes.count }, (_, index) => tables.long(nodes.start + index * PAIR_BYTES + 8));
  const list = tables.vector(batch, 2, PAIR_BYTES);
  const buffers = Array.from({ length: list.count }, (_, index) => {
    const [place, bytes] = [tables.long(list.start + index * PAIR_BYTES), tables.long(list.start + index * PAIR_BYTES + 8)];
    if (place < 0 || bytes < 0 || place + bytes > bodyBytes) throw new Error(DAMAGED);
    return { at: start + place, bytes };
  });
  const compression = tables.table(batch, 3);
  const codec = compression === undefined ? undefined : tables.number(compression, 0, 1, 0);
  if (rows < 0 || nulls.some((count) => count < 0 || count > rows) || (codec !== undefined && codec > 1)) throw new Error(DAMAGED);
  const counts = tables.vector(batch, 4, 8);
  return {
    rows,
    dictionary: isDictionary ? tables.number(header, 0, 8, 0) : undefined,
    isDelta: isDictionary && tables.number(header, 2, 1, 0) === 1,
    nulls,
    buffers,
    variadic: Array.from({ length: counts.count }, (_, index) => tables.long(counts.start + index * 8)),
    packing: codec === undefined ? undefined : codec === 0 ? 'lz4' : 'zstd',
  };
}

function schemaFields(tables: Tables, schema: number): ArrowField[] {
  if (tables.number(schema, 0, 2, 0) !== 0) throw new Error('its numbers are big-endian; expected little-endian');
  return tables.tables(schema, 1).map((field) => fieldOf(tables, field, 0));
}

/** Deeper types than any table of a market's rows has. */
const MAX_DEPTH = 32;
const TEXT: CellType = { kind: 'text' };
const UNREAD: Storage = { kind: 'unread' };
const UNITS: readonly TimeUnit[] = ['s', 'ms', 'us', 'ns'];

function fieldOf(tables: Tables, field: number, depth: number): ArrowField {
  if (depth > MAX_DEPTH) throw new Error(DAMAGED);
  const name = tables.text(field, 0);
  const kind = tables.number(field, 2, 1, 0);
  const type = tables.table(field, 3);
  const encoding = tables.table(field, 4);
  const own = valuesOf(tables, kind, type);
  if (encoding !== undefined) {
    const index = tables.table(encoding, 1);
    const indices = index === undefined ? { storage: { kind: 'numbers', bytes: 4, as: 'signed' } as const } : integersOf(tables, index);
    const dictionary = { id: tables.number(encoding, 0, 8, 0), values: own.storage, type: own.type };
    return { name, type: TEXT, storage: indices.storage, dictionary, nodes: 1, buffers: 2, variadic: false };
  }
  const children = tables.tables(field, 5).map((child) => fieldOf(tables, child, depth + 1));
  const sum = (count: (child: ArrowField) => number) => children.reduce((total, child) => total + count(child), 0);
  return {
    name,
    ...own,
    nodes: 1 + sum(({ nodes }) => nodes),
    buffers: buffersOf(tables, kind, type) + sum(({ buffers }) => buffers),
    variadic: kind === UTF8_VIEW || kind === BINARY_VIEW || children.some(({ variadic }) => variadic),
  };
}

// Numbers of the format's union `Type`.
const [NULL, INT, FLOAT, BINARY, UTF8, BOOL, DECIMAL, DATE] = [1, 2, 3, 4, 5, 6, 7, 8];
const [TIMESTAMP, LIST, STRUCT, UNION, FIXED_LIST, MAP] = [10, 12, 13, 14, 16, 17];
const [LARGE_BINARY, LARGE_UTF8, LARGE_LIST, RUN_ENDS, BINARY_VIEW, UTF8_VIEW, LIST_VIEW, LARGE_LIST_VIEW] = [
  19, 20, 21, 22, 23, 24, 25, 26,
];

/** Buffers of a column without its children. */
function buffersOf(tables: Tables, kind: number, type: number | undefined): number {
  if (kind === NULL || kind === RUN_ENDS) return 0;
  if (kind === STRUCT || kind === FIXED_LIST) return 1;
  // A dense union has offsets as well.
  if (kind === UNION) return type !== undefined && tables.number(type, 0, 2, 0) === 1 ? 2 : 1;
  if (kind === LIST || kind === LARGE_LIST || kind === MAP) return 2;
  return [BINARY, UTF8, LARGE_BINARY, LARGE_UTF8, LIST_VIEW, LARGE_LIST_VIEW].includes(kind) ? 3 : 2;
}

function valuesOf(tables: Tables, kind: number, type: number | undefined): { readonly type: CellType; readonly storage: Storage } {
  const number = (field: number, bytes: 1 | 2 | 4, absent: number) =>
    type === undefined ? absent : tables.number(type, field, bytes, absent);
  if (kind === INT && type !== undefined) return integersOf(tables, type);
  if (kind === FLOAT) {
    const precision = number(0, 2, 0);
    if (precision === 1) return { type: { kind: 'single' }, storage: { kind: 'numbers', bytes: 4, as: 'float' } };
    if (precision === 2) return { type: { kind: 'float' }, storage: { kind: 'numbers', bytes: 8, as: 'float' } };
  }
  if (kind === UTF8 || kind === LARGE_UTF8) return { type: TEXT, storage: { kind: 'texts', offsetBytes: kind === UTF8 ? 4 : 8 } };
  if (kind === UTF8_VIEW) return { type: TEXT, storage: { kind: 'views' } };
  if (kind === BOOL) return { type: TEXT, storage: { kind: 'bits' } };
  if (kind === DECIMAL) {
    const bits = number(2, 4, 128);
    if (bits === 64 || bits === 128)
      return { type: { kind: 'decimal', scale: number(1, 4, 0) }, storage: { kind: 'words', bytes: bits === 64 ? 8 : 16 } };
  }
  if (kind === DATE) {
    // The default of the format is milliseconds.
    const isDays = number(0, 2, 1) === 0;
    return isDays
      ? { type: { kind: 'time', unit: 's', naive: true }, storage: { kind: 'days' } }
      : { type: { kind: 'time', unit: 'ms', naive: true }, storage: { kind: 'words', bytes: 8 } };
  }
  if (kind === TIMESTAMP) {
    const unit = UNITS[number(0, 2, 0)];
    const isNaive = type === undefined || tables.text(type, 1) === '';
    if (unit !== undefined) return { type: { kind: 'time', unit, naive: isNaive }, storage: { kind: 'words', bytes: 8 } };
  }
  return { type: TEXT, storage: UNREAD };
}

function integersOf(tables: Tables, type: number): { readonly type: CellType; readonly storage: Storage } {
  const bits = tables.number(type, 0, 4, 0);
  const as = tables.number(type, 1, 1, 0) === 1 ? 'signed' : 'unsigned';
  if (bits === 64 && as === 'signed') return { type: { kind: 'integer' }, storage: { kind: 'words', bytes: 8 } };
  if (bits !== 8 && bits !== 16 && bits !== 32 && bits !== 64) return { type: TEXT, storage: UNREAD };
  return { type: { kind: 'integer' }, storage: { kind: 'numbers', bytes: (bits / 8) as 1 | 2 | 4 | 8, as } };
}
