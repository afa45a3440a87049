import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { Gunzip, Inflate } from 'fflate';
import { TidegateError } from '../../model/errors.ts';
import { TooMuch, UnpackBudget } from './unpack.ts';

/** The bytes of a file from its start, unpacked where it is packed, in bounded memory. */
export interface ByteSource {
  /** Fills `target` from `offset` on; returns how many bytes came, 0 at the end. @throws Error saying what is damaged. */
  read(target: Buffer, offset: number): number;
  close(): void;
}

/**
 * Opens a plain, gzip or zip file, told by its first bytes.
 * @throws TidegateError DATA_NOT_FOUND when it cannot be opened, DATA_INVALID for a folder; Error for a zip file that cannot be read.
 */
export function openBytes(path: string): ByteSource {
  const file = openFile(path);
  const magic = Buffer.alloc(4);
  readSync(file, magic, 0, 4, 0);
  try {
    if (magic.readUInt16BE(0) === 0x1f8b) return gzipBytes(file);
    if (magic.readUInt32BE(0) === 0x504b0304) return zipBytes(file);
  } catch (error) {
    closeSync(file);
    throw error;
  }
  return {
    read: (target, offset) => readSync(file, target, offset, target.length - offset, null),
    close: () => closeSync(file),
  };
}

function openFile(path: string): number {
  try {
    const file = openSync(path, 'r');
    if (!fstatSync(file).isDirectory()) return file;
    closeSync(file);
  } catch (cause) {
    throw new TidegateError('DATA_NOT_FOUND', `${path}: this file cannot be opened`, { cause });
  }
  throw new TidegateError('DATA_INVALID', `${path}: a folder; expected a file of rows: CSV or JSON lines, plain, gzip or zip`);
}

const CHUNK_BYTES = 1 << 16;

/**
 * A stretch of a packed file, read through an unpacker a piece at a time: only what one piece of 64 KiB unpacks to
 * is in memory. Keeps the checksum and the length of what came out, because the unpacker does not look at them.
 */
class Unpacking implements ByteSource {
  /** CRC-32 and length, in bytes, of what came out since `restart`. */
  crc = 0;
  length = 0;
  readonly #file: number;
  readonly #end: number;
  readonly #push: (packed: Uint8Array, last: boolean) => void;
  readonly #budget: UnpackBudget;
  #at: number;
  #waiting: Uint8Array[] = [];
  #passed = 0;

  /** @param push hands a piece of the bytes [start, end) of `file` to the unpacker, which answers through `give`. */
  constructor(file: number, start: number, end: number, push: (packed: Uint8Array, last: boolean) => void) {
    this.#file = file;
    this.#at = start;
    this.#end = end;
    this.#push = push;
    this.#budget = new UnpackBudget(end - start);
  }

  /** Takes unpacked bytes. @throws TooMuch. */
  give(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#budget.take(bytes.length);
    this.crc = crc32(bytes, this.crc);
    this.length += bytes.length;
    this.#waiting.push(bytes);
  }

  restart(): void {
    this.crc = 0;
    this.length = 0;
  }

  read(target: Buffer, offset: number): number {
    while (this.#waiting.length === 0 && this.#at < this.#end) this.#unpack();
    const bytes = this.#waiting[0];
    if (bytes === undefined) return 0;
    const part = bytes.subarray(this.#passed, this.#passed + target.length - offset);
    target.set(part, offset);
    this.#passed += part.length;
    if (this.#passed === bytes.length) {
      this.#waiting.shift();
      this.#passed = 0;
    }
    return part.length;
  }

  close(): void {
    closeSync(this.#file);
  }

  #unpack(): void {
    // A fresh piece each time: the unpacker may keep it.
    const piece = Buffer.alloc(Math.min(CHUNK_BYTES, this.#end - this.#at));
    const read = readSync(this.#file, piece, 0, piece.length, this.#at);
    if (read === 0) throw new Error('the file ends too early');
    this.#at += read;
    this.#push(piece.subarray(0, read), this.#at === this.#end);
  }
}

const GZIP_DAMAGED = 'the gzip file is damaged or cut short';

/** The bytes that an open gzip file of one or several members unpacks to; checksums are verified. Closing closes the file. */
function gzipBytes(file: number): ByteSource {
  const { size } = fstatSync(file);
  const gunzip = new Gunzip((bytes) => source.give(bytes));
  /** Compares the member that ends at `end` with the CRC-32 and length in its last eight bytes. */
  const verify = (end: number) => {
    const trailer = Buffer.alloc(8);
    readSync(file, trailer, 0, 8, Math.max(0, end - 8));
    if (trailer.readUInt32LE(0) !== source.crc || trailer.readUInt32LE(4) !== source.length % 2 ** 32) throw new Error(GZIP_DAMAGED);
    source.restart();
  };
  gunzip.onmember = verify;
  const source = new Unpacking(file, 0, size, (packed, last) => {
    try {
      gunzip.push(packed, last);
    } catch (cause) {
      throw cause instanceof TooMuch ? cause : new Error(GZIP_DAMAGED, { cause });
    }
    if (last) verify(size);
  });
  return source;
}

/**
 * The bytes of the one file in an open zip file; its checksum is verified. Closing closes the file.
 * @throws Error saying why it cannot be read: several files in it, encryption, another packing, damage.
 */
function zipBytes(file: number): ByteSource {
  const { name, packing, start, end, size, crc } = zipEntry(file);
  const inflate = new Inflate((bytes) => source.give(bytes));
  const source = new Unpacking(file, start, end, (packed, last) => {
    try {
      if (packing === 'stored') source.give(packed);
      else inflate.push(packed, last);
    } catch (cause) {
      throw cause instanceof TooMuch ? cause : new Error(`the zip file is damaged: ${name} does not unpack`, { cause });
    }
    if (last && (source.crc !== crc || source.length !== size))
      throw new Error(`the zip file is damaged: the checksum of ${name} does not match`);
  });
  return source;
}

/** The file that a zip file holds, and where its packed bytes [start, end) stand. */
interface ZipEntry {
  readonly name: string;
  readonly packing: 'stored' | 'deflated';
  readonly start: number;
  readonly end: number;
  /** Unpacked length in bytes, and its CRC-32. */
  readonly size: number;
  readonly crc: number;
}

const NO_DIRECTORY = 'the zip file is damaged or cut short: its directory is missing';
const ZIP_DAMAGED = 'the zip file is damaged: its directory cannot be read';

const END_RECORD = 0x06054b50;
const END_BYTES = 22;
const LONGEST_COMMENT = 0xffff;
const LOCATOR_64 = 0x07064b50;
const LOCATOR_64_BYTES = 20;
const END_64_BYTES = 56;
const ENTRY = 0x02014b50;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
/** Stands in a field of 32 bits whose value is in the entry's 64-bit field. */
const IN_64 = 0xffffffff;
/** An archive of market data holds few files; a directory beyond this is not looked at. */
const DIRECTORY_LIMIT = 1 << 24;

/**
 * Finds the one file in a zip file (sizes of 64 bits included), folders and what macOS adds not counted.
 * @throws Error saying why there is no such file.
 */
function zipEntry(file: number): ZipEntry {
  try {
    return onlyEntry(file);
  } catch (cause) {
    // A field that points outside of what is there.
    throw cause instanceof RangeError ? new Error(ZIP_DAMAGED, { cause }) : cause;
  }
}

function onlyEntry(file: number): ZipEntry {
  const { at, bytes } = directoryPlace(file);
  if (bytes > DIRECTORY_LIMIT) throw new Error(ZIP_DAMAGED);
  const directory = bytesAt(file, at, bytes);
  const found: ZipEntry[] = [];
  for (let entry = 0; entry + ENTRY_BYTES <= directory.length; ) {
    if (directory.readUInt32LE(entry) !== ENTRY) throw new Error(ZIP_DAMAGED);
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((offset) => directory.readUInt16LE(entry + offset)) as [
      number,
      number,
      number,
    ];
    const name = directory.toString('utf8', entry + ENTRY_BYTES, entry + ENTRY_BYTES + nameBytes);
    if (!/\/$|^__MACOSX\//.test(name)) found.push(entryAt(file, directory, entry, name));
    entry += ENTRY_BYTES + nameBytes + extraBytes + commentBytes;
  }
  if (found.length === 1) return found[0]!;
  throw new Error(`the zip file holds ${found.length} files; expected one: unpack it first and import the files`);
}

/** Where the directory of entries begins and how long it is. */
function directoryPlace(file: number): { at: number; bytes: number } {
  const { size } = fstatSync(file);
  const from = Math.max(0, size - END_BYTES - LONGEST_COMMENT);
  const tail = bytesAt(file, from, size - from);
  let end = tail.length - END_BYTES;
  while (end >= 0 && tail.readUInt32LE(end) !== END_RECORD) end--;
  if (end < 0) throw new Error(NO_DIRECTORY);
  const place = { at: tail.readUInt32LE(end + 16), bytes: tail.readUInt32LE(end + 12) };
  if (place.at !== IN_64 && place.bytes !== IN_64) return place;
  const locator = bytesAt(file, from + end - LOCATOR_64_BYTES, LOCATOR_64_BYTES);
  if (locator.readUInt32LE(0) !== LOCATOR_64) throw new Error(ZIP_DAMAGED);
  const end64 = bytesAt(file, long(locator, 8), END_64_BYTES);
  return { at: long(end64, 48), bytes: long(end64, 40) };
}

function entryAt(file: number, directory: Buffer, entry: number, name: string): ZipEntry {
  if ((directory.readUInt16LE(entry + 8) & 1) === 1) throw new Error(`the zip file is encrypted (${name}); unpack it first`);
  const method = directory.readUInt16LE(entry + 10);
  if (method !== 0 && method !== 8) throw new Error(`the zip file packs ${name} by method ${method}; expected deflate: unpack it first`);
  const [size, packedSize, at] = wideFields(directory, entry);
  const local = bytesAt(file, at, LOCAL_BYTES);
  const start = at + LOCAL_BYTES + local.readUInt16LE(26) + local.readUInt16LE(28);
  return {
    name,
    packing: method === 0 ? 'stored' : 'deflated',
    start,
    end: start + packedSize,
    size,
    crc: directory.readUInt32LE(entry + 16),
  };
}

/** Unpacked and packed size and the place of the local header, each taken from the 64-bit field where it does not fit 32. */
function wideFields(directory: Buffer, entry: number): [number, number, number] {
  const values = [24, 20, 42].map((offset) => directory.readUInt32LE(entry + offset)) as [number, number, number];
  if (!values.includes(IN_64)) return values;
  let at = entry + ENTRY_BYTES + directory.readUInt16LE(entry + 28);
  const end = at + directory.readUInt16LE(entry + 30);
  while (at + 4 <= end && directory.readUInt16LE(at) !== 1) at += 4 + directory.readUInt16LE(at + 2);
  at += 4;
  return values.map((value) => {
    if (value !== IN_64) return value;
    if (at + 8 > end) throw new Error(ZIP_DAMAGED);
    at += 8;
    return long(directory, at - 8);
  }) as [number, number, number];
}

function long(bytes: Buffer, at: number): number {
  return Number(bytes.readBigUInt64LE(at));
}

/** That many bytes of the file. @throws Error where it has fewer. */
function bytesAt(file: number, at: number, count: number): Buffer {
  const bytes = Buffer.alloc(count);
  if (!Number.isSafeInteger(at) || at < 0 || readSync(file, bytes, 0, count, at) < count) throw new Error(ZIP_DAMAGED);
  return bytes;
}
