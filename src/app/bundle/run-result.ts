import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileSha256 } from '../../recording/columns/file-sha256.ts';
import type { BundleContent } from './bundle-schema.ts';

/** What is the same whenever and wherever a run is made: report.html and report.json are drawn from it. */
const TABLES = ['account.json', 'denied.csv', 'equity.csv', 'fills.csv', 'funding.csv', 'log.jsonl', 'orders.csv'] as const;
const LARGE = ['events.jsonl'] as const;
/** How long it took, and where it was written. */
const OF_THE_TIME: ReadonlySet<string> = new Set(['elapsedMs', 'eventsPerSecond', 'out']);

/** The result in a run's folder, as far as the same run gives the same. */
export function runResult(folder: string): Pick<BundleContent, 'summary' | 'files' | 'hashes'> {
  const present = <Name extends string>(names: readonly Name[]) => names.filter((name) => existsSync(join(folder, name)));
  const summary = JSON.parse(readFileSync(join(folder, 'summary.json'), 'utf8')) as Record<string, unknown>;
  return {
    summary: Object.fromEntries(Object.entries(summary).filter(([key]) => !OF_THE_TIME.has(key))),
    files: Object.fromEntries(present(TABLES).map((name) => [name, readFileSync(join(folder, name), 'utf8')])),
    hashes: Object.fromEntries(present(LARGE).map((name) => [name, fileSha256(join(folder, name))])),
  };
}
