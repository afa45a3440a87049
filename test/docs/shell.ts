import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

export interface Outcome {
  readonly code: number;
  readonly output: string;
}

/** A folder like a fresh checkout, for commands that docs tell a reader to type. */
export function checkout(): string {
  const folder = temporaryFolder();
  for (const name of ['configs', 'strategies']) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  symlinkSync(join(ROOT, 'bin/tidegate.mjs'), join(folder, 'node_modules/.bin/tidegate'));
  // Other tests write and remove files of data/.cache while this copies, so a copy of it could fail.
  const cache = join(ROOT, 'data/.cache');
  cpSync(join(ROOT, 'data'), join(folder, 'data'), { recursive: true, filter: (from) => from !== cache });
  return folder;
}

/** Runs one command line in the folder; `npx` is spared its own start of half a second. */
export function runLine(folder: string, line: string, env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  const command = line.replace(/^npx tidegate\b/, 'node_modules/.bin/tidegate');
  return new Promise((resolve) => {
    execFile('sh', ['-c', command], { cwd: folder, env: { ...process.env, ...env } }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : 1, output: stdout + stderr });
    });
  });
}
