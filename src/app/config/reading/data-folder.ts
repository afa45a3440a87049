import { readdirSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { TidegateError } from '../../../model/errors.ts';
import { recordedPlaces } from '../../../recording/catalogue/series-places.ts';
import { isRecordingName } from '../../../recording/columns/series-meta.ts';

const NAME = 'data';
/** The folder where there is no other, relative to the config's folder. */
const FALLBACK = '../data';

/**
 * The folder of the recordings of a config without `dataDir`: the nearest folder `data` that has a recording, in the config's folder or
 * above it. Without one it is the nearest folder `data`, and without any it is `../data`. The root of the file system is not searched.
 * @param folder the config's folder.
 */
export function nearestDataFolder(folder: string): string {
  const there = searchedDataFolders(folder).filter(isFolder);
  return there.find(hasRecording) ?? there[0] ?? resolve(folder, FALLBACK);
}

/** The folders that `nearestDataFolder` looks at, nearest first. */
export function searchedDataFolders(folder: string): readonly string[] {
  const found: string[] = [];
  for (let at = resolve(folder); at !== dirname(at); at = dirname(at)) found.push(join(at, NAME));
  return found;
}

/** The folder of recordings of a command without `--data-dir`. */
export interface CommandDataFolder {
  readonly folder: string;
  /** The folders that were searched, nearest first. */
  readonly searched: readonly string[];
}

/**
 * The folder of recordings of a `data` command: the nearest folder `data` that has a recording, in the working directory or above it, as a
 * config there finds it; without one, `data` in the working directory.
 * @param writes whether the command writes: then a folder `data` of the working directory is used as it is.
 */
export function commandDataFolder(workingDirectory: string, writes: boolean): CommandDataFolder {
  const searched = searchedDataFolders(workingDirectory);
  const own = resolve(workingDirectory, NAME);
  const found = writes && isFolder(own) ? own : (searched.find((folder) => isFolder(folder) && hasRecording(folder)) ?? own);
  return { folder: relative(workingDirectory, found), searched };
}

/**
 * Adds the searched folders to the error about a recording that was not found.
 * @param folders empty if none was searched.
 * @param setting the one that names a folder.
 */
export function namingFolders(folders: readonly string[], setting: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof TidegateError) || !error.message.startsWith('no recording ') || folders.length === 0) throw error;
    const searched = `${setting} is not set, so the nearest folder with recordings was looked for: ${folders.join(', ')}`;
    throw new TidegateError(error.code, `${error.message}; ${searched}`, { cause: error });
  };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function hasRecording(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => isRecordingName(name) && recordedPlaces(join(folder, name)).length > 0);
  } catch {
    // Other users' folders may not be readable.
    return false;
  }
}
