// npm run bench -- --help lists options and cases. Each case runs in a process of its own.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ALTERNATIVES } from './alternatives/alternatives.mjs';
import { CASES } from './cases/cases.mjs';
import { buildTree, compareCase, PAIRS } from './lib/against.mjs';

// A replay makes a short-lived object for every market event: with a larger nursery fewer of them are moved.
// The command line gives its backtest thread a smaller one, which keeps its memory low.
const FLAGS = ['--max-semi-space-size=128', '--min-semi-space-size=128'];
const CASE = fileURLToPath(new URL('case.mjs', import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean', short: 'h' },
    json: { type: 'boolean' },
    alternatives: { type: 'boolean' },
    against: { type: 'string' },
    pairs: { type: 'string', default: String(PAIRS) },
  },
});
const HELP = `npm run bench -- [options] [cases]

Measures each case in a process of its own. Without names: all cases.

  --json             print the rows as JSON
  --alternatives     measure the designs that lost too
  --against <ref>    build this git ref in a temporary worktree, run each case on both trees in turn, and print the other tree's time
                     as a multiple of this tree's: minimum, median and maximum. The table also has the ratios of CPU time and both peaks of memory of processes
  --pairs <n>        pairs of runs for --against (${PAIRS} by default; process-turnover-1m always has one)

cases: ${Object.keys(CASES).join(', ')}
alternatives: ${Object.keys(ALTERNATIVES).join(', ')}

docs/explanation/benchmarks.md says what each case does. Examples:

  npm run bench -- engine-quotes
  npm run bench -- --against 7eee8eb --pairs 3 process-start process-bars-1m process-turnover-100k process-quotes-10m
`;
const { json = false, alternatives = false, against } = values;
if (values.help === true) {
  process.stdout.write(HELP);
  process.exit(0);
}
const pairs = Number(values.pairs);
if (!/^[1-9]\d*$/.test(values.pairs)) {
  console.error(`--pairs is a whole number above 0, not ${values.pairs}`);
  process.exit(2);
}
const known = [...Object.keys(CASES), ...Object.keys(ALTERNATIVES)];
const unknown = positionals.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`no such case: ${unknown.join(', ')}; there are: ${known.join(', ')}`);
  process.exit(2);
}
const names = positionals.length > 0 ? positionals : alternatives ? known : Object.keys(CASES);
const rows = against === undefined ? names.flatMap(measured) : await compared(against);
if (json) process.stdout.write(`${JSON.stringify(rows)}\n`);
else console.table(Object.fromEntries(rows.map(({ name, events: _, ...columns }) => [name, columns])));

function measured(name) {
  announce(name);
  const { status, stdout, stderr } = spawnSync(process.execPath, [...FLAGS, CASE, name], { encoding: 'utf8' });
  if (status === 0) return JSON.parse(stdout);
  process.stderr.write(stderr);
  process.exit(1);
}

/** Each case on this tree and on another, in turn; `timesAsFast` is minimum, median and maximum of the pairs. */
async function compared(ref) {
  announce(`building ${ref}`);
  const other = buildTree(ref);
  try {
    const done = [];
    for (const name of names) {
      announce(name);
      const row = await compareCase(name, other.folder, { flags: FLAGS, most: pairs, announce });
      if (row.timesAsFast !== undefined) announce(`${name}: ${row.timesAsFast} times as fast`);
      done.push(row);
    }
    return done;
  } finally {
    other.remove();
  }
}

function announce(text) {
  if (!json) process.stderr.write(`${text} ...\n`);
}
