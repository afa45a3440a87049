import { writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { seriesFileName } from '../../../recording/columns/series-meta.ts';
import { fileSha256 } from '../../../recording/files.ts';
import type { BreakdownBy } from '../../../statistics/breakdown.ts';
import { ownCode } from '../../base/own-files.ts';
import type { Config } from '../../config/schema/schema.ts';
import type { PlannedRun } from '../../planning/plan-backtest.ts';
import type { StrategyCode } from '../../planning/planned-strategies.ts';
import type { RecordedSeries } from '../../planning/recorded-data.ts';
import type { AskedPath } from '../worker-protocol.ts';

/** The file of a run's folder that says out of what it was made. */
export const CODE_FILE = 'code.json';
export const CODE_VERSION = 1;

/** What the config does not tell of a run. */
export interface RunTerms {
  /** Symbols whose tick stands beside the recording. */
  readonly datedTicks: ReadonlySet<string>;
  readonly warnings: readonly string[];
}

/** What of the command line hangs together with the result. */
interface RunFlags {
  readonly path?: AskedPath | undefined;
  readonly delay?: number | 'bar' | undefined;
  readonly breakdowns?: readonly BreakdownBy[] | undefined;
  readonly events?: boolean | undefined;
}

/** What a run's code.json is made of. */
interface CodeParts {
  readonly planned: PlannedRun;
  readonly config: Config;
  readonly options: RunFlags;
  readonly terms: RunTerms;
}

/**
 * Writes code.json: the sources of the strategies as they were loaded, which may have changed by the time that somebody asks,
 * and the hashes of all that was read. No path of the machine is in it.
 */
export function writeCodeFile(folder: string, { planned, config, options, terms }: CodeParts): void {
  const { code, series, historySeries } = planned;
  const root = commonFolder(code);
  const nameOf = (file: string) => relative(root, file).split(sep).join('/');
  const texts = new Map(code.flatMap(({ sources }) => [...sources].map(([file, text]): [string, string] => [nameOf(file), text])));
  const { recorded } = config.backtest.latency;
  const content = {
    version: CODE_VERSION,
    tidegate: ownCode(),
    node: process.versions.node,
    options: { path: options.path, delay: options.delay, breakdowns: options.breakdowns ?? [], events: options.events === true },
    strategies: code.map(({ id, entry, sourceHash }) => ({ id, file: nameOf(entry), sourceHash })),
    sources: Object.fromEntries([...texts].sort(([a], [b]) => (a < b ? -1 : 1))),
    data: [...new Set([...series, ...historySeries])].map(dataOf),
    terms: { datedTicks: [...terms.datedTicks].sort(), warnings: terms.warnings },
    latency: recorded === undefined ? undefined : { sha256: fileSha256(recorded) },
  };
  writeFileSync(join(folder, CODE_FILE), `${JSON.stringify(content, null, 2)}\n`);
}

function dataOf({ recording, meta }: RecordedSeries) {
  return { recording, series: seriesFileName(meta), symbol: meta.symbol, sha256: meta.sha256 };
}

/** The innermost folder that all sources lie in. */
function commonFolder(code: readonly StrategyCode[]): string {
  const folders = code.flatMap(({ sources }) => [...sources.keys()].map((file) => dirname(file)));
  return folders.reduce((common, folder) => {
    let shared = common;
    while (folder !== shared && !folder.startsWith(shared.endsWith(sep) ? shared : shared + sep)) shared = dirname(shared);
    return shared;
  });
}
