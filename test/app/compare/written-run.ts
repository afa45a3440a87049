import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeAccountFile } from '../../../src/app/backtest/results/account-file.ts';
import { writeTables } from '../../../src/app/backtest/results/out-folder.ts';
import { simulateRun } from '../../../src/app/backtest/simulate-run.ts';
import type { BacktestPlan } from '../../../src/app/planning/run-plans.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Runs a plan and writes what `compare` reads of a backtest. @returns the folder. */
export async function writtenRun(plan: BacktestPlan): Promise<string> {
  const run = await simulateRun(plan);
  if (run.failure !== undefined) throw run.failure.error;
  const folder = temporaryFolder();
  const futures = plan.account.kind === 'futures';
  writeTables(folder, { recorder: run.recorder, equity: run.state.portfolio.curve.samples, futures });
  writeAccountFile(folder, run);
  writeFileSync(join(folder, 'summary.json'), '{}');
  return folder;
}
