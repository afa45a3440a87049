import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import { decodeReport, type PageReport, REPORT_FILE } from '../../report/page-report.ts';
import type { DayReturn } from '../../statistics/returns/daily-returns.ts';

/** The daily returns of a run by day; `NaN` after ruin. A bot has them once its report is made. @throws TidegateError DATA_NOT_FOUND, DATA_INVALID, DATA_CORRUPT */
export function readReturns(folder: string): { readonly returns: readonly DayReturn[]; readonly annualDays: number } {
  const { returns, statistics } = reportOf(folder);
  return { returns: returns.map(({ time, value }) => ({ time, value: value ?? Number.NaN })), annualDays: Number(statistics.annualDays) };
}

/** The report of a run's folder. @throws TidegateError DATA_NOT_FOUND, DATA_INVALID, DATA_CORRUPT */
export function reportOf(folder: string): PageReport {
  const path = join(folder, REPORT_FILE);
  if (existsSync(path)) return decodeReport(readFileSync(path, 'utf8'), path);
  const hint = existsSync(join(folder, 'journal.sqlite'))
    ? `make it by: npx tidegate report ${folder}`
    : 'expected the folder of a run, such as runs/sma-cross-1';
  throw new TidegateError('DATA_NOT_FOUND', `${path} does not exist; ${hint}`);
}
