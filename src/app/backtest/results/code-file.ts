import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { seriesFileName } from '../../../recording/columns/series-meta.ts';
import { fileSha256 } from '../../../recording/files.ts';
import type { BreakdownBy } from '../../../statistics/breakdown.ts';
import { ownCode } from '../../base/own-files.ts';
import type { Config } from '../../config/schema/schema.ts';
import { sourceNames } from '../../loader/load-module.ts';
import type { PlannedRun } from '../../planning/plan-backtest.ts';
import type { RecordedSeries } from '../../planning/recorded-data.ts';
import type { AskedPath } from '../worker-protocol.ts';

/** The file in a run's folder with its code, options and data hashes. */
export const CODE_FILE = 'code.json';
export const CODE_VERSION = 1;

/** Facts about a run's terms that are not in its config. */
export interface RunTerms {
  /** Symbols whose tick comes from the recording's terms. */
  readonly datedTicks: ReadonlySet<string>;
  readonly warnings: readonly string[];
}

/** The options of the command line that affect the result. */
interface RunFlags {
  readonly path?: AskedPath | undefined;
  readonly delay?: number | 'bar' | undefined;
  readonly breakdowns?: readonly BreakdownBy[] | undefined;
  readonly events?: boolean | undefined;
}

/** The parts of a run's code.json. */
export interface CodeParts {
  readonly planned: PlannedRun;
  readonly config: Config;
  readonly options: RunFlags;
  readonly terms: RunTerms;
}

/**
 * Writes code.json: the sources of strategies and models as they were loaded, because the files may change later, and the hashes of all read
 * data. It has no absolute path.
 */
export function writeCodeFile(folder: string, { planned, config, options, terms }: CodeParts): void {
  const { code, models, series, historySeries } = planned;
  const all = [...code, ...models];
  const nameOf = sourceNames(all);
  const texts = new Map(all.flatMap(({ sources }) => [...sources].map(([file, text]): [string, string] => [nameOf(file), text])));
  const { recorded } = config.backtest.latency;
  const content = {
    version: CODE_VERSION,
    tidegate: ownCode(),
    node: process.versions.node,
    options: { path: options.path, delay: options.delay, breakdowns: options.breakdowns ?? [], events: options.events === true },
    strategies: code.map(({ id, entry, sourceHash }) => ({ id, file: nameOf(entry), sourceHash })),
    models:
      models.length === 0 ? undefined : models.map(({ setting, entry, sourceHash }) => ({ setting, file: nameOf(entry), sourceHash })),
    sources: Object.fromEntries([...texts].sort(([a], [b]) => (a < b ? -1 : 1))),
    data: [...new Set([...series, ...historySeries])].flatMap(dataOf),
    signals: signalsOf(planned, config),
    terms: { datedTicks: [...terms.datedTicks].sort(), warnings: terms.warnings },
    latency: recorded === undefined ? undefined : { sha256: fileSha256(recorded) },
  };
  writeFileSync(join(folder, CODE_FILE), `${JSON.stringify(content, null, 2)}\n`);
}

/** The recorded signals of the run by their names in the config; `undefined` without any. */
function signalsOf({ plan: { signals = [] } }: PlannedRun, config: Config) {
  const recorded = signals.filter(({ sha256 }) => sha256 !== undefined);
  if (recorded.length === 0) return undefined;
  return recorded.map(({ name, sha256 }) => ({ name, recording: config.signals[name]?.recording ?? name, sha256 }));
}

function dataOf({ sources }: RecordedSeries) {
  return sources.map(({ name, stored: { meta } }) => ({
    recording: name,
    series: seriesFileName(meta),
    symbol: meta.symbol,
    sha256: meta.sha256,
  }));
}
