import { createHash } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  rmdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { TidegateError } from '../model/errors.ts';

// Folders and files that writers fill: temporary until they are complete, durable afterwards.

/** Prefix of every folder that a writer fills before its series is complete. */
const TEMPORARY_PREFIX = '.writing-';

const STALE_AFTER_MS = 3_600_000;

interface TemporaryFile {
  readonly temporary: string;
  /** The file `bin` in the temporary folder, open for writing. */
  readonly file: number;
  /** The outermost folder that had to be created; undefined when `folder` existed. */
  readonly firstCreated: string | undefined;
}

/**
 * Creates `folder` and a temporary folder in it, and opens the file to fill.
 * @throws TidegateError DATA_INVALID naming the folder when it cannot be written to.
 */
export function openTemporary(folder: string): TemporaryFile {
  let firstCreated: string | undefined;
  try {
    firstCreated = mkdirSync(folder, { recursive: true });
    const temporary = mkdtempSync(join(folder, TEMPORARY_PREFIX));
    sweepLeftovers(folder, temporary, TEMPORARY_PREFIX);
    return { temporary, file: openSync(join(temporary, 'bin'), 'wx'), firstCreated };
  } catch (cause) {
    removeEmptyFolders(folder, firstCreated);
    throw cannotWrite(folder, cause);
  }
}

/**
 * Writes all of the content, at the end of the file or at this position: one system call may write only a part.
 * @returns the bytes written.
 * @throws the system's error, such as ENOSPC.
 */
export function writeWhole(file: number, content: string | Uint8Array, position?: number): number {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  for (let written = 0; written < bytes.length; ) {
    written += writeSync(file, bytes, written, bytes.length - written, position === undefined ? null : position + written);
  }
  return bytes.length;
}

/** DATA_INVALID for a folder that cannot be written to. */
export function cannotWrite(folder: string, cause: unknown): TidegateError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new TidegateError('DATA_INVALID', `${folder}: cannot be written to (${reason}); --data-dir sets another place`, { cause });
}

/** Removes `folder` and its parents up to and including `top` while they are empty; nothing without a `top`. */
export function removeEmptyFolders(folder: string, top: string | undefined): void {
  if (top === undefined) return;
  for (let path = folder; path.length >= top.length; path = dirname(path)) {
    try {
      rmdirSync(path);
    } catch {
      return;
    }
    if (path === top || dirname(path) === path) return;
  }
}

/** Makes the names in a folder durable. */
export function syncFolder(folder: string): void {
  const file = openSync(folder, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function newestChange(folder: string): number {
  try {
    return Math.max(statSync(folder).mtimeMs, ...readdirSync(folder).map((name) => statSync(join(folder, name)).mtimeMs));
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/**
 * Removes what killed writers left in `folder`: folders whose names begin with `prefix` and that nothing has changed for an hour (or
 * `staleAfterMs`) before `fresh`, which was created just now. Younger ones may belong to a running writer.
 */
export function sweepLeftovers(folder: string, fresh: string, prefix: string, staleAfterMs = STALE_AFTER_MS): void {
  const now = statSync(fresh).mtimeMs;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (name.startsWith(prefix) && now - newestChange(path) > staleAfterMs) rmSync(path, { recursive: true, force: true });
  }
}

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
