import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';

const made: string[] = [];

/** A fresh folder outside the project, gone when the test file that asked for it has run. */
export function temporaryFolder(name = 'test'): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `tidegate-${name}-`)));
  made.push(folder);
  return folder;
}

export function removeTemporaryFolders(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
}

// Every test file has its own copy of this module, so this runs once after each that imports it.
afterAll(removeTemporaryFolders);
