import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DiskCase, sampleOf } from './disk.ts';
import { recorderCases, runRecording } from './recording.ts';
import { compileShim } from './shim.ts';
import { runTrading, tradingCases } from './trading.ts';

// Called by scripts/disk-faults.mjs with the project's folder, the stride, the most cases of all jobs (0: all), the number of this
// job, how many jobs there are, and a seed.
const [root = '.', ...numbers] = process.argv.slice(2);
const [every = 1, times = 0, job = 0, jobs = 1, seed = 1] = numbers.map(Number);
const folder = mkdtempSync(join(tmpdir(), 'tidegate-disk-faults-'));
const shim = compileShim(root, folder)!;
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const all = [...tradingCases(every), ...recorderCases(every)];
const mine = sampleOf(all, times || all.length, seed).filter((_, index) => index % jobs === job);
const run = async (parts: readonly DiskCase['part'][], name: string, runCases: typeof runTrading) => {
  const cases = mine.filter(({ part }) => parts.includes(part));
  const place = join(folder, name);
  mkdirSync(place);
  return cases.length === 0 ? [] : [await runCases({ root, folder: place, shim, cases, seed: seed + job })];
};
const results = [...(await run(['bot', 'exchange'], 'trading', runTrading)), ...(await run(['recorder'], 'recording', runRecording))];
if (results.every(({ wrong }) => wrong.length === 0)) rmSync(folder, { recursive: true });
else process.stderr.write(`kept for a look: ${folder}\n`);
process.stdout.write(`${JSON.stringify(results)}\n`);
