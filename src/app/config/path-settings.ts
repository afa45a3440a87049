import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { ConfigPath } from './config-path.ts';
import { type ConfigNode, type MapNode, mapScalars, type ScalarNode } from './tree.ts';

/** The settings that name files or folders; `*` stands for any key. */
const PATH_SETTINGS: readonly ConfigPath[] = [['dataDir'], ['strategies', '*', 'file'], ['live', 'keys', '*', 'file']];
const DEFAULT_DATA_DIR = '../data';

export interface ResolvedPaths {
  readonly root: ConfigNode;
  /** How each absolute path is shown: relative to the config's folder, unless it was given as absolute. */
  readonly shown: ReadonlyMap<string, string>;
}

/** Makes paths absolute, each from the folder of the file it stands in (for `--set`: the current folder). */
export function resolvePaths(root: MapNode, folder: string): ResolvedPaths {
  const shown = new Map<string, string>();
  const change = (scalar: ScalarNode, path: ConfigPath): ScalarNode => {
    if (!PATH_SETTINGS.some((pattern) => matches(pattern, path)) || scalar.value === null || scalar.text === '') return scalar;
    const file = resolve(scalar.at.source.folder, scalar.text);
    shown.set(file, isAbsolute(scalar.text) ? file : relative(folder, file).split(sep).join('/') || '.');
    return { ...scalar, value: file, text: file };
  };
  if (root.entries.has('dataDir')) return { root: mapScalars(root, change), shown };
  const value: ScalarNode = { kind: 'scalar', at: root.at, value: resolve(folder, DEFAULT_DATA_DIR), text: '', plain: false };
  shown.set(String(value.value), DEFAULT_DATA_DIR);
  const entries = new Map([...root.entries, ['dataDir', { keyAt: root.at, value }] as const]);
  return { root: mapScalars({ ...root, entries }, change), shown };
}

function matches(pattern: ConfigPath, path: ConfigPath): boolean {
  return pattern.length === path.length && pattern.every((part, index) => part === '*' || part === path[index]);
}
