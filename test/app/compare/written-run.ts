import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeAccountFile } from '../../../src/app/backtest/results/account-file.ts';
import { writeTables } from '../../../src/app/backtest/results/out-folder.ts';
import { RunTables } from '../../../src/app/backtest/results/run-tables.ts';
import { simulateRun } from '../../../src/app/backtest/simulate-run.ts';
import type { BacktestPlan } from '../../../src/app/planning/run-plans.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Runs a plan and writes what `compare` reads of a backtest. @returns the folder. */
export async function writtenRun(plan: BacktestPlan): Promise<string> {
  const folder = temporaryFolder();
  const futures = plan.account.kind === 'futures';
  const tables = new RunTables(folder, futures);
  const run = await simulateRun(plan, { tables: [tables] });
  if (run.failure !== undefined) throw run.failure.error;
  tables.finish(run.recorder.fills, run.recorder.rates.converts);
  writeTables(folder, { recorder: run.recorder, trades: [], equity: run.state.portfolio.curve.samples, futures });
  writeAccountFile(folder, run);
  writeFileSync(join(folder, 'summary.json'), '{}');
  return folder;
}
