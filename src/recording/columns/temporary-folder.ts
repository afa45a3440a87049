import { closeSync, fsyncSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import { gcd } from './decimal-units.ts';
import type { RowBuffer } from './row-buffer.ts';
import { SERIES_COLUMNS, type SeriesKind } from './series-meta.ts';

/** Keeps the greatest common divisor of all prices seen. */
export class PriceStep {
  /** In price units; 0 before the first price other than zero. */
  units = 0;
  readonly #priceColumns: readonly number[];

  constructor(kind: SeriesKind) {
    this.#priceColumns = SERIES_COLUMNS[kind].flatMap((column, index) => (column.unit === 'price' ? [index] : []));
  }

  update(buffer: RowBuffer): void {
    for (const index of this.#priceColumns) this.units = columnStep(buffer.columns[index]!, buffer.rows, this.units);
  }
}

/** The divisor test is a division and a product of safe integers, which is exact and far faster than `%` on doubles. */
function columnStep(column: Float64Array, rows: number, start: number): number {
  let step = start;
  for (let row = 0; row < rows && step !== 1; row++) {
    const price = Math.abs(column[row]!);
    if (step === 0 || price - Math.floor(price / step) * step !== 0) step = gcd(step, price);
  }
  return step;
}

const FLAG = SERIES_COLUMNS.depth.findIndex(({ name }) => name === 'snapshot');

/** Counts the snapshots of depth: rows of one time that are the whole order book. */
export class SnapshotCount {
  count = 0;
  /** Time of the newest row of a snapshot: microseconds, and nanoseconds beyond. */
  #us = Number.NaN;
  #nanos = 0;

  update({ time, nanos, rows, columns }: RowBuffer): void {
    const flags = columns[FLAG]!;
    for (let row = 0; row < rows; row++) {
      if (flags[row] === 0 || (time[row] === this.#us && nanos[row] === this.#nanos)) continue;
      this.count++;
      this.#us = time[row]!;
      this.#nanos = nanos[row]!;
    }
  }
}

/** Begins the name of every folder that a writer fills before its series is complete. */
const TEMPORARY_PREFIX = '.writing-';

const STALE_AFTER_MS = 3_600_000;

interface TemporaryFile {
  readonly temporary: string;
  /** The file `bin` in the temporary folder, open for writing. */
  readonly file: number;
  /** The outermost folder that had to be made; undefined when `folder` was there. */
  readonly firstCreated: string | undefined;
}

/**
 * Makes `folder` and a temporary folder in it, and opens the file to fill.
 * @throws TidegateError DATA_INVALID naming the folder when it cannot be written to.
 */
export function openTemporary(folder: string): TemporaryFile {
  let firstCreated: string | undefined;
  try {
    firstCreated = mkdirSync(folder, { recursive: true });
    const temporary = mkdtempSync(join(folder, TEMPORARY_PREFIX));
    sweepLeftovers(folder, temporary, TEMPORARY_PREFIX);
    return { temporary, file: openSync(join(temporary, 'bin'), 'wx'), firstCreated };
  } catch (cause) {
    removeEmptyFolders(folder, firstCreated);
    throw cannotWrite(folder, cause);
  }
}

/** DATA_INVALID for a folder that cannot be written to. */
export function cannotWrite(folder: string, cause: unknown): TidegateError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new TidegateError('DATA_INVALID', `${folder}: cannot be written to (${reason}); --data-dir sets another place`, { cause });
}

/** Removes `folder` and its parents up to and including `top` while they are empty; nothing without a `top`. */
export function removeEmptyFolders(folder: string, top: string | undefined): void {
  if (top === undefined) return;
  for (let path = folder; path.length >= top.length; path = dirname(path)) {
    try {
      rmdirSync(path);
    } catch {
      return;
    }
    if (path === top || dirname(path) === path) return;
  }
}

/** Makes the names in a folder durable. */
export function syncFolder(folder: string): void {
  const file = openSync(folder, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function newestChange(folder: string): number {
  try {
    return Math.max(statSync(folder).mtimeMs, ...readdirSync(folder).map((name) => statSync(join(folder, name)).mtimeMs));
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/**
 * Removes what writers that were killed left in `folder`: folders whose names begin with `prefix`, untouched for an hour (or
 * `staleAfterMs`) before `fresh`, which was made just now. Younger ones may belong to a writer at work.
 */
export function sweepLeftovers(folder: string, fresh: string, prefix: string, staleAfterMs = STALE_AFTER_MS): void {
  const now = statSync(fresh).mtimeMs;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (name.startsWith(prefix) && now - newestChange(path) > staleAfterMs) rmSync(path, { recursive: true, force: true });
  }
}
