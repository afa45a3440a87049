import { readSync } from 'node:fs';
import { lz4Pieces, type PackedBytes, type UnpackBudget, zstdPieces } from '../unpack.ts';
import type { ArrowMessage } from './arrow-format.ts';
import { DAMAGED } from './flat-tables.ts';

const PACKED_AHEAD = 1 << 16;

/** The bytes of one buffer of an Arrow message, from its start, unpacked where they are packed. */
export class ArrowBuffer {
  readonly #file: number;
  readonly #packing: ArrowMessage['packing'];
  readonly #budget: UnpackBudget;
  #at: number;
  #left: number;
  #begun = false;
  #pieces: Generator<Uint8Array> | undefined;
  #piece = new Uint8Array(0);
  #pieceAt = 0;
  #passed = 0;
  #whole: Buffer | undefined;

  constructor(
    file: number,
    place: { readonly at: number; readonly bytes: number } | undefined,
    packing: ArrowMessage['packing'],
    budget: UnpackBudget,
  ) {
    this.#file = file;
    this.#packing = packing;
    this.#budget = budget;
    this.#at = place?.at ?? 0;
    this.#left = place?.bytes ?? 0;
  }

  /** The next bytes, in a buffer of their own that begins with them. @throws Error if there are fewer. */
  take(count: number): Uint8Array<ArrayBuffer> {
    this.#begin();
    this.#passed += count;
    if (this.#pieces === undefined) {
      if (count > this.#left) throw new Error(DAMAGED);
      this.#budget.take(count);
      return this.#read(count);
    }
    if (count > this.#budget.left + this.#piece.length) throw new Error(DAMAGED);
    const bytes = new Uint8Array(count);
    for (let filled = 0; filled < count; ) {
      if (this.#pieceAt === this.#piece.length) {
        const { done, value } = this.#pieces.next();
        if (done) throw new Error(DAMAGED);
        this.#piece = value as Uint8Array<ArrayBuffer>;
        this.#pieceAt = 0;
      }
      const part = this.#piece.subarray(this.#pieceAt, this.#pieceAt + count - filled);
      bytes.set(part, filled);
      filled += part.length;
      this.#pieceAt += part.length;
    }
    return bytes;
  }

  /** Passes over bytes up to a position in the unpacked buffer. */
  skipTo(position: number): void {
    if (position < this.#passed) throw new Error(DAMAGED);
    while (this.#passed < position) this.take(Math.min(PACKED_AHEAD, position - this.#passed));
  }

  /** All bytes, which stay in memory. */
  whole(): Buffer {
    if (this.#whole !== undefined) return this.#whole;
    this.#begin();
    const pieces = this.#pieces === undefined ? [this.take(this.#left)] : [...this.#pieces];
    this.#whole = Buffer.concat(pieces);
    return this.#whole;
  }

  /** A packed buffer begins with its unpacked length; -1 says that it is not packed after all. */
  #begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    if (this.#packing === undefined || this.#left === 0) return;
    if (this.#left < 8) throw new Error(DAMAGED);
    const isPlain = Buffer.from(this.#read(8).buffer).readBigInt64LE(0) === -1n;
    if (isPlain) return;
    this.#pieces = (this.#packing === 'lz4' ? lz4Pieces : zstdPieces)(this.#packed(), this.#budget);
  }

  #read(count: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(count);
    if (readSync(this.#file, bytes, 0, count, this.#at) < count) throw new Error(DAMAGED);
    this.#at += count;
    this.#left -= count;
    return bytes;
  }

  #packed(): PackedBytes {
    const left = () => this.#left;
    const take = (count: number) => {
      if (count > this.#left) throw new Error(DAMAGED);
      return Buffer.from(this.#read(count).buffer);
    };
    return {
      get left() {
        return left();
      },
      take,
    };
  }
}
