import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import { loadConfig, readConfig } from '../config/load-config.ts';
import { type BotFolder, type BotMode, botFolder } from '../planning/bot-folder.ts';

/** The folder of a bot, or one that may have bots and cannot be read. */
export interface FoundBot {
  readonly name: string;
  /** Absent where only a folder is known. */
  readonly mode?: BotMode;
  readonly folder: BotFolder;
  /** Why its folder cannot be read. */
  readonly unreadable?: string;
}

/** Folders of bots are searched for so many levels below a folder. */
const DEPTH = 3;
const SKIPPED = /^(\.|node_modules$)/;
/** `<name>-<mode>`, as bots name their folders. */
const NAMED = /^(.+)-(paper|live)$/;
/** A bot has at least one of these from its start on. */
const MARKS: readonly (keyof BotFolder)[] = ['journal', 'heartbeat', 'control'];

/**
 * Finds the bots of configs and folders. A config gives its bots whether they have run or not; a folder gives those that it has, up to three
 * levels below it. A bot that is found twice is there once.
 * @throws TidegateError USAGE for a path that does not exist, and the errors of a config.
 */
export function findBots(paths: readonly string[]): FoundBot[] {
  const found = paths.flatMap((path) => {
    const status = statSync(path, { throwIfNoEntry: false });
    if (status === undefined) throw new TidegateError('USAGE', `${path}: no such config or folder`);
    return status.isDirectory() ? inFolder(resolve(path), DEPTH) : ofConfig(path);
  });
  return [...new Map(found.map((bot) => [bot.folder.path, bot])).values()];
}

function ofConfig(path: string): FoundBot[] {
  const { value: written } = readConfig(path, { env: process.env });
  const { config } = loadConfig(path, { withoutBacktest: true, set: ['live.enabled=false'], env: process.env });
  const { name, live, paper } = config;
  const dirs: readonly (readonly [BotMode, string | undefined])[] = [
    ['live', live?.dir],
    ['paper', paper?.dir],
  ];
  return dirs.flatMap(([mode, dir]) => {
    if (dir === undefined) return [];
    const folder = botFolder(dir, name, mode);
    const isThere = existsSync(folder.path);
    // Sections that a config lacks have defaults, and no bot until it was started.
    if (!isThere && written[mode] === undefined) return [];
    return [{ name, mode, folder: isThere ? botFolder(dirname(realpathSync(folder.path)), name, mode) : folder }];
  });
}

function inFolder(given: string, depth: number): FoundBot[] {
  // A link leads to the folder itself, which is then found once.
  const path = realpathSync(given);
  const [, name, mode] = NAMED.exec(basename(path)) ?? [];
  let names: string[];
  try {
    names = readdirSync(path).filter((one) => !SKIPPED.test(one) && isFolder(join(path, one)));
  } catch (error) {
    const folder = botFolder(dirname(path), name ?? basename(path), (mode as BotMode | undefined) ?? 'live');
    const common = { name: name ?? basename(path), ...(mode !== undefined && { mode: mode as BotMode }) };
    return [{ ...common, folder: { ...folder, path }, unreadable: (error as Error).message }];
  }
  if (name !== undefined) {
    const folder = botFolder(dirname(path), name, mode as BotMode);
    if (MARKS.some((mark) => existsSync(folder[mark] as string))) return [{ name, mode: mode as BotMode, folder }];
  }
  return depth === 0 ? [] : names.sort().flatMap((one) => inFolder(join(path, one), depth - 1));
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // A link to nothing, or in a circle.
    return false;
  }
}
