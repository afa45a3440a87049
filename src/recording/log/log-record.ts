import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { TidegateError } from '../../model/errors.ts';
import { assertRecordingName } from '../columns/series-meta.ts';
import { requireLocal } from '../remote-storage.ts';

/** The first record of a log. */
export interface LogStart {
  readonly kind: 'start';
  readonly version: 1;
  /** Epoch ms. */
  readonly time: number;
  readonly symbols: readonly string[];
  /** Longer than this between two polls, in ms, is a gap. */
  readonly silentMs: number;
  /** The newest time of the previous log, and how that log ended; absent in the first log of a recording. */
  readonly after?: { readonly time: number; readonly end: LogEnding } | undefined;
}

/** A price as received: `[symbol, last price, the exchange's epoch ms, mark price]`; only contracts have a mark. */
export type LoggedPrice =
  | readonly [symbol: string, last: string, exchangeTime: number]
  | readonly [symbol: string, last: string, exchangeTime: number, mark: string];

/** One poll. For a symbol that is neither in `prices` nor in `missing`, the price was unchanged. */
export interface LoggedPoll {
  readonly kind: 'poll';
  /** Epoch ms at which the replies had arrived: later than every earlier record. */
  readonly time: number;
  /** Prices that have changed since the previous record; in the first poll of a recorder, all of them. */
  readonly prices?: readonly LoggedPrice[] | undefined;
  /** Symbols without a reply, and the reason. */
  readonly missing?: readonly (readonly [symbol: string, reason: string])[] | undefined;
}

/** Polls that could not be written; recorded once writing is possible again. */
interface LostPolls {
  readonly kind: 'lost';
  readonly time: number;
  readonly polls: number;
  readonly reason: string;
}

/** The last record of a log that was closed normally. */
interface LogEnd {
  readonly kind: 'end';
  readonly time: number;
  readonly end: LogEnding;
}

/** `cut`: there is no end record, because the process was killed or power was lost. */
export type LogEnding = 'rotated' | 'stopped' | 'cut';

export type LogRecord = LogStart | LoggedPoll | LostPolls | LogEnd;

/** `LLLLLLLL CCCCCCCC `: the JSON's length in bytes, and the CRC-32 of that length and the JSON, in hex. */
const HEAD_BYTES = 18;
const HEAD = /^([0-9a-f]{8}) ([0-9a-f]{8}) $/;
const NEW_LINE = 0x0a;
const SPACE = 0x20;

/** Bytes between complete records that are not a record; never at the end of the file. */
export interface Damage {
  readonly kind: 'damaged';
  /** Offset in the file. */
  readonly at: number;
  readonly bytes: number;
}

export interface LogReading {
  /** Every complete record in order, with the damage between them. */
  readonly records: readonly (LogRecord | Damage)[];
  /** Bytes up to the end of the last complete record. */
  readonly wholeBytes: number;
  /** Bytes after that: a record that was not completely written when the process died. */
  readonly tornBytes: number;
}

/** A record as the line of a log: head, JSON, line feed. */
export function logLine(record: LogRecord): Buffer {
  const json = Buffer.from(JSON.stringify(record));
  const length = hex(json.length);
  return Buffer.concat([Buffer.from(`${length} ${hex(crc32(json, crc32(length)))} `), json, Buffer.of(NEW_LINE)]);
}

/** Reads a log. Only bytes whose checksum matches are a record; nothing is repaired. */
export function readLogLines(bytes: Buffer): LogReading {
  const records: (LogRecord | Damage)[] = [];
  let at = 0;
  while (at < bytes.length) {
    const end = lineEnd(bytes, at);
    if (end === undefined) {
      const next = nextLine(bytes, at);
      if (next === undefined) break;
      records.push({ kind: 'damaged', at, bytes: next - at });
      at = next;
    } else {
      records.push(JSON.parse(bytes.toString('utf8', at + HEAD_BYTES, end - 1)) as LogRecord);
      at = end;
    }
  }
  return { records, wholeBytes: at, tornBytes: bytes.length - at };
}

/** End of the complete line that begins at `at`; `undefined` where there is none. */
function lineEnd(bytes: Buffer, at: number): number | undefined {
  const [, length = '', checksum = ''] = HEAD.exec(bytes.toString('latin1', at, at + HEAD_BYTES)) ?? [];
  if (length === '') return undefined;
  const end = at + HEAD_BYTES + Number.parseInt(length, 16) + 1;
  if (end > bytes.length || bytes[end - 1] !== NEW_LINE) return undefined;
  const crc = crc32(bytes.subarray(at + HEAD_BYTES, end - 1), crc32(length));
  return crc === Number.parseInt(checksum, 16) ? end : undefined;
}

/** Start of the next complete line after a damaged one. It may be anywhere, as the line feed itself may be damaged. */
function nextLine(bytes: Buffer, from: number): number | undefined {
  for (let at = from + 1; at <= bytes.length - HEAD_BYTES; at++) {
    if (bytes[at + 8] === SPACE && bytes[at + HEAD_BYTES - 1] === SPACE && lineEnd(bytes, at) !== undefined) return at;
  }
  return undefined;
}

function hex(value: number): string {
  return value.toString(16).padStart(8, '0');
}

const FOLDER = '.recording';
const LOG_NAME = /^(\d{8}T\d{6}Z)\.log(\.gz|\.damaged)?$/;

/** The working folder of a recorder inside its recording. */
export interface LogFolder {
  readonly dataDir: string;
  /** Name of the recording. */
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

/** Starts of the logs that have not become parts yet, the oldest first. */
export function openLogs({ path }: Pick<LogFolder, 'path'>): string[] {
  return starts(path, undefined);
}

/** Paths of such logs, for readers of a recording; empty where it has no recorder. */
export function openLogPaths(recordingFolder: string): string[] {
  const path = join(recordingFolder, FOLDER);
  return existsSync(path) ? openLogs({ path }).map((start) => logPath({ path }, start)) : [];
}

/** The start of a log, from its path; `undefined` for other files. */
export function startOf(path: string): string | undefined {
  const [, start, packed] = LOG_NAME.exec(basename(path)) ?? [];
  return packed === undefined ? start : undefined;
}

export function logPath(folder: Pick<LogFolder, 'path'>, start: string): string {
  return join(folder.path, `${start}.log`);
}

/** A name for a log that begins at `time` (epoch ms); where that name is used, a second later than every other one. */
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
