// npm run record-kills -- [--times N] [--seed S]: the built recorder as a process, killed again and again at a local exchange that
// fails. Then every poll that it said to be on disk has to be in the record, once and in order, and no log torn.
// Kills come by the wall's clock: a seed gives the same kind of run, not the same run.
import { spawn } from 'node:child_process';
import { bundledProof, countOption } from './long-proof.mjs';
import { buildIfNeeded, installIfNeeded, requireNode, root } from './tools.mjs';

requireNode();
await installIfNeeded();
await buildIfNeeded();
const program = await bundledProof('record-kills');
const started = performance.now();
const words = [program, root, countOption('times', 100), countOption('seed', 1)].map(String);
const child = spawn(process.execPath, ['--enable-source-maps', ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
let text = '';
child.stdout.on('data', (chunk) => {
  text += chunk;
});
const code = await new Promise((resolve) => child.on('close', resolve));
if (code !== 0) process.exit(1);
const { kills, starting, acknowledged, logs, torn, gaps, wrong } = JSON.parse(text);
for (const one of wrong.slice(0, 50)) console.log(`  ${one}`);
const seconds = Math.round((performance.now() - started) / 1000);
console.log(
  `${kills} kills, ${wrong.length} wrong: ${starting} while starting, ${acknowledged} polls acknowledged, ${logs} logs of which ${torn} were torn, ${gaps} gaps in ${seconds} s`,
);
process.exitCode = wrong.length === 0 ? 0 : 1;
