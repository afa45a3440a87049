import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { TidegateError } from '../../../model/errors.ts';
import { type ByteSource, gzipBytes, zipBytes } from './zip-entry.ts';

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
