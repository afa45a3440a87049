import { closeSync, fstatSync, openSync } from 'node:fs';
import { TidegateError } from '../../../model/errors.ts';
import { UnpackBudget } from '../unpack.ts';
import { ArrowBuffer } from './arrow-buffer.ts';
import { type ArrowContents, type ArrowField, type ArrowMessage, readArrowContents, type Storage } from './arrow-format.ts';
import { DAMAGED } from './flat-tables.ts';
import {
  type Cells,
  type CellType,
  cellText,
  HEAD_ROWS,
  headLines,
  isValid,
  type Table,
  type TableBatch,
  type TableBatches,
} from './table.ts';

/** Rows that are read at a time, whatever the size of the file's batches: a multiple of 8, as nulls are bits. */
const PIECE_ROWS = 8_192;

/** `TableBatches` whose rows need not be awaited. */
interface ArrowBatches extends TableBatches {
  next(): TableBatch | undefined;
}

/** An Arrow file or stream, uncompressed or packed by LZ4 or Zstandard, read in pieces of bounded memory. */
export class ArrowTable implements Table {
  readonly reversible = false;
  readonly form = 'Arrow';
  readonly rows: number;
  readonly fields: readonly ArrowField[];
  readonly head: readonly string[];
  readonly #contents: ArrowContents;

  /** @throws TidegateError DATA_INVALID naming the file and the fault. */
  constructor(readonly path: string) {
    const file = openSync(path, 'r');
    try {
      this.#contents = readArrowContents(file);
      this.fields = this.#contents.fields;
      this.rows = this.#contents.messages.reduce((sum, { rows, dictionary }) => (dictionary === undefined ? sum + rows : sum), 0);
      // A column of nulls alone takes no bytes, whatever its rows.
      new UnpackBudget(fstatSync(file).size).take(this.rows * this.fields.length);
    } catch (cause) {
      throw unreadable(path, cause);
    } finally {
      closeSync(file);
    }
    const first: TableBatch[] = [];
    const batches = this.open(() => true);
    try {
      for (let rows = 0; rows < HEAD_ROWS; rows += first.at(-1)!.rows) {
        const batch = batches.next();
        if (batch === undefined) break;
        first.push(batch);
      }
    } finally {
      batches.close();
    }
    this.head = headLines(this.fields, first);
  }

  open(isRead: (index: number) => boolean): ArrowBatches {
    const file = openSync(this.path, 'r');
    const pieces = piecesOf(this.#contents, isRead, {
      path: this.path,
      file,
      dictionaries: new Map(),
      budget: new UnpackBudget(fstatSync(file).size),
    });
    let isOpen = true;
    return {
      next: () => {
        try {
          const { done, value } = pieces.next();
          return done ? undefined : value;
        } catch (cause) {
          throw unreadable(this.path, cause);
        }
      },
      close: () => {
        if (isOpen) closeSync(file);
        isOpen = false;
      },
    };
  }
}

function unreadable(path: string, cause: unknown): TidegateError {
  if (cause instanceof TidegateError) return cause;
  const reason = cause instanceof RangeError ? DAMAGED : cause instanceof Error ? cause.message : String(cause);
  return new TidegateError('DATA_INVALID', `${path}: cannot be read as Arrow: ${reason}`, { cause });
}

/** An open file. */
interface Source {
  readonly path: string;
  readonly file: number;
  readonly dictionaries: Map<number, string[]>;
  readonly budget: UnpackBudget;
}

function* piecesOf({ fields, messages }: ArrowContents, isRead: (index: number) => boolean, source: Source): Generator<TableBatch> {
  const { dictionaries } = source;
  const used = new Map(
    fields.flatMap((field, index) => (field.dictionary !== undefined && isRead(index) ? [[field.dictionary.id, field.dictionary]] : [])),
  );
  for (const message of messages) {
    if (message.dictionary !== undefined) {
      const wanted = used.get(message.dictionary);
      if (wanted === undefined) continue;
      const before = message.isDelta ? (dictionaries.get(message.dictionary) ?? []) : [];
      const field = { name: '', type: wanted.type, storage: wanted.values, nodes: 1, buffers: 0, variadic: wanted.values.kind === 'views' };
      const column = new ArrowColumn(source, field, message, { node: 0, buffer: 0, variadic: message.variadic[0] ?? 0 });
      for (let row = 0; row < message.rows; row += PIECE_ROWS) {
        const count = Math.min(PIECE_ROWS, message.rows - row);
        const cells = column.next(count);
        for (let at = 0; at < count; at++) before.push(cellText(wanted.type, cells, at));
      }
      dictionaries.set(message.dictionary, before);
      continue;
    }
    const columns: (ArrowColumn | undefined)[] = [];
    const place = { node: 0, buffer: 0, variadic: 0 };
    let variadic = 0;
    for (const [index, field] of fields.entries()) {
      place.variadic = field.variadic ? (message.variadic[variadic++] ?? 0) : 0;
      columns.push(isRead(index) ? new ArrowColumn(source, field, message, place) : undefined);
      place.node += field.nodes;
      place.buffer += field.buffers + place.variadic;
    }
    for (let row = 0; row < message.rows; row += PIECE_ROWS) {
      const rows = Math.min(PIECE_ROWS, message.rows - row);
      yield { rows, cells: columns.map((column) => column?.next(rows)) };
    }
  }
}

/** Where the column of a message begins in its lists. */
interface Place {
  readonly node: number;
  readonly buffer: number;
  /** Buffers of long texts. */
  readonly variadic: number;
}

/** The cells of a column in one message, piece by piece. */
class ArrowColumn {
  readonly #path: string;
  readonly #field: ArrowField;
  readonly #valid: ArrowBuffer | undefined;
  readonly #values: ArrowBuffer;
  readonly #texts: ArrowBuffer | undefined;
  readonly #longTexts: readonly ArrowBuffer[];
  readonly #dictionary: readonly string[] | undefined;
  /** End of the texts that were read. */
  #offset: number | undefined;
  readonly #decoder = new ShortTexts();

  constructor({ path, file, dictionaries, budget }: Source, field: ArrowField, message: ArrowMessage, place: Place) {
    this.#path = path;
    const buffer = (index: number) => new ArrowBuffer(file, message.buffers[place.buffer + index], message.packing, budget);
    this.#field = field;
    const nulls = message.nulls[place.node];
    if (nulls === undefined) throw new Error(DAMAGED);
    this.#valid = nulls > 0 && field.storage.kind !== 'unread' ? buffer(0) : undefined;
    this.#values = buffer(1);
    this.#texts = field.storage.kind === 'texts' ? buffer(2) : undefined;
    this.#longTexts = field.storage.kind === 'views' ? Array.from({ length: place.variadic }, (_, index) => buffer(2 + index)) : [];
    this.#dictionary = field.dictionary === undefined ? undefined : (dictionaries.get(field.dictionary.id) ?? []);
  }

  next(rows: number): Cells {
    const { storage, name } = this.#field;
    const valid = this.#valid?.take(Math.ceil(rows / 8));
    const cells = this.#cells(storage, rows, valid, name);
    const values = this.#dictionary;
    if (values === undefined) return cells;
    return { text: (row) => values[Number(integerText(cells, row))] ?? this.#damaged(), valid };
  }

  #cells(storage: Storage, rows: number, valid: Uint8Array | undefined, name: string): Cells {
    switch (storage.kind) {
      case 'numbers':
        return { numbers: numbersOf(this.#values.take(rows * storage.bytes), storage), valid };
      case 'days': {
        const days = new Int32Array(this.#values.take(rows * 4).buffer, 0, rows);
        const seconds = new BigInt64Array(rows);
        for (let row = 0; row < rows; row++) seconds[row] = BigInt(days[row]!) * 86_400n;
        return { words: new Int32Array(seconds.buffer), valid };
      }
      case 'bits': {
        const bits = this.#values.take(Math.ceil(rows / 8));
        return { text: (row) => (((bits[row >> 3]! >> (row & 7)) & 1) === 1 ? 'true' : 'false'), valid };
      }
      case 'words': {
        const words = new Int32Array(this.#values.take(rows * storage.bytes).buffer, 0, (rows * storage.bytes) / 4);
        return storage.bytes === 8 ? { words, valid } : wideDecimals(words, rows, valid, this.#field.type);
      }
      case 'texts':
        return { text: this.#textsOf(rows, storage.offsetBytes), valid };
      case 'views':
        return { text: this.#viewsOf(rows), valid };
      case 'unread':
        return { text: () => `a value of a type that is not read (column ${name})`, valid };
    }
    return storage satisfies never;
  }

  #textsOf(rows: number, offsetBytes: 4 | 8): (row: number) => string {
    const read = (count: number) => {
      const bytes = this.#values.take(count * offsetBytes);
      return offsetBytes === 4
        ? Array.from(new Int32Array(bytes.buffer, 0, count))
        : Array.from(new BigInt64Array(bytes.buffer, 0, count), Number);
    };
    if (rows === 0) return () => '';
    this.#offset ??= read(1)[0]!;
    const start = this.#offset;
    const ends = read(rows);
    let before = start;
    for (const end of ends) {
      if (end < before) throw new Error(DAMAGED);
      before = end;
    }
    // The first texts may begin behind the start of the buffer.
    this.#texts!.skipTo(start);
    const bytes = Buffer.from(this.#texts!.take(before - start).buffer);
    this.#offset = before;
    return (row) => this.#decoder.text(bytes, row === 0 ? 0 : ends[row - 1]! - start, ends[row]! - start);
  }

  #longText(buffer: number, place: number, length: number): string {
    let whole: Buffer | undefined;
    try {
      whole = this.#longTexts[buffer]?.whole();
    } catch (cause) {
      throw unreadable(this.#path, cause);
    }
    if (whole === undefined || place < 0 || place + length > whole.length) return this.#damaged();
    return whole.toString('utf8', place, place + length);
  }

  /** Texts are read when they are needed, so their errors name the file themselves. */
  #damaged(): never {
    throw unreadable(this.#path, new Error(DAMAGED));
  }

  #viewsOf(rows: number): (row: number) => string {
    const bytes = Buffer.from(this.#values.take(rows * VIEW_BYTES).buffer);
    return (row) => {
      const at = row * VIEW_BYTES;
      const length = bytes.readInt32LE(at);
      if (length < 0) this.#damaged();
      if (length <= 12) return this.#decoder.text(bytes, at + 4, at + 4 + length);
      return this.#longText(bytes.readInt32LE(at + 8), bytes.readInt32LE(at + 12), length);
    };
  }
}

const VIEW_BYTES = 16;

function integerText(cells: Cells, row: number): string {
  return isValid(cells, row) ? cellText({ kind: 'integer' }, { ...cells, valid: undefined }, row) : '0';
}

function numbersOf({ buffer }: Uint8Array, { bytes, as }: Extract<Storage, { kind: 'numbers' }>): ArrayLike<number> {
  if (as === 'float') return bytes === 4 ? new Float32Array(buffer) : new Float64Array(buffer);
  if (bytes === 1) return as === 'signed' ? new Int8Array(buffer) : new Uint8Array(buffer);
  if (bytes === 2) return as === 'signed' ? new Int16Array(buffer) : new Uint16Array(buffer);
  if (bytes === 4) return as === 'signed' ? new Int32Array(buffer) : new Uint32Array(buffer);
  return Float64Array.from(new BigUint64Array(buffer), safeNumber);
}

/** @throws Error for a number beyond the safe integers. */
function safeNumber(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new Error(`${value} in a column of unsigned numbers is above 2^53`);
  return Number(value);
}

/** Decimals of 128 bits: pairs of words if all fit 64 bits, else texts. */
function wideDecimals(words: Int32Array, rows: number, valid: Uint8Array | undefined, type: CellType): Cells {
  const narrow = new Int32Array(rows * 2);
  let isNarrow = true;
  for (let row = 0; row < rows; row++) {
    const at = 4 * row;
    narrow[2 * row] = words[at]!;
    narrow[2 * row + 1] = words[at + 1]!;
    const sign = words[at + 1]! >> 31;
    isNarrow &&= words[at + 2] === sign && words[at + 3] === sign;
  }
  if (isNarrow) return { words: narrow, valid };
  const scale = type.kind === 'decimal' ? type.scale : 0;
  return { text: (row) => wideText(words.subarray(4 * row, 4 * row + 4), scale), valid };
}

function wideText(words: Int32Array, scale: number): string {
  let units = 0n;
  for (let index = 3; index >= 0; index--) units = (units << 32n) | BigInt(words[index]! >>> 0);
  units = BigInt.asIntN(128, units);
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  return `${units < 0n ? '-' : ''}${digits.slice(0, digits.length - scale)}${scale === 0 ? '' : `.${digits.slice(-scale)}`}`;
}

const MOST_SHORT_TEXTS = 64;

/** Decodes texts; short ones that come again, such as sides, only once. */
class ShortTexts {
  readonly #known = new Map<number, string>();

  text(bytes: Buffer, from: number, to: number): string {
    const length = to - from;
    if (length > 6) return bytes.toString('utf8', from, to);
    let key = length;
    for (let at = from; at < to; at++) key = key * 256 + bytes[at]!;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const text = bytes.toString('utf8', from, to);
    if (this.#known.size < MOST_SHORT_TEXTS) this.#known.set(key, text);
    return text;
  }
}
