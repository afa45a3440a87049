import { Decompress } from 'fzstd';

/** What a packed file may unpack to whatever its size, in bytes. */
const SMALLEST_LIMIT = 1 << 26;
/** How many times its size a larger one may unpack to. Rows of a market, packed as tightly as they go, stay below a third of it. */
const LARGEST_RATIO = 200;

/** A packed file that becomes more than one of a market does. */
export class TooMuch extends Error {
  constructor() {
    super(
      `it unpacks to more than ${LARGEST_RATIO} times its size and more than ${SMALLEST_LIMIT / 2 ** 20} MiB; if that is right, unpack it first and import the plain file`,
    );
  }
}

/** The most bytes that a packed file of so many may unpack to. */
export function unpackLimit(packedBytes: number): number {
  return Math.max(SMALLEST_LIMIT, packedBytes * LARGEST_RATIO);
}

/** Counts what comes out of a packed file, which may be made to unpack to more than any disk holds. */
export class UnpackBudget {
  readonly #limit: number;
  #used = 0;

  /** @param packedBytes size of the file. */
  constructor(packedBytes: number) {
    this.#limit = unpackLimit(packedBytes);
  }

  /** Bytes that may still come. */
  get left(): number {
    return this.#limit - this.#used;
  }

  /** @throws TooMuch. */
  take(bytes: number): void {
    this.#used += bytes;
    if (this.#used > this.#limit) throw new TooMuch();
  }
}

const ZSTD_MAGIC = 0xfd2fb528;
const ZSTD_DAMAGED = 'its Zstandard data are damaged';

/** Unpacks one Zstandard frame. @throws TooMuch, or Error where it is damaged. */
export function unzstd(packed: Uint8Array, budget: UnpackBudget): Uint8Array {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  // The library makes room for the window before it reads on.
  if (zstdWindow(bytes) > budget.left) throw new TooMuch();
  const pieces: Uint8Array[] = [];
  const unpacking = new Decompress((piece) => {
    budget.take(piece.length);
    pieces.push(piece.slice());
  });
  unpacking.push(packed, true);
  return joined(pieces);
}

/** Bytes that a frame is unpacked in, as its head says (RFC 8878, 3.1.1.1). */
function zstdWindow(bytes: Buffer): number {
  if (bytes.length < 9 || bytes.readUInt32LE(0) !== ZSTD_MAGIC) throw new Error(ZSTD_DAMAGED);
  const descriptor = bytes[4]!;
  const isSingle = (descriptor & 32) !== 0;
  if (!isSingle) {
    const base = 2 ** (10 + (bytes[5]! >> 3));
    return base + (base / 8) * (bytes[5]! & 7);
  }
  const at = 5 + [0, 1, 2, 4][descriptor & 3]!;
  const sizeBytes = [1, 2, 4, 8][descriptor >> 6]!;
  if (at + sizeBytes > bytes.length) throw new Error(ZSTD_DAMAGED);
  if (sizeBytes === 8) return Number(bytes.readBigUInt64LE(at));
  return bytes.readUIntLE(at, sizeBytes) + (sizeBytes === 2 ? 256 : 0);
}

const LZ4_MAGIC = 0x184d2204;
const LZ4_DAMAGED = 'its LZ4 data are damaged';
const NOT_PACKED = 0x80000000;
const LEAST_MATCH = 4;

/** Unpacks one LZ4 frame; its checksums are passed over. @throws TooMuch, or Error where it is damaged. */
export function unlz4(packed: Uint8Array, budget: UnpackBudget): Uint8Array {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  if (bytes.length < 7 || bytes.readUInt32LE(0) !== LZ4_MAGIC) throw new Error(LZ4_DAMAGED);
  const flags = bytes[4]!;
  const [hasBlockSums, hasSize, hasDictionary] = [(flags & 16) !== 0, (flags & 8) !== 0, (flags & 1) !== 0];
  if (flags >> 6 !== 1 || hasDictionary) throw new Error(LZ4_DAMAGED);
  const out = new Lz4Output(budget);
  for (let at = 7 + (hasSize ? 8 : 0); ; ) {
    if (at + 4 > bytes.length) throw new Error(LZ4_DAMAGED);
    const head = bytes.readUInt32LE(at);
    at += 4;
    if (head === 0) return out.bytes();
    const length = head % NOT_PACKED;
    if (at + length > bytes.length) throw new Error(LZ4_DAMAGED);
    const block = bytes.subarray(at, at + length);
    if (head >= NOT_PACKED) out.literals(block);
    else unlz4Block(block, out);
    at += length + (hasBlockSums ? 4 : 0);
  }
}

/** Literals and matches by turns; the last sequence has literals alone. */
function unlz4Block(block: Uint8Array, out: Lz4Output): void {
  let at = 0;
  /** A length whose four bits are all set goes on in bytes, up to the first below 255. */
  const lengthFrom = (bits: number): number => {
    let length = bits;
    for (let byte = bits === 15 ? 255 : 0; byte === 255; length += byte) {
      if (at >= block.length) throw new Error(LZ4_DAMAGED);
      byte = block[at++]!;
    }
    return length;
  };
  while (at < block.length) {
    const token = block[at++]!;
    const count = lengthFrom(token >> 4);
    if (at + count > block.length) throw new Error(LZ4_DAMAGED);
    out.literals(block.subarray(at, at + count));
    at += count;
    if (at === block.length) return;
    if (at + 2 > block.length) throw new Error(LZ4_DAMAGED);
    const back = block[at]! | (block[at + 1]! << 8);
    at += 2;
    out.match(back, lengthFrom(token & 15) + LEAST_MATCH);
  }
}

/** What an LZ4 frame unpacks to, so far. */
class Lz4Output {
  readonly #budget: UnpackBudget;
  #bytes = new Uint8Array(1 << 16);
  #length = 0;

  constructor(budget: UnpackBudget) {
    this.#budget = budget;
  }

  literals(bytes: Uint8Array): void {
    this.#makeRoom(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Repeats `count` bytes from `back` bytes before the end on; those that it writes itself may be among them. */
  match(back: number, count: number): void {
    if (back === 0 || back > this.#length) throw new Error(LZ4_DAMAGED);
    this.#makeRoom(count);
    const bytes = this.#bytes;
    const end = this.#length + count;
    for (let at = this.#length; at < end; at++) bytes[at] = bytes[at - back]!;
    this.#length = end;
  }

  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #makeRoom(count: number): void {
    this.#budget.take(count);
    if (this.#length + count <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#length + count, 2 * this.#bytes.length));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
