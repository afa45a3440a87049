import { Buffer } from 'node:buffer';

/**
 * A column of text as SQL that gives its bytes: the driver ends the whole process over text that is not UTF-8, which
 * is what an overwritten byte makes of it.
 */
export function bytesOf(column: string): string {
  return `CAST(${column} AS BLOB)`;
}

/** The text of such bytes; what is not UTF-8 becomes something that no checksum fits. */
export function textOf(bytes: Uint8Array | null): string {
  return bytes === null ? '' : Buffer.from(bytes).toString('utf8');
}
