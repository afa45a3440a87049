import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';

const BLOCK_BYTES = 1 << 20;

/** SHA-256 of a file's bytes in hex, in bounded memory. */
export function fileSha256(path: string): string {
  const hash = createHash('sha256');
  const block = Buffer.allocUnsafe(BLOCK_BYTES);
  const file = openSync(path, 'r');
  try {
    for (let read = readSync(file, block); read > 0; read = readSync(file, block)) hash.update(block.subarray(0, read));
  } finally {
    closeSync(file);
  }
  return hash.digest('hex');
}
