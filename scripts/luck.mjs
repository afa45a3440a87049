// npm run luck -- [--kind walks|phases|planted] [--studies N] [--from K] [--years Y] [--trials T] [--sharpe S] [--prices file.csv] [--jobs J]: searches whose truth is
// known, and what the verdict of `tidegate significance` says of them. walks: random walks; phases: real returns with phases by chance, from a file with a column
// `close`; both with T random rules. planted: a drift after a signal, of an annual Sharpe ratio S after costs, and T rules, of which one is right.
// Equal options give equal studies.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import { bundledProof, countOption, wordOption } from './long-proof.mjs';
import { installIfNeeded, requireNode } from './tools.mjs';

requireNode();
await installIfNeeded();
const program = await bundledProof('luck');
const kind = wordOption('kind', ['walks', 'phases', 'planted'], 'walks');
const studies = countOption('studies', 10);
const from = countOption('from', 1);
const days = Math.floor(365.25 * countOption('years', 5));
const trials = countOption('trials', 200);
const sharpe = countOption('sharpe', 3);
const jobs = Math.min(studies, countOption('jobs', availableParallelism()));
const at = process.argv.indexOf('--prices');
const prices = at < 0 ? '' : process.argv[at + 1];
if (kind === 'phases' && prices === '') {
  console.error('--kind phases needs --prices <file.csv>');
  process.exit(2);
}
const words = { luck: 0, undecided: 0, skill: 0 };
const work = (first) =>
  new Promise((resolve) => {
    const figures = [first, from + studies, jobs, days, sharpe, trials].map(String);
    const child = spawn(process.execPath, ['--enable-source-maps', program, kind, prices, ...figures], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      words[JSON.parse(line).word]++;
      console.log(line);
    });
    child.on('close', resolve);
  });
const codes = await Promise.all(Array.from({ length: jobs }, (_, job) => work(from + job)));
const of = kind === 'planted' ? `a Sharpe ratio of ${sharpe}` : 'no skill';
console.log(`${studies} studies of ${trials} trials over ${days} days with ${of} (${kind}): ${JSON.stringify(words)}`);
const done = words.luck + words.undecided + words.skill;
process.exitCode = done === studies && codes.every((code) => code === 0) ? 0 : 1;
