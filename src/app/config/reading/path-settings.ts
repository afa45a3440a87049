import { isAbsolute, relative, resolve, sep } from 'node:path';
import { isRemote } from '../../../recording/remote/storage-url.ts';
import type { ConfigPath } from './config-path.ts';
import { type ConfigNode, type MapEntry, type MapNode, mapScalars, type ScalarNode } from './tree.ts';

/** The settings that name files or folders; `*` stands for any key. */
const PATH_SETTINGS: readonly ConfigPath[] = [
  ['dataDir'],
  ['strategies', '*', 'file'],
  ['backtest', 'latency', 'recorded'],
  ['paper', 'dir'],
  ['live', 'dir'],
  ['live', 'keys', '*', 'file'],
];
/** Folders that have a default, which is relative to the config too; of sections, where these are there. */
const DEFAULTS = { dataDir: '../data', dir: '../runs' };
const BOT_SECTIONS = ['paper', 'live'];

export interface ResolvedPaths {
  readonly root: ConfigNode;
  /** How each absolute path is shown: relative to the config's folder, unless it was given as absolute. */
  readonly shown: ReadonlyMap<string, string>;
}

/** Makes paths absolute, but for the URL of a data directory, each from the folder of the file it stands in (for `--set`: the current folder). */
export function resolvePaths(root: MapNode, folder: string): ResolvedPaths {
  const shown = new Map<string, string>();
  const change = (scalar: ScalarNode, path: ConfigPath): ScalarNode => {
    if (!PATH_SETTINGS.some((pattern) => matches(pattern, path)) || scalar.value === null || scalar.text === '') return scalar;
    if (path[0] === 'dataDir' && isRemote(scalar.text)) return scalar;
    const file = resolve(scalar.at.source.folder, scalar.text);
    shown.set(file, isAbsolute(scalar.text) ? file : relative(folder, file).split(sep).join('/') || '.');
    return { ...scalar, value: file, text: file };
  };
  const withDefault = (map: MapNode, key: keyof typeof DEFAULTS): MapNode => {
    if (map.entries.has(key)) return map;
    const file = resolve(folder, DEFAULTS[key]);
    shown.set(file, DEFAULTS[key]);
    const value: ScalarNode = { kind: 'scalar', at: map.at, value: file, text: '', plain: false };
    return { ...map, entries: new Map([...map.entries, [key, { keyAt: map.at, value }]]) };
  };
  const { entries } = withDefault(root, 'dataDir');
  const filled = [...entries].map(([key, { keyAt, value }]): [string, MapEntry] => [
    key,
    { keyAt, value: BOT_SECTIONS.includes(key) && value.kind === 'map' ? withDefault(value, 'dir') : value },
  ]);
  return { root: mapScalars({ ...root, entries: new Map(filled) }, change), shown };
}

function matches(pattern: ConfigPath, path: ConfigPath): boolean {
  return pattern.length === path.length && pattern.every((part, index) => part === '*' || part === path[index]);
}
