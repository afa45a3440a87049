import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runRecordKills } from './drive.ts';

// One recorder at one exchange, its result as a line of JSON. Called by scripts/record-kills.mjs with the project's folder, how
// many kills, and a seed.
const [root = '.', times = '100', seed = '1'] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'tidegate-record-kills-'));
// Nothing of the run outlives it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const say = (line: string) => process.stderr.write(`${line}\n`);
const result = await runRecordKills({ root, folder, times: Number(times), seed: Number(seed), say });
if (result.wrong.length === 0) rmSync(folder, { recursive: true });
else say(`kept for a look: ${folder}`);
process.stdout.write(`${JSON.stringify(result)}\n`);
