import { fstatSync, readSync } from 'node:fs';
import { Gunzip } from 'fflate';
import type { ByteSource } from './byte-source.ts';
import { Unpacking } from './unpacking.ts';

const DAMAGED = 'the gzip file is damaged or cut short';

/** The bytes that an open gzip file of one or several members unpacks to; checksums are verified. Closing closes the file. */
export function gzipBytes(file: number): ByteSource {
  const { size } = fstatSync(file);
  const gunzip = new Gunzip((bytes) => source.give(bytes));
  /** Compares the member that ends at `end` with the CRC-32 and length in its last eight bytes. */
  const verify = (end: number) => {
    const trailer = Buffer.alloc(8);
    readSync(file, trailer, 0, 8, Math.max(0, end - 8));
    if (trailer.readUInt32LE(0) !== source.crc || trailer.readUInt32LE(4) !== source.length % 2 ** 32) throw new Error(DAMAGED);
    source.restart();
  };
  gunzip.onmember = verify;
  const source = new Unpacking(file, 0, size, (packed, last) => {
    try {
      gunzip.push(packed, last);
    } catch (cause) {
      throw new Error(DAMAGED, { cause });
    }
    if (last) verify(size);
  });
  return source;
}
