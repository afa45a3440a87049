import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TidegateError } from '../model/errors.ts';
import { renderHtml } from '../report/html/render-html.ts';
import { decodeReport, encodeReport, type PageReport, pageReport, REPORT_FILE } from '../report/page-report.ts';
import type { RunReport } from '../report/run-report.ts';
import { OWN_FILES } from './base/own-files.ts';

let made: Promise<string> | undefined;

/** The script of the report's page as one classic script: the build has made it; without a build, it is bundled once for each process. */
export function clientScript(): Promise<string> {
  made ??= browserScript(OWN_FILES.builtPageScript, OWN_FILES.pageScript);
  return made;
}

/** A page's script as one classic script. @param built the script that the build has made. @param entry its entry module, bundled where there is no build. */
export async function browserScript(built: URL | undefined, entry: URL, minify = false): Promise<string> {
  if (built !== undefined) return readFileSync(built, 'utf8');
  const { rolldown } = await import('rolldown');
  const build = await rolldown({ input: fileURLToPath(entry), platform: 'browser', tsconfig: false, logLevel: 'silent' });
  try {
    const { output } = await build.generate({ format: 'iife', minify, sourcemap: false, sourcemapIgnoreList: false });
    return output[0].code;
  } finally {
    await build.close();
  }
}

/** The file of a run's page. */
const PAGE_FILE = 'report.html';

/** Writes a run's page, and the file from which it can be rendered again. @returns the path of the page. */
export async function writeReport(folder: string, report: RunReport): Promise<string> {
  const page = pageReport(report);
  writeFileSync(join(folder, REPORT_FILE), encodeReport(page));
  return await writePage(folder, page);
}

/**
 * Renders the page of a run's folder again from its report.json. Nothing else in the folder is read or changed.
 * @returns the path of the page.
 * @throws TidegateError DATA_NOT_FOUND, DATA_INVALID, DATA_CORRUPT
 */
export async function rebuildReport(folder: string): Promise<string> {
  const path = join(folder, REPORT_FILE);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new TidegateError('DATA_NOT_FOUND', `${folder} is not a folder; expected the folder of a run, such as runs/sma-cross-1`);
  }
  if (!existsSync(path)) {
    throw new TidegateError('DATA_NOT_FOUND', `${path} does not exist; expected the folder of a backtest of this or a later version`);
  }
  return writePage(folder, decodeReport(readFileSync(path, 'utf8'), path));
}

async function writePage(folder: string, page: PageReport): Promise<string> {
  const path = join(folder, PAGE_FILE);
  writeFileSync(path, renderHtml(page, await clientScript()));
  return path;
}
