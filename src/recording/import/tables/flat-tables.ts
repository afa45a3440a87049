/** The message about a file whose lengths or offsets lie outside it. */
export const DAMAGED = 'the file is damaged or cut short';

/** The FlatBuffers tables that describe an Arrow file. Every read is inside the buffer, or throws. */
export class Tables {
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
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

  /** Offset of a field of a table; undefined where the table leaves it out. */
  field(table: number, number: number): number | undefined {
    const vtable = table - this.int(table);
    const place = 4 + 2 * number;
    const bytes = this.#short(vtable);
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

  /** The number in a field of so many bytes; `absent` where the table leaves it out. */
  number(table: number, number: number, bytes: 1 | 2 | 4 | 8, absent: number): number {
    const at = this.field(table, number);
    if (at === undefined) return absent;
    if (bytes === 1) return this.byte(at);
    if (bytes === 2) return this.#inside(at, 2).readInt16LE(at);
    return bytes === 4 ? this.int(at) : this.long(at);
  }

  /** The text in a field; empty where the table leaves it out. */
  text(table: number, number: number): string {
    const { start, count } = this.vector(table, number, 1);
    return this.#bytes.toString('utf8', start, start + count);
  }

  /** The tables in a list. */
  tables(table: number, number: number): number[] {
    const { start, count } = this.vector(table, number, 4);
    return Array.from({ length: count }, (_, index) => this.#reference(start + 4 * index));
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
