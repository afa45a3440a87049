// npm run bench: builds what is stale, then runs the benchmarks (npm run bench -- --json engine-quotes).
import { join } from 'node:path';
import { buildIfNeeded, installIfNeeded, requireNode, root, run } from './tools.mjs';

requireNode();
await installIfNeeded();
// The cases import the built program, help as well.
await buildIfNeeded();
process.exitCode = await run(process.execPath, [join(root, 'bench/run.mjs'), ...process.argv.slice(2)]);
