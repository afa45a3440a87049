// npm start: installs and builds what is missing, then runs the backtest of an example; further arguments go to it.
import { join } from 'node:path';
import { buildIfNeeded, installIfNeeded, requireNode, root, run } from './tools.mjs';

requireNode();
await installIfNeeded();
await buildIfNeeded();
process.exitCode = await run(process.execPath, [
  join(root, 'bin/tidegate.mjs'),
  'backtest',
  'configs/bracket-breakout.yaml',
  ...process.argv.slice(2),
]);
if (process.exitCode === 0)
  console.error('Open its report.html in a browser. The prices are synthetic: the profit says nothing about a market.');
