// One case in a process of its own: node bench/case.mjs engine-quotes
import { ALTERNATIVES } from './alternatives/alternatives.mjs';
import { CASES } from './cases/cases.mjs';

const rows = await { ...CASES, ...ALTERNATIVES }[process.argv[2]]();
process.stdout.write(`${JSON.stringify(rows)}\n`);
