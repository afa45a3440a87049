import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { Gunzip, Inflate } from 'fflate';
import { TidegateError } from '../../model/errors.ts';
import { TooMuch, UnpackBudget } from './unpack.ts';
import { zipEntry, zipNames } from './zip.ts';

/** The bytes of a file from its start, unpacked if it is packed, in bounded memory. */
export interface ByteSource {
  /**
   * Fills `target` from `offset` on; returns the number of bytes, 0 at the end.
   * @throws Error describing the damage.
   */
  read(target: Buffer, offset: number): number;
  close(): void;
}

/**
 * Opens a plain, gzip or zip file, recognised by its first bytes.
 * @param entry the name of the file in a zip file of several.
 * @throws TidegateError DATA_NOT_FOUND when it cannot be opened, DATA_INVALID for a folder; Error for a zip file that cannot be read.
 */
export function openBytes(path: string, entry?: string): ByteSource {
  const file = openFile(path);
  const magic = Buffer.alloc(4);
  readSync(file, magic, 0, 4, 0);
  try {
    if (magic.readUInt16BE(0) === 0x1f8b) return gzipBytes(file);
    if (magic.readUInt32BE(0) === ZIP_MAGIC) return zipBytes(file, entry);
  } catch (error) {
    closeSync(file);
    throw error;
  }
  const { size } = fstatSync(file);
  let position = 0;
  return {
    read: (target, offset) => {
      const read = readSync(file, target, offset, target.length - offset, null);
      position += read;
      if (read === 0 && position < size) throw new Error(`the file was cut while it was read: ${position} of ${size} bytes are there`);
      return read;
    },
    close: () => closeSync(file),
  };
}

/** The files of rows in a zip file of several, by name; undefined for any other file. @throws as `openBytes`. */
export function packedFiles(path: string): readonly string[] | undefined {
  const file = openFile(path);
  try {
    const magic = Buffer.alloc(4);
    readSync(file, magic, 0, 4, 0);
    const names = magic.readUInt32BE(0) === ZIP_MAGIC ? zipNames(file) : [];
    return names.length === 0 ? undefined : names;
  } finally {
    closeSync(file);
  }
}

const ZIP_MAGIC = 0x504b0304;

function openFile(path: string): number {
  try {
    const file = openSync(path, 'r');
    if (!fstatSync(file).isDirectory()) return file;
    closeSync(file);
  } catch (cause) {
    throw new TidegateError('DATA_NOT_FOUND', `${path}: this file cannot be opened`, { cause });
  }
  throw new TidegateError('DATA_INVALID', `${path}: a folder; expected a file of rows: CSV or JSON lines, plain or packed`);
}

const CHUNK_BYTES = 1 << 16;

/**
 * A part of a packed file, unpacked a piece at a time: memory holds only the unpacked bytes of one 64 KiB piece. Computes the checksum and
 * the length of the output, because the unpacker does not check them.
 */
class Unpacking implements ByteSource {
  /** CRC-32 and length, in bytes, of the output since `restart`. */
  crc = 0;
  length = 0;
  readonly #file: number;
  readonly #end: number;
  readonly #push: (packed: Uint8Array, last: boolean) => void;
  readonly #budget: UnpackBudget;
  #at: number;
  #waiting: Uint8Array[] = [];
  #passed = 0;

  /** @param push passes a piece of the bytes [start, end) of `file` to the unpacker, which returns its output through `give`. */
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
    // A new buffer each time: the unpacker may keep it.
    const piece = Buffer.alloc(Math.min(CHUNK_BYTES, this.#end - this.#at));
    const read = readSync(this.#file, piece, 0, piece.length, this.#at);
    if (read === 0) throw new Error('the file ends too early');
    this.#at += read;
    this.#push(piece.subarray(0, read), this.#at === this.#end);
  }
}

const GZIP_DAMAGED = 'the gzip file is damaged or cut short';

/** The unpacked bytes of an open gzip file with one or several members; checksums are verified. Closing closes the file. */
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
 * The bytes of a file in an open zip file, which may be the only one; its checksum is verified. Closing closes the zip file.
 * @throws Error with the reason: several files in it, encryption, an unsupported packing, damage.
 */
function zipBytes(file: number, entry: string | undefined): ByteSource {
  const { name, packing, start, end, size, crc } = zipEntry(file, entry);
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

/** The first bytes of a file, each as one letter; none where it cannot be read, which the import reports. */
export function firstBytes(path: string, count: number): string {
  const bytes = Buffer.alloc(count);
  try {
    const descriptor = openSync(path, 'r');
    try {
      return bytes.toString('latin1', 0, readSync(descriptor, bytes));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return '';
  }
}
