// One case in a process of its own: node bench/case.mjs engine-quotes
import { tuneCompiler } from '../dist/app/backtest/simulate-run.js';
import { ALTERNATIVES } from './alternatives/alternatives.mjs';
import { CASES } from './cases/cases.mjs';

// As the command line does in its backtest thread.
tuneCompiler();
const rows = await { ...CASES, ...ALTERNATIVES }[process.argv[2]]();
process.stdout.write(`${JSON.stringify(rows)}\n`);
