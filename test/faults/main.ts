import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runSeed } from './drive.ts';

const [from = '1', count = '10', verbose] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'tidegate-faults-'));
const log = { debug() {}, info() {}, warn: (message: string, fields?: unknown) => console.error('warn', message, JSON.stringify(fields)) };
let bad = 0;
const started = performance.now();
let current = 0;
process.on('uncaughtException', (error) => {
  console.log('uncaught in seed', current, (error as Error).stack);
  process.exit(1);
});
for (let seed = Number(from); seed < Number(from) + Number(count); seed++) {
  current = seed;
  const result = await runSeed(seed, join(folder, `${seed}.sqlite`), verbose ? log : undefined);
  if (result.wrong.length > 0 || result.orders < 20) {
    bad++;
    console.log(seed, result.orders, result.fills, result.kills, [...result.struck.keys()].join(','), result.wrong.slice(0, 6));
  } else if (verbose) console.log(seed, 'ok', result.orders, result.fills);
}
console.log(`${count} seeds, ${bad} bad, ${Math.round(performance.now() - started)} ms`);
rmSync(folder, { recursive: true });
