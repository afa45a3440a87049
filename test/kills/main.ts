import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runKills } from './drive.ts';
import type { KillMarkets } from './place.ts';

// One bot at one exchange, its result as a line of JSON. Called by scripts/kills.mjs with the project's folder, how many kills,
// the number of the first, a seed, and what is traded.
const [root = '.', times = '200', first = '0', seed = '1', markets = 'spot'] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'tidegate-kills-'));
// Nothing of the run outlives it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const say = (line: string) => process.stderr.write(`seed ${seed}: ${line}\n`);
const result = await runKills({
  root,
  folder,
  times: Number(times),
  first: Number(first),
  seed: Number(seed),
  markets: markets as KillMarkets,
  say,
});
if (result.wrong.length === 0) rmSync(folder, { recursive: true });
else say(`kept for a look: ${folder}`);
process.stdout.write(`${JSON.stringify({ ...result, inCommits: Object.fromEntries(result.inCommits) })}\n`);
