// npm start: installs and builds what is missing, then runs the example backtest; further arguments go to it.
import { join } from 'node:path';
import { buildIfNeeded, installIfNeeded, requireNode, root, run } from './tools.mjs';

requireNode();
await installIfNeeded();
await buildIfNeeded();
process.exitCode = await run(process.execPath, [
  join(root, 'bin/tidegate.mjs'),
  'backtest',
  'configs/sma-cross.yaml',
  ...process.argv.slice(2),
]);
