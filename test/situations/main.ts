import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderOf, runCell } from './drive.ts';
import { CELLS, SHORT, titleOf } from './list.ts';

// The cells of one job, each with its result as a line of JSON. Called by scripts/situations.mjs with the project's folder, the number of
// the job, of how many, how many cells each runs at once, whether only the short form is wanted, and texts that the titles must contain.
const [root = '.', job = '0', jobs = '1', width = '1', short = '', ...only] = process.argv.slice(2);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const folder = mkdtempSync(join(tmpdir(), 'tidegate-situations-'));
const chosen = (short === 'short' ? SHORT : CELLS).filter((cell) => only.every((part) => titleOf(cell).includes(part)));
const own = chosen.filter((_, index) => index % Number(jobs) === Number(job));
let next = 0;
async function work(): Promise<void> {
  while (next < own.length) {
    const index = next++;
    const result = await runCell(own[index]!, root, folderOf(folder, index));
    process.stdout.write(`${JSON.stringify(result)}\n`);
  }
}
await Promise.all(Array.from({ length: Number(width) }, work));
rmSync(folder, { recursive: true, force: true });
process.exit(0);
