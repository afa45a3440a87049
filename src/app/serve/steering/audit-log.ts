import { closeSync, fstatSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { AuditLine } from '../api/access-schemas.ts';

/** So much of the end of a file is read, in bytes. */
const TAIL_BYTES = 1 << 20;

/** The acts of operators and their outcomes: a file of JSON lines that only its user reads, and that only grows. */
export class AuditLog {
  constructor(readonly path: string) {}

  /** @returns why it could not be written: an act does not wait for a full disk. */
  add(line: AuditLine): string | undefined {
    try {
      mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
      const file = openSync(this.path, 'a', 0o600);
      try {
        writeSync(file, `${JSON.stringify(line)}\n`);
      } finally {
        closeSync(file);
      }
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }

  /** The newest lines, the newest first. */
  last(count: number): AuditLine[] {
    return tailOf(this.path)
      .flatMap((text) => {
        try {
          const { success, data } = AuditLine.safeParse(JSON.parse(text));
          return success ? [data] : [];
        } catch {
          // A line that was cut by a full disk.
          return [];
        }
      })
      .slice(-count)
      .reverse();
  }
}

/** The last lines of a file, in its order; none without it. The first may be cut. @throws the error of the file system */
export function tailOf(path: string, bytes = TAIL_BYTES): string[] {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  try {
    const { size } = fstatSync(file);
    const buffer = Buffer.alloc(Math.min(size, bytes));
    const read = readSync(file, buffer, 0, buffer.length, size - buffer.length);
    const lines = buffer.toString('utf8', 0, read).split('\n');
    // A line that begins before is shown by nobody.
    if (size > bytes) lines.shift();
    return lines.filter((line) => line !== '');
  } finally {
    closeSync(file);
  }
}
