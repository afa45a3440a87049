import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OWN_FILES } from './own-files.ts';
import { ownVersion } from './own-version.ts';

/** Which Tidegate this is. */
export interface OwnCode {
  readonly version: string;
  /** SHA-256 over its modules as they run, by name: two builds of one version may differ. */
  readonly sha256: string;
}

let known: OwnCode | undefined;

/** The Tidegate that runs, by version and code. */
export function ownCode(): OwnCode {
  known ??= { version: ownVersion(), sha256: hashOfFolder(dirname(fileURLToPath(OWN_FILES.index))) };
  return known;
}

function hashOfFolder(folder: string): string {
  const hash = createHash('sha256');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.[jt]s$/.test(name));
  for (const name of names.sort())
    hash
      .update(`${name.split(sep).join('/')}\0`)
      .update(readFileSync(join(folder, name)))
      .update('\0');
  return hash.digest('hex');
}
