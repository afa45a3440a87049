// npm test: installs what is missing, then runs jest (npm test -- test/app --watch): all tests but the slow ones, or those of the paths that are
// named. npm run test:slow: the slow ones, which wait by the clock or run processes for long.
import { join } from 'node:path';
import { installIfNeeded, requireNode, root, run } from './tools.mjs';

requireNode();
await installIfNeeded();
const jest = join(root, 'node_modules/jest/bin/jest.js');
// jest loads ES modules through vm modules, of which Node warns at every start.
const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
const [first, ...rest] = process.argv.slice(2);
const isSlow = first === '--slow';
const given = isSlow ? rest : process.argv.slice(2);
const isNamed = given.some((one) => one.includes('/') && !one.startsWith('-'));
process.env.TESTS ??= isSlow ? 'slow' : isNamed ? 'all' : 'quick';
process.exitCode = await run(process.execPath, [...flags, jest, ...given]);
