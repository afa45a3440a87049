import { Decompress } from 'fzstd';

/** The allowed unpacked size of any packed file, in bytes. */
const SMALLEST_LIMIT = 1 << 26;
/** The largest allowed ratio of unpacked to packed size. Tightly packed market data is below a third of it. */
const LARGEST_RATIO = 200;

/** Error for a packed file that becomes larger than one of market data does. */
export class TooMuch extends Error {
  constructor() {
    super(
      `it unpacks to more than ${LARGEST_RATIO} times its size and more than ${SMALLEST_LIMIT / 2 ** 20} MiB; if that is right, unpack it first and import the plain file`,
    );
  }
}

/** The largest allowed unpacked size of a packed file, in bytes. */
export function unpackLimit(packedBytes: number): number {
  return Math.max(SMALLEST_LIMIT, packedBytes * LARGEST_RATIO);
}

/** Counts the output of a packed file, which a manipulated file could make larger than any disk. */
export class UnpackBudget {
  readonly #limit: number;
  #used = 0;

  /** @param packedBytes size of the file. */
  constructor(packedBytes: number) {
    this.#limit = unpackLimit(packedBytes);
  }

  /** Bytes that are still allowed. */
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

/** Packed bytes that are read in order. */
export interface PackedBytes {
  /** Bytes that are not read yet. */
  readonly left: number;
  /** The next bytes: exactly `count`. @throws Error where there are fewer. */
  take(count: number): Buffer;
}

const PACKED_PIECE = 1 << 16;

/** Unpacks one Zstandard frame piece by piece. @throws TooMuch, or Error where it is damaged. */
export function* zstdPieces(packed: PackedBytes, budget: UnpackBudget): Generator<Uint8Array> {
  const pieces: Uint8Array[] = [];
  const unpacking = new Decompress((piece) => {
    budget.take(piece.length);
    if (piece.length > 0) pieces.push(piece.slice());
  });
  for (let isFirst = true; isFirst || packed.left > 0; isFirst = false) {
    const bytes = packed.take(Math.min(packed.left, PACKED_PIECE));
    // The library allocates the window before it reads on.
    if (isFirst && zstdWindow(bytes) > budget.left) throw new TooMuch();
    unpacking.push(bytes, packed.left === 0);
    yield* pieces;
    pieces.length = 0;
  }
}

/** Unpacks the Zstandard frames of a file, piece by piece. */
export class ZstdUnpacking {
  readonly #unpacking: Decompress;
  readonly #budget: UnpackBudget;
  #begun = false;

  /** @param give takes the unpacked bytes. */
  constructor(give: (piece: Uint8Array) => void, budget: UnpackBudget) {
    this.#budget = budget;
    this.#unpacking = new Decompress((piece) => give(piece));
  }

  /** @param piece the first one has at least the header of a frame. @throws TooMuch, or Error where it is damaged. */
  push(piece: Buffer): void {
    if (!this.#begun && zstdWindow(piece) > this.#budget.left) throw new TooMuch();
    this.#begun = true;
    this.#unpacking.push(piece);
  }

  /** @throws Error where the last frame does not end. */
  end(): void {
    this.#unpacking.push(new Uint8Array(0), true);
  }
}

/** Size in bytes of a frame's window, from its header (RFC 8878, 3.1.1.1). */
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
const FARTHEST_MATCH = 65_535;

/** Unpacks one LZ4 frame block by block; its checksums are skipped. @throws TooMuch, or Error where it is damaged. */
export function* lz4Pieces(packed: PackedBytes, budget: UnpackBudget): Generator<Uint8Array> {
  const take = (count: number) => {
    if (count > packed.left) throw new Error(LZ4_DAMAGED);
    return packed.take(count);
  };
  const header = take(7);
  const flags = header[4]!;
  const [hasBlockSums, hasSize, hasDictionary] = [(flags & 16) !== 0, (flags & 8) !== 0, (flags & 1) !== 0];
  if (header.readUInt32LE(0) !== LZ4_MAGIC || flags >> 6 !== 1 || hasDictionary) throw new Error(LZ4_DAMAGED);
  if (hasSize) take(8);
  const out = new Lz4Output(budget);
  for (;;) {
    const head = take(4).readUInt32LE(0);
    if (head === 0) return;
    const block = take(head % NOT_PACKED);
    if (head >= NOT_PACKED) out.literals(block);
    else unlz4Block(block, out);
    if (hasBlockSums) take(4);
    yield out.newBytes();
  }
}

/** Literals and matches alternate; the last sequence has literals alone. */
function unlz4Block(block: Uint8Array, out: Lz4Output): void {
  let at = 0;
  /** A length whose four bits are all set continues in bytes, up to the first below 255. */
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

/** The output of an LZ4 frame so far. */
class Lz4Output {
  readonly #budget: UnpackBudget;
  #bytes = new Uint8Array(1 << 16);
  #length = 0;
  /** End of the bytes that were returned. */
  #given = 0;

  constructor(budget: UnpackBudget) {
    this.#budget = budget;
  }

  literals(bytes: Uint8Array): void {
    this.#makeRoom(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Repeats `count` bytes, starting `back` bytes before the end; they may include bytes that it writes itself. */
  match(back: number, count: number): void {
    if (back === 0 || back > this.#length) throw new Error(LZ4_DAMAGED);
    this.#makeRoom(count);
    const bytes = this.#bytes;
    const end = this.#length + count;
    for (let at = this.#length; at < end; at++) bytes[at] = bytes[at - back]!;
    this.#length = end;
  }

  /** The bytes since the last call. Of the ones before, only those that a match can repeat are kept. */
  newBytes(): Uint8Array {
    const bytes = this.#bytes.slice(this.#given, this.#length);
    const kept = Math.min(this.#length, FARTHEST_MATCH);
    this.#bytes.copyWithin(0, this.#length - kept, this.#length);
    this.#length = kept;
    this.#given = kept;
    return bytes;
  }

  #makeRoom(count: number): void {
    this.#budget.take(count);
    if (this.#length + count <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#length + count, 2 * this.#bytes.length));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
