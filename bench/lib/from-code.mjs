// The process of the case library-bars-1m: runs `bench.yaml` of the working directory by `tidegate/run`, and prints time, hash and memory.
import { pathToFileURL } from 'node:url';

const [tree] = process.argv.slice(2);
const { backtest } = await import(pathToFileURL(`${tree}/dist/bundle/run.js`).href);
const started = performance.now();
const { eventLogSha256, fills } = await backtest('bench.yaml');
console.log(
  JSON.stringify({ ms: performance.now() - started, eventLogSha256, fills: fills.length, peakKb: process.resourceUsage().maxRSS }),
);
