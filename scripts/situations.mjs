// npm run situations -- [--only TEXT]... [--short] [--jobs J] [--width W] [--times]: the built bot as a process in each situation, and each
// command to it, at a local exchange; compares what is left there, the exit code and the status with the rules of test/situations/rules.ts.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import { bundledProof, countOption } from './long-proof.mjs';
import { buildIfNeeded, installIfNeeded, requireNode, root } from './tools.mjs';

requireNode();
await installIfNeeded();
await buildIfNeeded();
const program = await bundledProof('situations');
const jobs = countOption('jobs', availableParallelism());
// Cells mostly wait, so each process runs some at once.
const width = countOption('width', 3);
const isShort = process.argv.includes('--short');
const only = process.argv.flatMap((one, at) => (one === '--only' ? [process.argv[at + 1] ?? ''] : []));

if (process.argv.includes('--times')) process.exit(await times());

const started = performance.now();
const results = [];
const work = (job) =>
  new Promise((resolve) => {
    const args = [root, job, jobs, width, isShort ? 'short' : '', ...only].map(String);
    const child = spawn(process.execPath, ['--enable-source-maps', program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const result = JSON.parse(line);
      results.push(result);
      const wrong = result.wrong.map((text) => `\n    ${text}`).join('');
      console.log(`${result.wrong.length === 0 ? 'ok   ' : 'WRONG'} ${result.title} (${result.seconds.toFixed(1)} s)${wrong}`);
    });
    child.on('close', resolve);
  });
const codes = await Promise.all(Array.from({ length: jobs }, (_, job) => work(job)));
const wrong = results.filter((result) => result.wrong.length > 0).length;
console.log(`${results.length} cells, ${wrong} wrong, in ${Math.round((performance.now() - started) / 1000)} s`);
process.exitCode = wrong === 0 && results.length > 0 && codes.every((code) => code === 0) ? 0 : 1;

/** Prints the time from `kill --flatten` to the close at the exchange as a table. @returns the exit code. */
async function times() {
  const measured = await bundledProof('situations', 'times');
  const rows = new Map();
  const child = spawn(process.execPath, ['--enable-source-maps', measured, root, ...only], { stdio: ['ignore', 'pipe', 'inherit'] });
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { title, market, ms, error } = JSON.parse(line);
    console.error(`${title}, ${market}: ${error ?? `${ms} ms`}`);
    rows.set(title, { ...rows.get(title), [market]: error === undefined ? `${(ms / 1000).toFixed(1)} s` : 'not closed' });
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  console.log('| situation | spot | futures |\n|---|---|---|');
  for (const [title, { spot, futures }] of rows) console.log(`| ${title} | ${spot ?? '-'} | ${futures ?? '-'} |`);
  return code;
}
