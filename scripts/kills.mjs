// npm run kills -- [--times N] [--seed S] [--jobs J] [--markets spot|futures|both]: the built bot as a process, killed again and again
// at a local exchange that fails, and that is killed in one life of three, beside the bot or with it; at last the two are compared. Kills come by the wall's clock: a seed gives the same kind of run, not the same run.
import { availableParallelism } from 'node:os';
import { bundledProof, countOption, resultsOf, wordOption } from './long-proof.mjs';
import { buildIfNeeded, installIfNeeded, requireNode, root } from './tools.mjs';

requireNode();
await installIfNeeded();
await buildIfNeeded();
const program = await bundledProof('kills');
const times = countOption('times', 200);
const seed = countOption('seed', 1);
// Each job is a bot and an exchange of its own; fewer than some ten kills are not worth one.
const jobs = Math.min(countOption('jobs', availableParallelism()), Math.ceil(times / 10));

const MARKETS = ['spot', 'futures', 'both'];
const markets = wordOption('markets', MARKETS, 'both');

const started = performance.now();
const results = await resultsOf(program, jobs, (job) => {
  const [first, end] = [job, job + 1].map((one) => Math.floor((one * times) / jobs));
  return [root, end - first, first, seed + job, markets];
});
const whole = results.filter((result) => result !== undefined);
const sum = (figure) => whole.reduce((total, result) => total + result[figure], 0);
const inCommits = {};
for (const [name, count] of whole.flatMap((result) => Object.entries(result.inCommits))) inCommits[name] = (inCommits[name] ?? 0) + count;
const wrong = whole.flatMap((result) => result.wrong);
for (const one of wrong.slice(0, 50)) console.log(`  ${one}`);
console.log(
  `in commits: ${Object.entries(inCommits)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')}`,
);
const commits = Object.values(inCommits).reduce((total, one) => total + one, 0);
const seconds = Math.round((performance.now() - started) / 1000);
console.log(
  `${sum('kills')} kills of the bot (${markets}), ${sum('exchangeAlone')} of the exchange alone and ${sum('exchangeBoth')} of both, ${wrong.length} wrong: ${commits} in commits of ${Object.keys(inCommits).length} kinds, ${sum('starting')} while starting; ${sum('starts')} starts, ${sum('orders')} orders, ${sum('fills')} fills, ${sum('requests')} requests, ${sum('unanswered')} of them without an answer, ${sum('doubts')} doubts in ${seconds} s`,
);
process.exitCode = wrong.length === 0 && whole.length === jobs ? 0 : 1;
