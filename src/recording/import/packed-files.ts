import { closeSync, createReadStream, mkdirSync, mkdtempSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { TidegateError } from '../../model/errors.ts';
import type { SeriesKind } from '../columns/series-meta.ts';
import { writeWhole } from '../files.ts';
import { requireReadable } from './foreign-files.ts';
import type { InputPlace } from './line-source.ts';
import { npzToText } from './npz.ts';
import { withTables } from './tables/open-tables.ts';
import type { Table } from './tables/table.ts';
import { UnpackBudget, ZstdUnpacking } from './unpack.ts';

const BLOCK_BYTES = 1 << 16;

/** Packings that an import cannot read piece by piece, by the first bytes of their files. */
const PACKINGS: readonly { readonly name: string; readonly ending: RegExp; readonly magic: string; readonly unpack: Unpack }[] = [
  { name: 'xz', ending: /\.xz$/, magic: 'fd377a585a00', unpack: unxz },
  { name: 'Zstandard', ending: /\.(zst|zstd)$/, magic: '28b52ffd', unpack: unzst },
  { name: 'bzip2', ending: /\.bz2$/, magic: '425a68', unpack: unbzip2 },
];

/** Unpacks a file and gives away its bytes in pieces. @throws Error where it is damaged or cut. */
type Unpack = (file: string, give: (piece: Uint8Array) => void, budget: UnpackBudget) => Promise<void>;

/**
 * Makes files that an import reads: those packed by xz, Zstandard or bzip2 and those of NumPy are unpacked in a
 * temporary folder, which is gone afterwards.
 * @param use takes the files under their own names, and the Parquet and Arrow files among them by place.
 * @throws TidegateError DATA_INVALID for a damaged file, by its own name.
 */
export async function withReadableFiles<T>(
  files: readonly string[],
  kind: SeriesKind,
  use: (places: readonly InputPlace[], tables: ReadonlyMap<string, Table>) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-unpacked-'));
  try {
    const plain: string[] = [];
    for (const [index, file] of files.entries()) plain.push(await unpacked(file, kind, join(folder, String(index))));
    const places = plain.map((file, index) => ({ path: files[index]!, file }));
    return await withTables(plain, (tables) => use(places, tables));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The file itself, or its unpacked copy. */
async function unpacked(file: string, kind: SeriesKind, folder: string): Promise<string> {
  requireReadable(file);
  const magic = firstBytes(file).toString('hex');
  const packing = PACKINGS.find((candidate) => magic.startsWith(candidate.magic));
  const isNpz = packing === undefined && /\.np[yz]$/.test(file);
  if (packing === undefined && !isNpz) return file;
  const out = join(folder, basename(file).replace(packing?.ending ?? /$/, ''));
  mkdirSync(dirname(out), { recursive: true });
  const target = openSync(out, 'w');
  try {
    const budget = new UnpackBudget(statSync(file).size);
    const give = (piece: Uint8Array) => {
      budget.take(piece.length);
      writeWhole(target, piece);
    };
    if (packing === undefined) npzToText(file, kind, give);
    else await packing.unpack(file, give, budget);
    return out;
  } catch (cause) {
    if (cause instanceof TidegateError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const what = packing === undefined ? 'cannot be read as NumPy' : `cannot be unpacked as ${packing.name}`;
    throw new TidegateError('DATA_INVALID', `${file}: ${what}: ${reason}`, { cause });
  } finally {
    closeSync(target);
  }
}

/** The first bytes; none where the file cannot be read, which the import reports. */
function firstBytes(file: string): Buffer {
  const bytes = Buffer.alloc(6);
  try {
    const descriptor = openSync(file, 'r');
    try {
      return bytes.subarray(0, readSync(descriptor, bytes));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return Buffer.alloc(0);
  }
}

async function unxz(file: string, give: (piece: Uint8Array) => void): Promise<void> {
  const { default: xz } = await import('xz-decompress');
  const packed = Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>;
  for await (const piece of new xz.XzReadableStream(packed)) give(piece);
}

async function unzst(file: string, give: (piece: Uint8Array) => void, budget: UnpackBudget): Promise<void> {
  const unpacking = new ZstdUnpacking(give, budget);
  for await (const piece of createReadStream(file)) unpacking.push(piece as Buffer);
  unpacking.end();
}

/** Ends each stream of bzip2: 48 bits, then a checksum of 32 and up to 7 bits that fill its last byte. */
const STREAM_END = 0x177245385090n;

async function unbzip2(file: string, give: (piece: Uint8Array) => void): Promise<void> {
  const { default: Bunzip } = await import('seek-bzip');
  const descriptor = openSync(file, 'r');
  try {
    const { size } = statSync(file);
    requireStreamEnd(descriptor, size);
    const input = Buffer.alloc(BLOCK_BYTES);
    let [at, filled, passed] = [0, 0, 0];
    const output = Buffer.alloc(BLOCK_BYTES);
    let written = 0;
    const flush = () => {
      give(output.subarray(0, written));
      written = 0;
    };
    const readByte = () => {
      if (at === filled) {
        filled = readSync(descriptor, input, 0, input.length, passed);
        passed += filled;
        at = 0;
        if (filled === 0) throw new Error('the file ends too early');
      }
      return input[at++]!;
    };
    // The library calls a function that Node reports as out of date.
    const { noDeprecation } = process;
    process.noDeprecation = true;
    try {
      Bunzip.decode(
        {
          readByte,
          read: (target, offset, count) => {
            for (let index = 0; index < count; index++) target[offset + index] = readByte();
            return count;
          },
          eof: () => at === filled && passed >= size,
        },
        {
          writeByte: (byte) => {
            output[written++] = byte;
            if (written === output.length) flush();
          },
        },
        true,
      );
    } finally {
      process.noDeprecation = noDeprecation ?? false;
    }
    flush();
  } finally {
    closeSync(descriptor);
  }
}

/** The library takes a file that ends between two blocks for a whole one. */
function requireStreamEnd(descriptor: number, size: number): void {
  const tail = Buffer.alloc(Math.min(size, 11));
  readSync(descriptor, tail, 0, tail.length, size - tail.length);
  const bits = BigInt(`0x${tail.toString('hex')}`);
  const ends = [0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n].some((padding) => ((bits >> (32n + padding)) & 0xffffffffffffn) === STREAM_END);
  if (!ends) throw new Error('the file ends too early');
}
