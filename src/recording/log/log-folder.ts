import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import { assertRecordingName } from '../columns/recording-name.ts';
import { requireLocal } from '../remote/storage-url.ts';

const FOLDER = '.recording';
const LOG_NAME = /^(\d{8}T\d{6}Z)\.log(\.gz|\.damaged)?$/;

/** The folder in a recording in which its recorder works. */
export interface LogFolder {
  readonly dataDir: string;
  /** Of the recording. */
  readonly name: string;
  readonly path: string;
  /** A line for each log that has become parts of series. */
  readonly coverage: string;
  readonly lock: string;
}

/** @throws TidegateError USAGE for a name that is no plain folder name, or a URL; DATA_INVALID where it cannot be made. */
export function openLogFolder(dataDir: string, name: string): LogFolder {
  requireLocal(dataDir, 'what is recorded');
  assertRecordingName(name);
  const path = join(dataDir, name, FOLDER);
  try {
    mkdirSync(path, { recursive: true });
  } catch (cause) {
    throw new TidegateError('DATA_INVALID', `cannot make the folder ${path}: ${(cause as Error).message}`, { cause });
  }
  return { dataDir, name, path, coverage: join(path, 'coverage.jsonl'), lock: join(path, 'lock') };
}

/** Starts of the logs that are still to become parts, the oldest first. */
export function openLogs({ path }: Pick<LogFolder, 'path'>): string[] {
  return starts(path, undefined);
}

/** Paths of such logs, for who only reads a recording; none where nobody recorded into it. */
export function openLogPaths(recordingFolder: string): string[] {
  const path = join(recordingFolder, FOLDER);
  return existsSync(path) ? openLogs({ path }).map((start) => logPath({ path }, start)) : [];
}

/** The start of the log that a path is of; `undefined` of other files. */
export function startOf(path: string): string | undefined {
  const [, start, packed] = LOG_NAME.exec(basename(path)) ?? [];
  return packed === undefined ? start : undefined;
}

export function logPath(folder: Pick<LogFolder, 'path'>, start: string): string {
  return join(folder.path, `${start}.log`);
}

/** A name for a log that begins at `time` (epoch ms): a second later than every other one where its own is taken. */
export function nextStart(folder: LogFolder, time: number, newest: string): string {
  const taken = [...starts(folder.path, undefined), ...starts(folder.path, '.gz'), ...starts(folder.path, '.damaged'), newest]
    .sort()
    .at(-1)!;
  const own = startText(time);
  return own > taken ? own : startText(timeOf(taken) + 1_000);
}

function starts(path: string, ending: string | undefined): string[] {
  const found = readdirSync(path).flatMap((file) => {
    const [, start, packed] = LOG_NAME.exec(file) ?? [];
    return start !== undefined && packed === ending ? [start] : [];
  });
  return found.sort();
}

/** `20261122T130000Z`. */
function startText(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;
}

function timeOf(start: string): number {
  return Date.parse(start.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
}
