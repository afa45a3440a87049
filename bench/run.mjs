// npm run bench [-- --json] [-- --alternatives] [-- names...]: each case in a process of its own, one after another.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ALTERNATIVES } from './alternatives/alternatives.mjs';
import { CASES } from './cases/cases.mjs';

// A replay makes a short-lived object for every market event: with a larger nursery fewer of them are moved.
// The command line gives its backtest thread a smaller one, which keeps its memory low.
const FLAGS = ['--max-semi-space-size=128', '--min-semi-space-size=128'];
const CASE = fileURLToPath(new URL('case.mjs', import.meta.url));
const words = process.argv.slice(2);
const json = words.includes('--json');
const known = [...Object.keys(CASES), ...Object.keys(ALTERNATIVES)];
const named = words.filter((word) => !word.startsWith('--'));
const unknown = named.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`no such case: ${unknown.join(', ')}; there are: ${known.join(', ')}`);
  process.exit(2);
}
const all = words.includes('--alternatives') ? known : Object.keys(CASES);

const rows = [];
for (const name of named.length > 0 ? named : all) {
  if (!json) process.stderr.write(`${name} ...\n`);
  const { status, stdout, stderr } = spawnSync(process.execPath, [...FLAGS, CASE, name], { encoding: 'utf8' });
  if (status !== 0) {
    process.stderr.write(stderr);
    process.exit(1);
  }
  rows.push(...JSON.parse(stdout));
}
if (json) process.stdout.write(`${JSON.stringify(rows)}\n`);
else {
  console.table(
    Object.fromEntries(
      rows.map(({ name, nsPerEvent, eventsPerSecond, ratioToBare, detail }) => [
        name,
        { nsPerEvent, eventsPerSecond, ratioToBare, detail },
      ]),
    ),
  );
}
