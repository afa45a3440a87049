import { closeSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { ByteSource } from './byte-source.ts';

const CHUNK_BYTES = 1 << 16;

/**
 * A stretch of a packed file, read through an unpacker a piece at a time: only what one piece of 64 KiB unpacks to
 * is in memory. Keeps the checksum and the length of what came out, because the unpacker does not look at them.
 */
export class Unpacking implements ByteSource {
  /** CRC-32 and length, in bytes, of what came out since `restart`. */
  crc = 0;
  length = 0;
  readonly #file: number;
  readonly #end: number;
  readonly #push: (packed: Uint8Array, last: boolean) => void;
  #at: number;
  #waiting: Uint8Array[] = [];
  #passed = 0;

  /** @param push hands a piece of the bytes [start, end) of `file` to the unpacker, which answers through `give`. */
  constructor(file: number, start: number, end: number, push: (packed: Uint8Array, last: boolean) => void) {
    this.#file = file;
    this.#at = start;
    this.#end = end;
    this.#push = push;
  }

  /** Takes unpacked bytes. */
  give(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
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
