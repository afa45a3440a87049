// npm run soak -- [--hours N] [--seed K]: a bot and a local exchange for N hours (a week) of simulated time, with faults and
// kills. Memory of the bot after each hour, every invariant at the end.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { bundledProof, countOption } from './long-proof.mjs';
import { installIfNeeded, requireNode } from './tools.mjs';

/** Most that the heap may grow from the warm-up to the end. */
const MOST_GROWTH = 0.05;
/** Hours until the last 1,000 orders of spot and futures that a bot keeps have come together; and over which the heap is taken in the middle. */
const WARM_UP_HOURS = 12;
const SPAN_HOURS = 6;

requireNode();
await installIfNeeded();
const hours = countOption('hours', 168);
const seed = countOption('seed', 1);
const worker = await bundledProof('soak', 'exchange-worker');
const program = await bundledProof('soak');
const started = performance.now();
const child = spawn(process.execPath, ['--expose-gc', '--enable-source-maps', program, String(hours), String(seed), worker], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
let result;
createInterface({ input: child.stdout }).on('line', (line) => {
  const report = JSON.parse(line);
  if (report.wrong !== undefined) result = report;
  else if (report.hour % 12 === 0) console.error(`${report.hour} of ${hours} hours: ${report.requests} requests, heap ${report.mb} MB`);
});
const code = await new Promise((resolve) => child.on('close', resolve));
const seconds = Math.round((performance.now() - started) / 1000);
if (code !== 0 || result === undefined) {
  console.error(`the soak broke off (${code})`);
  process.exit(1);
}
const { wrong, requests, orders, fills, kills, struck, heap, unhandled } = result;
for (const what of wrong) console.log(`  ${what}`);
const median = (samples) => samples.map(({ mb }) => mb).sort((a, b) => a - b)[samples.length >> 1];
const warm = heap.filter(({ hours: at }) => at > WARM_UP_HOURS);
console.log(
  `${hours} simulated hours, ${wrong.length} wrong: ${requests} requests, ${orders} orders, ${fills} fills, ${kills} kills in ${seconds} s`,
);
let grown = false;
if (warm.length >= 2 * SPAN_HOURS) {
  const [first, last] = [median(warm.slice(0, SPAN_HOURS)), median(warm.slice(-SPAN_HOURS))];
  const growth = (last - first) / first;
  grown = growth > MOST_GROWTH;
  const percent = `${growth < 0 ? '' : '+'}${(growth * 100).toFixed(1)} %`;
  console.log(`heap of the bot: ${first} MB after the warm-up, ${last} MB at the end (${percent})`);
} else console.log(`heap of the bot: too few hours to say; ${WARM_UP_HOURS + 2 * SPAN_HOURS} are the least`);
console.log(`unhandled rejections: ${unhandled}`);
console.log(`faults: ${JSON.stringify(struck)}`);
process.exitCode = wrong.length === 0 && unhandled === 0 && !grown ? 0 : 1;
