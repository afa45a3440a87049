import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { TidegateError } from '../../model/errors.ts';

/**
 * Makes the folder a run writes to: the given one, which must be absent or empty, or else the first free
 * `runs/<name>-<n>` of the current folder. Making it claims it: two runs at once get two folders.
 * @throws TidegateError OUT_NOT_EMPTY
 */
export function makeOutFolder(name: string, given: string | undefined): string {
  if (given !== undefined) return makeGiven(resolve(given));
  mkdirSync('runs', { recursive: true });
  for (let n = 1; ; n++) {
    const folder = resolve('runs', `${name}-${n}`);
    try {
      mkdirSync(folder);
      return folder;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

function makeGiven(folder: string): string {
  if (existsSync(folder)) {
    if (!statSync(folder).isDirectory())
      throw new TidegateError('OUT_NOT_EMPTY', `--out ${folder}: is a file; expected a folder that is absent or empty`);
    const [first] = readdirSync(folder);
    if (first !== undefined) {
      throw new TidegateError('OUT_NOT_EMPTY', `--out ${folder}: holds ${join(folder, first)}; expected a folder that is absent or empty`);
    }
  }
  mkdirSync(folder, { recursive: true });
  return folder;
}
