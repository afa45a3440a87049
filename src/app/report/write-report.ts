import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import { renderHtml } from '../../report/html/render-html.ts';
import { type PageReport, pageReport } from '../../report/page-report.ts';
import { decodeReport, encodeReport, REPORT_FILE } from '../../report/report-file.ts';
import type { RunReport } from '../../report/run-report.ts';
import { clientScript } from './client-script.ts';

/** The page in a run's folder. */
const PAGE_FILE = 'report.html';

/** Writes a run's page, and the file from which it can be made anew. */
export async function writeReport(folder: string, report: RunReport): Promise<void> {
  const page = pageReport(report);
  writeFileSync(join(folder, REPORT_FILE), encodeReport(page));
  await writePage(folder, page);
}

/**
 * Makes the page of a run's folder anew from its report.json; nothing else of the folder is read or changed.
 * @returns the path of the page.
 * @throws TidegateError DATA_NOT_FOUND, DATA_INVALID, DATA_CORRUPT
 */
export async function rebuildReport(folder: string): Promise<string> {
  const path = join(folder, REPORT_FILE);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new TidegateError('DATA_NOT_FOUND', `${folder}: is no folder; expected the folder of a run, such as runs/sma-cross-1`);
  }
  if (!existsSync(path)) {
    throw new TidegateError(
      'DATA_NOT_FOUND',
      `${path}: is not there; expected the folder of a backtest, written by this or a later version`,
    );
  }
  return writePage(folder, decodeReport(readFileSync(path, 'utf8'), path));
}

async function writePage(folder: string, page: PageReport): Promise<string> {
  const path = join(folder, PAGE_FILE);
  writeFileSync(path, renderHtml(page, await clientScript()));
  return path;
}
