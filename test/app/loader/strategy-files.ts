import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Writes files into a fresh folder outside the project and returns the folder. */
export function writeFiles(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder('strategies');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** A stand-in for the framework's index: strategies are told by a mark on the base class. */
const INDEX = 'export class Strategy { static isStrategyMark = true; }\nexport const copies = { index: import.meta.url };\n';

export function standInIndex(): string {
  return pathToFileURL(join(writeFiles({ 'index.mjs': INDEX }), 'index.mjs')).href;
}

export function isMarked(candidate: unknown): boolean {
  return typeof candidate === 'function' && 'isStrategyMark' in candidate;
}
