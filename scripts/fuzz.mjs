// npm run fuzz -- [--requests N] [--seed S]: a local exchange receives fuzzed requests, half of them with something wrong. None may be
// answered with 5xx, and the books of all accounts must agree with their fills and transfers to the last digit.
import { bundledProof, countOption, resultsOf } from './long-proof.mjs';
import { installIfNeeded, requireNode } from './tools.mjs';

requireNode();
await installIfNeeded();
const program = await bundledProof('fuzz');
const [count, seed] = [countOption('requests', 50_000), countOption('seed', 1)];
const started = performance.now();
const [result] = await resultsOf(program, 1, () => [count, seed]);
if (result === undefined) process.exit(1);
const { requests, statuses, orders, fills, withdrawals, wrong } = result;
for (const what of wrong.slice(0, 50)) console.log(`  ${what}`);
const counted = Object.entries(statuses)
  .map(([status, times]) => `${times} with ${status}`)
  .join(', ');
const seconds = Math.round((performance.now() - started) / 1000);
console.log(
  `${requests} fuzzed requests (seed ${seed}), ${wrong.length} wrong: ${counted}; ${orders} orders, ${fills} fills, ${withdrawals} withdrawals in ${seconds} s`,
);
process.exitCode = wrong.length === 0 ? 0 : 1;
