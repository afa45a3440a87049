import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { TidegateError } from '../../model/errors.ts';
import { removeEmptyFolders, writeWhole } from '../../recording/files.ts';
import type { DownloadRequest, HistoryRow } from './ccxt.ts';

/** The size of the file's end that is searched for the rows of the last time. */
const TAIL_BYTES = 1 << 20;

/**
 * The file of a download in progress, `<dataDir>/.downloads/<recording>/<exchange>.<series>.csv`, and a JSON file with its request. Rows
 * are appended page by page. An interrupted download continues after the last complete row.
 */
export class DownloadFile {
  readonly path: string;
  /** Time of the last row when the file was opened, epoch ms. */
  readonly lastTime: number | undefined;
  /** The ids of the rows at `lastTime`, if rows can have the same time. */
  readonly lastIds: ReadonlySet<string>;
  readonly #folder: string;
  readonly #file: number;
  #closed = false;
  #appended = false;

  /**
   * Opens the file to continue it, or creates it.
   * @param name of the file, without its extension.
   * @throws TidegateError USAGE if there is an unfinished download of another request.
   */
  constructor(folder: string, name: string, request: DownloadRequest, columns: readonly string[]) {
    this.path = join(folder, `${name}.csv`);
    this.#folder = folder;
    const about = `${this.path.slice(0, -4)}.json`;
    if (existsSync(about)) assertSame(about, request);
    else begin(folder, about, this.path, request, columns);
    this.#file = openSync(this.path, 'r+');
    const last = cutTail(this.#file, columns);
    this.lastTime = last.time;
    this.lastIds = last.ids;
  }

  /** True if the file has no rows. */
  get empty(): boolean {
    return this.lastTime === undefined && !this.#appended;
  }

  append(rows: readonly HistoryRow[]): void {
    if (rows.length === 0) return;
    this.#appended = true;
    const lines = rows.map(({ time, cells }) => `${[time, ...cells].join(',')}\n`).join('');
    writeWhole(this.#file, lines, fstatSync(this.#file).size);
  }

  close(): void {
    if (!this.#closed) closeSync(this.#file);
    this.#closed = true;
  }

  /** Removes the file and its request, and folders that are empty then. */
  remove(): void {
    this.close();
    removeDownload(this.#folder, this.path);
  }
}

/** Removes the files of an unfinished download. */
export function removeDownload(folder: string, path: string): void {
  // The request is removed first: without it, no download continues.
  rmSync(`${path.slice(0, -4)}.json`, { force: true });
  rmSync(path, { force: true });
  removeEmptyFolders(folder, dirname(folder));
}

function assertSame(about: string, request: DownloadRequest): void {
  const there = JSON.parse(readFileSync(about, 'utf8')) as DownloadRequest;
  if (isDeepStrictEqual(there, JSON.parse(JSON.stringify(request)))) return;
  const options = JSON.stringify(there);
  throw new TidegateError(
    'USAGE',
    `${about}: there is an unfinished download with other options: ${options}; use the same options to continue it, or --restart to delete it`,
  );
}

/** Creates both files. The request is written last: without it, the rows do not count. */
function begin(folder: string, about: string, path: string, request: DownloadRequest, columns: readonly string[]): void {
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, `${columns.join(',')}\n`);
    writeFileSync(`${about}.writing`, JSON.stringify(request), { flush: true });
    renameSync(`${about}.writing`, about);
  } catch (cause) {
    throw new TidegateError(
      'DATA_INVALID',
      `${folder}: cannot write there (${(cause as Error).message}); use --data-dir for another directory`,
      { cause },
    );
  }
}

/** Removes an incomplete last row, and reads the last complete one. */
function cutTail(file: number, columns: readonly string[]): { time: number | undefined; ids: ReadonlySet<string> } {
  const { size } = fstatSync(file);
  const from = Math.max(0, size - TAIL_BYTES);
  const tail = Buffer.alloc(size - from);
  readSync(file, tail, 0, tail.length, from);
  const whole = tail.lastIndexOf('\n') + 1;
  ftruncateSync(file, from + whole);
  const lines = tail.toString('utf8', 0, whole).split('\n').slice(0, -1);
  const rows = lines.map((line) => line.split(',')).filter(([time]) => /^\d+$/.test(time!));
  const time = rows.at(-1)?.[0];
  if (time === undefined) return { time: undefined, ids: new Set() };
  const id = columns.indexOf('id');
  const ids = rows.filter((cells) => cells[0] === time).map((cells) => idOf(cells, id));
  return { time: Number(time), ids: new Set(ids) };
}

/** The id of a row, as `History` makes it for rows without an id. */
function idOf(cells: readonly string[], column: number): string {
  return cells[column] || cells.slice(1).join('/');
}
