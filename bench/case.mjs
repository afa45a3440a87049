// One case in a process of its own: node bench/case.mjs engine-quotes
import { tuneV8 } from '../dist/app/backtest/simulate-run.js';
import { ALTERNATIVES } from './alternatives/alternatives.mjs';
import { CASES } from './cases/cases.mjs';

// As the command line does in its backtest thread.
tuneV8();
const rows = await { ...CASES, ...ALTERNATIVES }[process.argv[2]]();
process.stdout.write(`${JSON.stringify(rows)}\n`);
