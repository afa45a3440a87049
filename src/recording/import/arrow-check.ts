import { TooMuch } from './unpack.ts';

/**
 * Checks of an Arrow file before the library reads it. The library takes lengths as they are written: a damaged one makes it loop
 * over billions of fields that are not there.
 */

const DAMAGED = 'the file is damaged or cut short';
const MAGIC = 'ARROW1';
/** What ends a file: the length of the footer in four bytes, and the magic. */
const END_BYTES = 10;
/** Stands before the length of a message, in files written since 2019. */
const CONTINUATION = 0xffffffff;
/** Bytes of a `Block`, a `FieldNode` and a `Buffer`. */
const BLOCK_BYTES = 24;
const PAIR_BYTES = 16;
/** The two header types of messages of rows, of the format's union `MessageHeader`. */
const DICTIONARY_BATCH = 2;
const RECORD_BATCH = 3;

/**
 * Checks that all lengths and places in an Arrow file lie inside it: those of the footer with its schema, of the messages of rows, and of
 * their buffers.
 * @param limit bytes that a batch may unpack to.
 * @throws TooMuch, or Error saying what is damaged.
 */
export function checkArrow(file: Buffer, limit: number): void {
  if (file.length < 2 * END_BYTES || file.toString('latin1', file.length - MAGIC.length) !== MAGIC) throw new Error(DAMAGED);
  const end = file.length - END_BYTES;
  const length = file.readInt32LE(end);
  if (length <= 0 || length > end) throw new Error(DAMAGED);
  const footer = new Tables(file.subarray(end - length, end));
  const top = footer.root();
  footer.check(top, FOOTER);
  const lists = [
    { type: DICTIONARY_BATCH, ...footer.vector(top, 2, BLOCK_BYTES) },
    { type: RECORD_BATCH, ...footer.vector(top, 3, BLOCK_BYTES) },
  ];
  for (const { type, start, count } of lists) {
    for (let index = 0; index < count; index++) {
      const at = start + index * BLOCK_BYTES;
      const block = { at: footer.long(at), head: footer.int(at + 8), body: footer.long(at + 16) };
      if (block.at < 0 || block.head < 8 || block.body < 0 || block.at + block.head + block.body > end) throw new Error(DAMAGED);
      const head = block.at + block.head;
      if (checkMessage(type, file.subarray(block.at, head), file.subarray(head, head + block.body)) > limit) throw new TooMuch();
    }
  }
}

/** @param type what the footer lists the message as: the library reads one of another type again and again. @returns the bytes that it unpacks to. */
function checkMessage(type: number, head: Buffer, body: Buffer): number {
  const start = head.readUInt32LE(0) === CONTINUATION ? 8 : 4;
  const length = head.readInt32LE(start - 4);
  if (length <= 0 || start + length > head.length) throw new Error(DAMAGED);
  const tables = new Tables(head.subarray(start, start + length));
  const message = tables.root();
  tables.check(message, MESSAGE);
  const kind = tables.field(message, 1);
  const header = tables.table(message, 2);
  const said = tables.field(message, 3);
  if (kind === undefined || tables.byte(kind) !== type || header === undefined) throw new Error(DAMAGED);
  if (said !== undefined && tables.long(said) > body.length) throw new Error(DAMAGED);
  tables.check(header, type === RECORD_BATCH ? BATCH : DICTIONARY);
  const batch = type === RECORD_BATCH ? header : tables.table(header, 1);
  if (batch === undefined) throw new Error(DAMAGED);
  return checkBatch(tables, batch, body);
}

/** @returns the bytes that its buffers say they unpack to. */
function checkBatch(tables: Tables, batch: number, body: Buffer): number {
  const isPacked = tables.table(batch, 3) !== undefined;
  const buffers = tables.vector(batch, 2, PAIR_BYTES);
  let unpacked = 0;
  for (let index = 0; index < buffers.count; index++) {
    const at = buffers.start + index * PAIR_BYTES;
    const [place, length] = [tables.long(at), tables.long(at + 8)];
    if (place < 0 || length < 0 || place + length > body.length) throw new Error(DAMAGED);
    // What a packed buffer unpacks to stands before it, -1 where it is not packed after all.
    const said = isPacked && length >= 8 ? Number(body.readBigInt64LE(place)) : -1;
    unpacked += said < 0 ? length : said;
  }
  const most = unpacked * 8;
  const lengthAt = tables.field(batch, 0);
  const rows = lengthAt === undefined ? 0 : tables.long(lengthAt);
  if (rows < 0 || rows > most) throw new Error(DAMAGED);
  const nodes = tables.vector(batch, 1, PAIR_BYTES);
  for (let index = 0; index < nodes.count; index++) {
    const at = nodes.start + index * PAIR_BYTES;
    const [length, nulls] = [tables.long(at), tables.long(at + 8)];
    // A value takes a bit at least.
    if (length < 0 || length > most || nulls < 0 || nulls > length) throw new Error(DAMAGED);
  }
  return unpacked;
}

/**
 * What the fields of a table of the format point to, by their numbers: a text, items of so many bytes, a table, a list of tables (a
 * function), or a column's type. Fields that are not named hold plain values.
 */
interface Shape {
  readonly [field: number]: 'text' | 'type' | number | Shape | (() => Shape);
}

/** Numbers of the types that point to something, of the format's union `Type`. */
const TIMESTAMP = 10;
const UNION = 14;

const KEY_VALUE: Shape = { 0: 'text', 1: 'text' };
const FIELD: Shape = { 0: 'text', 3: 'type', 4: { 1: {} }, 5: () => FIELD, 6: () => KEY_VALUE };
const SCHEMA: Shape = { 1: () => FIELD, 2: () => KEY_VALUE, 3: 8 };
const FOOTER: Shape = { 1: SCHEMA, 2: BLOCK_BYTES, 3: BLOCK_BYTES, 4: () => KEY_VALUE };
const MESSAGE: Shape = { 2: {}, 4: () => KEY_VALUE };
const BATCH: Shape = { 1: PAIR_BYTES, 2: PAIR_BYTES, 3: {}, 4: 8 };
const DICTIONARY: Shape = { 1: BATCH };

/** Deeper types than any table of a market's rows has. */
const MAX_DEPTH = 32;

/** A buffer of FlatBuffers tables. Every read is inside the buffer, or throws. */
class Tables {
  readonly #bytes: Buffer;
  /** Tables may share what they point to: the walk over them ends where a sound one would have. */
  #left: number;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#left = bytes.length;
  }

  root(): number {
    return this.#reference(0);
  }

  byte(at: number): number {
    return this.#inside(at, 1)[at]!;
  }

  int(at: number): number {
    return this.#inside(at, 4).readInt32LE(at);
  }

  /** @throws Error for a number beyond the safe integers. */
  long(at: number): number {
    const value = Number(this.#inside(at, 8).readBigInt64LE(at));
    if (!Number.isSafeInteger(value)) throw new Error(DAMAGED);
    return value;
  }

  /** Where a field of a table stands; undefined where the table leaves it out. */
  field(table: number, number: number): number | undefined {
    const vtable = table - this.int(table);
    const place = 4 + 2 * number;
    const bytes = this.#short(vtable);
    // The library reads it as a signed number.
    if (bytes < 4 || bytes > 0x7fff) throw new Error(DAMAGED);
    this.#inside(vtable, bytes);
    if (place + 2 > bytes) return undefined;
    const offset = this.#short(vtable + place);
    if (offset > 0x7fff) throw new Error(DAMAGED);
    return offset === 0 ? undefined : table + offset;
  }

  /** The table that a field points to. */
  table(table: number, number: number): number | undefined {
    const at = this.field(table, number);
    return at === undefined ? undefined : this.#reference(at);
  }

  /** A field's items of so many bytes each: none where the table leaves it out. */
  vector(table: number, number: number, itemBytes: number): { start: number; count: number } {
    const at = this.table(table, number);
    if (at === undefined) return { start: 0, count: 0 };
    const count = this.#inside(at, 4).readUInt32LE(at);
    this.#inside(at + 4, count * itemBytes);
    return { start: at + 4, count };
  }

  /** Follows what a table points to. */
  check(table: number, shape: Shape, depth = 0): void {
    if (depth > MAX_DEPTH || --this.#left < 0) throw new Error(DAMAGED);
    this.field(table, 0);
    for (const [key, value] of Object.entries(shape)) {
      const number = Number(key);
      if (value === 'text') this.vector(table, number, 1);
      else if (value === 'type') this.#checkType(table, number);
      else if (typeof value === 'number') this.vector(table, number, value);
      else if (typeof value === 'function') this.#checkAll(table, number, value(), depth);
      else {
        const inner = this.table(table, number);
        if (inner !== undefined) this.check(inner, value, depth + 1);
      }
    }
  }

  #checkAll(table: number, number: number, shape: Shape, depth: number): void {
    const { start, count } = this.vector(table, number, 4);
    for (let index = 0; index < count; index++) this.check(this.#reference(start + 4 * index), shape, depth + 1);
  }

  /** A column's type: its number stands in the field before. */
  #checkType(table: number, number: number): void {
    const kind = this.field(table, number - 1);
    const type = this.table(table, number);
    if (kind === undefined || type === undefined) return;
    this.field(type, 0);
    if (this.byte(kind) === TIMESTAMP) this.vector(type, 1, 1);
    else if (this.byte(kind) === UNION) this.vector(type, 1, 4);
  }

  #reference(at: number): number {
    const target = at + this.#inside(at, 4).readUInt32LE(at);
    this.#inside(target, 4);
    return target;
  }

  #short(at: number): number {
    return this.#inside(at, 2).readUInt16LE(at);
  }

  #inside(at: number, bytes: number): Buffer {
    if (at < 0 || at + bytes > this.#bytes.length) throw new Error(DAMAGED);
    return this.#bytes;
  }
}
