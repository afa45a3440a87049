// npm run lies -- [--cases all|N] [--case NAME] [--of OPERATION] [--jobs J]: a bot trades spot and futures on a local exchange in the same process, under simulated
// time. In each case one field of one reply lies for 10 s. The bot must send nothing that its strategy did not ask for, must not end, must say
// that something is wrong, and must agree with the exchange within a minute, or be halted.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import { bundledProof, countOption } from './long-proof.mjs';
import { installIfNeeded, requireNode } from './tools.mjs';

/** No case takes so long, even on a busy machine: its process does not go on. */
const STALLS_MS = 120_000;

requireNode();
await installIfNeeded();
const program = await bundledProof('lies');
const started = performance.now();
const wordsAfter = (option) => process.argv.flatMap((word, at) => (word === option ? [process.argv[at + 1]] : []));
const run = (words, onLine) =>
  new Promise((resolve) => {
    const node = ['--enable-source-maps', '--max-old-space-size=1500'];
    const child = spawn(process.execPath, [...node, program, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
    const watch = () => setTimeout(() => child.kill('SIGKILL'), STALLS_MS);
    let watched = watch();
    createInterface({ input: child.stdout }).on('line', (line) => {
      clearTimeout(watched);
      watched = watch();
      onLine(JSON.parse(line));
    });
    child.on('close', () => {
      clearTimeout(watched);
      resolve();
    });
  });

let all = [];
await run(['list'], (names) => {
  all = names;
});
const wanted = wordsAfter('--case');
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`there is no case ${unknown.join(', ')}`);
  process.exit(2);
}
const of = wordsAfter('--of');
const listed =
  of.length === 0
    ? all
    : all.filter((name) => of.some((operation) => name.startsWith(`${operation}.`) || name.startsWith(`${operation}:`)));
// A part of them is spread over all: each so-manyth, from a field to the next with another act.
const part = wordsAfter('--cases')[0] === 'all' ? listed.length : Math.min(countOption('cases', 100), listed.length);
const names = wanted.length > 0 ? wanted : Array.from({ length: part }, (_, index) => listed[Math.floor((index * listed.length) / part)]);
const jobs = Math.min(names.length, countOption('jobs', availableParallelism()));

const sums = { cases: 0, wrong: 0, untold: [], equal: 0, halted: 0 };
const take = ({ name, told, wrong, halts }) => {
  sums.cases++;
  if (told === 0) sums.untold.push(name);
  else if (halts.length > 0) sums.halted++;
  else if (wrong.length === 0) sums.equal++;
  if (wrong.length > 0) {
    sums.wrong++;
    console.log(`${name}:\n  ${wrong.join('\n  ')}`);
  }
  if (wanted.length > 0) for (const halt of halts) console.log(`${name}: ${halt}`);
  if (sums.cases % 500 === 0) console.error(`${sums.cases} of ${names.length} cases, ${sums.wrong} wrong`);
};
/** Runs these one after another; a case that ends its process, or never ends, is wrong, and the next ones get a process of their own. */
const work = async (left) => {
  while (left.length > 0) {
    let done = 0;
    await run(left, (outcome) => {
      done++;
      take(outcome);
    });
    if (done < left.length) take({ name: left[done], told: 1, wrong: ['the process ended, or did not go on'], halts: [] });
    left = left.slice(done + 1);
  }
};
await Promise.all(Array.from({ length: jobs }, (_, job) => work(names.filter((_, index) => index % jobs === job))));
const seconds = Math.round((performance.now() - started) / 1000);
console.log(
  `${sums.cases} of ${all.length} cases, ${sums.wrong} wrong: ${sums.equal} agree with the exchange in the end, ${sums.halted} are halted, ${sums.untold.length} changed nothing, in ${seconds} s`,
);
if (process.argv.includes('--untold')) console.log(sums.untold.join('\n'));
process.exitCode = sums.wrong === 0 && sums.cases === names.length ? 0 : 1;
