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
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { TidegateError } from '../../model/errors.ts';
import { removeEmptyFolders } from '../../recording/files.ts';
import type { DownloadRequest, HistoryRow } from './ccxt.ts';

/** The rows of one time are looked for in so much of the file's end. */
const TAIL_BYTES = 1 << 20;

/**
 * The file in which a download gathers, `<dataDir>/.downloads/<recording>/<exchange>.<series>.csv`, and beside it the request.
 * Rows are appended page by page; a download that was ended goes on after the last whole row.
 */
export class DownloadFile {
  readonly path: string;
  /** Time of the last row that was there when it was opened, epoch ms. */
  readonly lastTime: number | undefined;
  /** The ids of the rows at `lastTime`, where rows can share a time. */
  readonly lastIds: ReadonlySet<string>;
  readonly #folder: string;
  readonly #file: number;
  #closed = false;
  #appended = false;

  /**
   * Opens the file to write on, or makes it.
   * @param name of the file, without its ending.
   * @throws TidegateError USAGE where an unfinished download of another request stands there.
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

  /** True while it holds no row. */
  get empty(): boolean {
    return this.lastTime === undefined && !this.#appended;
  }

  append(rows: readonly HistoryRow[]): void {
    if (rows.length === 0) return;
    this.#appended = true;
    const lines = rows.map(({ time, cells }) => `${[time, ...cells].join(',')}\n`).join('');
    writeSync(this.#file, lines, fstatSync(this.#file).size);
  }

  close(): void {
    if (!this.#closed) closeSync(this.#file);
    this.#closed = true;
  }

  /** Takes the file and its request away, and the folders that are empty then. */
  remove(): void {
    this.close();
    removeDownload(this.#folder, this.path);
  }
}

/** Takes away what an unfinished download of that name left. */
export function removeDownload(folder: string, path: string): void {
  // The request goes first: without it nothing goes on.
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
    `${about}: an unfinished download with other options is there: ${options}; the same options go on with it, --restart drops it`,
  );
}

/** The request comes last: without it the rows do not count. */
function begin(folder: string, about: string, path: string, request: DownloadRequest, columns: readonly string[]): void {
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, `${columns.join(',')}\n`);
    writeFileSync(`${about}.writing`, JSON.stringify(request), { flush: true });
    renameSync(`${about}.writing`, about);
  } catch (cause) {
    throw new TidegateError(
      'DATA_INVALID',
      `${folder}: cannot be written to (${(cause as Error).message}); --data-dir sets another place`,
      { cause },
    );
  }
}

/** Cuts off a row that was not written whole, and reads the last. */
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

/** As `History` gives it to rows that have none. */
function idOf(cells: readonly string[], column: number): string {
  return cells[column] || cells.slice(1).join('/');
}
