import { readFileSync, realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { TidegateError } from '../../../model/errors.ts';
import type { LoadedConfig, ReadConfig } from '../../config/load-config.ts';
import { isPathSetting } from '../../config/reading/layers.ts';
import { MODEL_SETTINGS } from '../../config/reading/object-tree.ts';
import { commonFolder, moduleSources } from '../../loader/load-module.ts';
import type { SearchPlan } from '../search-plan.ts';
import type { Ground } from '../trial-ground.ts';
import type { PlanReply, UsedSeries } from '../worker-protocol.ts';

/** The folder of the sources next to the config, at a worker. */
export const CODE_FOLDER = 'code';
/** More is a mistake: a bundle is read by every worker. */
const MOST_BYTES = 32 << 20;

/** Everything about a study that its workers need, except its data. */
export interface StudyBundle {
  /** The config, with the files of `files` in `code`. */
  readonly config: string;
  /** The absolute folder here that `code` is at a worker. */
  readonly root: string;
  /** Sources and recorded latencies, in base64, by their path below `root`. */
  readonly files: Readonly<Record<string, string>>;
  readonly series: readonly UsedSeries[];
  /** The recordings that the config names. */
  readonly recordings: readonly string[];
  /** The settings of one point, and its plan: a worker with another plan is no worker of the study. */
  readonly first: { readonly set: readonly string[]; readonly plan: PlannedPoint };
  readonly timeoutMs: number | undefined;
  readonly memoryMb: number | undefined;
  readonly sharedData: boolean;
}

/** The parts of a plan that decide what a trial is. */
export interface PlannedPoint extends Pick<PlanReply, 'from' | 'code' | 'instruments'> {
  /** The keys of the series that it reads. */
  readonly series: readonly string[];
}

export function plannedPoint({ from, code, instruments, series }: PlanReply): PlannedPoint {
  return { from, code, instruments, series: series.map(({ key }) => key) };
}

export interface BundleParts {
  readonly read: ReadConfig;
  readonly loaded: LoadedConfig;
  readonly plan: SearchPlan;
  readonly ground: Ground;
}

/** @throws TidegateError CONFIG_INVALID for a study that other machines cannot run. */
export async function studyBundle({ read, loaded, plan, ground }: BundleParts): Promise<StudyBundle> {
  const { backtest, strategies } = loaded.config;
  const own = [...strategies.map(({ file }) => file), ...MODEL_SETTINGS.flatMap((setting) => modelFile(loaded.config, setting))];
  const { sources, packages } = await sourcesOf([...own, ...chosenFiles(plan)]);
  if (packages.length > 0)
    throw new TidegateError(
      'CONFIG_INVALID',
      `the code imports ${packages.join(', ')}: workers have only packages of Tidegate; copy the code into a file, or search without --queue`,
    );
  const { recorded } = backtest.latency;
  const files = new Map([...sources].map(([file, text]) => [file, Buffer.from(text)]));
  if (recorded !== undefined) files.set(realpathSync(recorded), readFileSync(recorded));
  const root = commonFolder([{ sources: new Map([...files.keys()].map((file) => [file, ''])) }]);
  const { timeoutMs, memoryMb, sharedData } = plan.search;
  return {
    config: read.packedText((path) => placed(path, root)),
    root,
    files: Object.fromEntries([...files].map(([file, bytes]) => [relative(root, file).split(sep).join('/'), bytes.toString('base64')])),
    series: ground.series,
    recordings: backtest.data,
    first: { set: ground.first.set, plan: plannedPoint(ground.first.plan) },
    ...{ timeoutMs, memoryMb, sharedData },
  };
}

/** The path of a file at a worker, relative to the config; files that are not of the bundle keep theirs. */
function placed(path: string, root: string): string {
  let real = path;
  try {
    real = realpathSync(path);
  } catch {
    // It need not exist.
  }
  const name = relative(root, real);
  return name.startsWith('..') || isAbsolute(name) ? path : `${CODE_FOLDER}/${name.split(sep).join('/')}`;
}

function modelFile(config: object, setting: string): string[] {
  const model = setting.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], config);
  const { file } = (typeof model === 'object' && model !== null ? model : {}) as { readonly file?: unknown };
  return typeof file === 'string' ? [file] : [];
}

/** The files that are values of parameters. */
function chosenFiles(plan: SearchPlan): string[] {
  return Object.entries(plan.search.parameters).flatMap(([name, { values = [] }]) => {
    if (!isPathSetting(plan.paths[name]!.split('.'))) return [];
    return values.map((value) => {
      const setting = plan.settingOf(name, JSON.stringify(value));
      return resolve(JSON.parse(setting.slice(setting.indexOf('=') + 1)) as string);
    });
  });
}

async function sourcesOf(files: readonly string[]) {
  const sources = new Map<string, string>();
  const packages = new Set<string>();
  for (const file of new Set(files)) {
    try {
      const found = await moduleSources(file);
      for (const [path, text] of found.sources) sources.set(path, text);
      for (const name of found.packages) packages.add(name);
    } catch (error) {
      // Trials with this file fail on every machine.
      if (!(error instanceof TidegateError)) throw error;
    }
  }
  return { sources, packages: [...packages] };
}

/** @throws TidegateError CONFIG_INVALID if it is too large. */
export function packBundle(bundle: StudyBundle): string {
  const packed = gzipSync(JSON.stringify(bundle));
  if (packed.length <= MOST_BYTES) return packed.toString('base64');
  const mb = Math.ceil(packed.length / 2 ** 20);
  throw new TidegateError('CONFIG_INVALID', `the sources and recorded latencies of the study have ${mb} MB; expected at most 32`);
}

/** @param packed whose signature was checked. */
export function unpackBundle(packed: string): StudyBundle {
  return JSON.parse(gunzipSync(Buffer.from(packed, 'base64')).toString('utf8')) as StudyBundle;
}
