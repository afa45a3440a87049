import { randomUUID } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A folder for bundled strategies that only this user can write: what lies there is run. A folder of that
 * name that somebody else made, or a link, is passed over for a fresh one.
 */
export function moduleCacheFolder(): string {
  const user = process.getuid?.();
  const folder = join(tmpdir(), `tidegate-modules-${user ?? 'user'}`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const found = lstatSync(folder);
    if (found.isDirectory() && (user === undefined || found.uid === user)) {
      chmodSync(folder, 0o700);
      return realpathSync(folder);
    }
  } catch {
    // A file of that name, or no right to it: a fresh folder serves as well.
  }
  return realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-modules-')));
}

/** Puts a module into the folder: whole or not at all, also when two processes do it at once. */
export function writeModule(folder: string, name: string, code: string): string {
  const file = join(folder, name);
  try {
    if (readFileSync(file, 'utf8') === code) return file;
  } catch {
    // Not there yet.
  }
  const part = join(folder, `${name}.${randomUUID()}.part`);
  writeFileSync(part, code, { mode: 0o600 });
  renameSync(part, file);
  return file;
}
