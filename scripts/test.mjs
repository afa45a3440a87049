// npm test: installs what is missing, then runs jest (npm test -- test/app --watch).
import { join } from 'node:path';
import { installIfNeeded, requireNode, root, run } from './tools.mjs';

requireNode();
await installIfNeeded();
const jest = join(root, 'node_modules/jest/bin/jest.js');
// jest loads ES modules through vm modules, of which Node warns at every start.
const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
process.exitCode = await run(process.execPath, [...flags, jest, ...process.argv.slice(2)]);
