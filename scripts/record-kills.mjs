// npm run record-kills -- [--times N] [--seed S]: the built recorder as a process, killed again and again at a local exchange that
// fails. Then every poll that it said to be on disk has to be in the record, once and in order, and no log torn.
// Kills come by the wall's clock: a seed gives the same kind of run, not the same run.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildIfNeeded, installIfNeeded, requireNode, root } from './tools.mjs';

requireNode();
await installIfNeeded();
await buildIfNeeded();
const { rolldown } = await import('rolldown');
const cache = join(root, 'node_modules/.cache/tidegate');
const program = join(cache, 'record-kills.mjs');
mkdirSync(cache, { recursive: true });
const bundle = await rolldown({
  input: join(root, 'test/record-kills/main.ts'),
  platform: 'node',
  external: [/^[^./]/],
  logLevel: 'silent',
});
await bundle.write({ file: program, format: 'esm', sourcemap: true });

const number = (name, otherwise) => {
  const at = process.argv.indexOf(`--${name}`);
  const value = at < 0 ? otherwise : Number(process.argv[at + 1]);
  if (Number.isSafeInteger(value) && value > 0) return value;
  console.error(`--${name} is a whole number above 0`);
  process.exit(2);
};
const started = performance.now();
const words = [program, root, number('times', 100), number('seed', 1)].map(String);
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
