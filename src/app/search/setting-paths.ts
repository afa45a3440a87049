import { dirname, relative, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import { isRemote } from '../../recording/remote-storage.ts';
import { isPathSetting } from '../config/reading/layers.ts';

/** A setting of a config as `--set` has it: there its path starts at the working directory. */
export function inConfigFolder(setting: string, config: string): string {
  return moved(setting, (path) => resolve(dirname(config), path));
}

/** The same, with a path that is not absolute: the text of a config has those as they are. */
export function fromWorkingFolder(setting: string, config: string): string {
  return moved(setting, (path) => relative(process.cwd(), resolve(dirname(config), path)));
}

/** A setting by `--set` as the config has it: there its path starts at the folder of the config. */
export function fromConfigFolder(setting: string, config: string): string {
  return moved(setting, (path) => relative(dirname(resolve(config)), resolve(path)));
}

/** @param setting `path.to.setting=value`, as in `--set`. */
function moved(setting: string, move: (path: string) => string): string {
  const equals = setting.indexOf('=');
  const key = setting.slice(0, equals);
  const value: unknown = isPathSetting(key.split('.')) ? parseDocument(setting.slice(equals + 1)).toJS() : undefined;
  return typeof value !== 'string' || isRemote(value) ? setting : `${key}=${JSON.stringify(move(value))}`;
}
