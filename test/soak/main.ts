import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { soak } from './soak.ts';

// One soak: a line of JSON an hour of simulated time, and one at the end. Called by scripts/soak.mjs.
const [hours = 24, seed = 1] = process.argv.slice(2).map(Number);
const program = process.argv[4]!;
const folder = mkdtempSync(join(tmpdir(), 'tidegate-soak-'));
const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);
let unhandled = 0;
process.on('unhandledRejection', (error) => {
  unhandled++;
  process.stderr.write(`unhandled rejection: ${error instanceof Error ? error.stack : String(error)}\n`);
});
const progress = (hour: number, requests: number, { mb }: { readonly mb: number }) => say({ hour, requests, mb });
const result = await soak({ hours, seed, folder, program, progress });
say({ ...result, unhandled });
rmSync(folder, { recursive: true, force: true });
process.exit(0);
