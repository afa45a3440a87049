// npm run import-forms -- [--cases N] [--from K]: imports every known form of data, and N tables that an independent writer wrote in forms
// drawn by chance, and compares the rows with those expected. Ends with 1 where one is wrong. A wrong table is repeated by --from <seed> --cases 1.
import { spawnSync } from 'node:child_process';
import { bundledProof, countOption } from './long-proof.mjs';
import { installIfNeeded, requireNode } from './tools.mjs';

requireNode();
await installIfNeeded();
const program = await bundledProof('recording/forms');
const words = ['--enable-source-maps', program, String(countOption('cases', 500)), String(countOption('from', 1))];
process.exitCode = spawnSync(process.execPath, words, { stdio: 'inherit' }).status ?? 1;
