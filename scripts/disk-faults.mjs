// npm run disk-faults -- [--every N] [--times N] [--seed S] [--jobs J]: a bot trades and a recorder records while calls on their files
// fail: reads, writes, fsyncs and opens of journal, write-ahead log, log, mark, lock, heartbeat, address file, recording, and the state
// file of the local exchange. Each call of a short run fails once; with --every each Nth, with --times so many of them.
// At last the journal is compared with the exchange's own records, and the recording with the polls that were reported as stored.
// Needs a C compiler; without one it says so and ends with 0.
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { bundledProof, countOption, resultsOf } from './long-proof.mjs';
import { buildIfNeeded, installIfNeeded, requireNode, root } from './tools.mjs';

requireNode();
const compiler = ['cc', 'gcc', 'clang'].find((name) => spawnSync(name, ['--version']).status === 0);
if (compiler === undefined || process.platform !== 'linux') {
  console.log(`disk-faults skipped: it needs ${process.platform === 'linux' ? 'a C compiler (cc, gcc or clang)' : 'Linux'}`);
  process.exit(0);
}
await installIfNeeded();
await buildIfNeeded();
const program = await bundledProof('disk-faults');
const every = countOption('every', 1);
const times = countOption('times', Number.MAX_SAFE_INTEGER);
const seed = countOption('seed', 1);
// Each job is a bot and an exchange of its own, and waits some 40 s at last.
const jobs = Math.min(countOption('jobs', 2 * availableParallelism()), Math.ceil(times / 5));

const started = performance.now();
const results = await resultsOf(program, jobs, (job) => [root, every, times, job, jobs, seed]);
const whole = results.filter((result) => result !== undefined).flat();
const sum = (figure) => whole.reduce((total, result) => total + result[figure], 0);
const codes = {};
for (const [code, count] of whole.flatMap((result) => Object.entries(result.codes))) codes[code] = (codes[code] ?? 0) + count;
const wrong = whole.flatMap((result) => result.wrong);
for (const one of wrong.slice(0, 50)) console.log(`  ${one}`);
const ends = Object.entries(codes).map(([code, count]) => `${count} with ${code}`);
const seconds = Math.round((performance.now() - started) / 1000);
console.log(
  `${sum('runs')} runs, ${wrong.length} wrong: ended ${ends.join(', ') || 'none'}; ${sum('borne')} went on, ${sum('unreached')} did not come to the call; ${sum('orders')} orders, ${sum('polls')} polls in ${seconds} s`,
);
if (wrong.length > 0) console.log(`the first: ${wrong[0].slice(0, 500)}`);
process.exitCode = wrong.length === 0 && results.every((result) => result !== undefined) ? 0 : 1;
