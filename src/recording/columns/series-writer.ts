import { createHash } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import { openTemporary, removeEmptyFolders, syncFolder, writeWhole } from '../files.ts';
import { ChunkEncoder, type RowBuffer } from './chunks.ts';
import { decimalText, gcd } from './decimals.ts';
import {
  assertRecordingName,
  type ClockOffset,
  calendarSlackMs,
  SERIES_COLUMNS,
  type SeriesKind,
  type SeriesMeta,
  type SyntheticOrigin,
  seriesFileName,
} from './series-meta.ts';

/** Path and id of a series to be written. */
export interface SeriesTarget {
  readonly dataDir: string;
  /** Name of the recording: its folder under `dataDir`. */
  readonly name: string;
  readonly symbol: string;
  readonly kind: SeriesKind;
  readonly intervalMs?: number | undefined;
  /** Replaces an existing series; without it an existing series is DATA_EXISTS. */
  readonly replace?: boolean | undefined;
  /** Throws where the series must not be written; called before the first row and after the last. */
  readonly refuse?: ((series: SeriesTarget) => void) | undefined;
}

/** The part of the meta that is known only after the last row. */
export interface SeriesEnding {
  readonly priceDecimals: number;
  readonly quantityDecimals: number;
  readonly source: readonly string[];
  readonly synthetic?: SyntheticOrigin | undefined;
  readonly clock?: ClockOffset | undefined;
}

/**
 * Writes one series in bounded memory. Rows are written to a temporary folder inside the recording; `finish` renames it into place, after
 * fsync; `abort` leaves nothing behind, not even an empty folder.
 */
export class SeriesWriter {
  readonly #target: SeriesTarget;
  readonly #folder: string;
  readonly #firstCreated: string | undefined;
  readonly #temporary: string;
  readonly #file: number;
  readonly #encoder: ChunkEncoder;
  readonly #hash = createHash('sha256');
  readonly #step: PriceStep;
  readonly #snapshots = new SnapshotCount();
  #closed = false;
  #rows = 0;
  #firstUs = 0;
  #lastUs = 0;
  #gaps = 0;

  /** @throws TidegateError DATA_EXISTS when the series exists and `replace` is not set; USAGE for a bad name; DATA_INVALID where nothing can be written. */
  constructor(target: SeriesTarget) {
    assertRecordingName(target.name);
    this.#target = target;
    this.#folder = resolve(target.dataDir, target.name);
    refuseExisting(target);
    const place = openTemporary(this.#folder);
    this.#firstCreated = place.firstCreated;
    this.#temporary = place.temporary;
    this.#file = place.file;
    this.#encoder = new ChunkEncoder(SERIES_COLUMNS[target.kind].length + 1);
    this.#step = new PriceStep(target.kind);
  }

  /** Rows written so far. */
  get rows(): number {
    return this.#rows;
  }

  /** Appends the buffer's rows as one chunk and empties it; ignores an empty buffer. */
  write(buffer: RowBuffer): void {
    if (buffer.rows === 0) return;
    if (this.#rows === 0) this.#firstUs = buffer.time[0]!;
    this.#countGaps(buffer);
    this.#step.update(buffer);
    if (buffer.kind === 'depth') this.#snapshots.update(buffer);
    const bytes = this.#encoder.encode(buffer);
    writeWhole(this.#file, bytes);
    this.#hash.update(bytes);
    this.#rows += buffer.rows;
    this.#lastUs = buffer.time[buffer.rows - 1]!;
    buffer.rows = 0;
  }

  /** Makes the series durable and visible, and returns its meta. At least one row must have been written. */
  finish(ending: SeriesEnding): SeriesMeta {
    const { symbol, kind, intervalMs } = this.#target;
    const meta: SeriesMeta = {
      version: 1,
      symbol,
      kind,
      ...(intervalMs === undefined ? {} : { intervalMs }),
      rows: this.#rows,
      firstTime: this.#firstUs / 1_000,
      lastTime: this.#lastUs / 1_000,
      priceDecimals: ending.priceDecimals,
      quantityDecimals: ending.quantityDecimals,
      priceStep: decimalText(this.#step.units, ending.priceDecimals),
      sha256: this.#hash.digest('hex'),
      source: ending.source,
      ...(ending.synthetic === undefined ? {} : { synthetic: ending.synthetic }),
      ...(ending.clock === undefined ? {} : { clock: ending.clock }),
      ...(kind === 'depth' && { snapshots: this.#snapshots.count }),
      ...(intervalMs === undefined ? {} : { gaps: this.#gaps }),
    };
    fsyncSync(this.#file);
    closeSync(this.#file);
    this.#closed = true;
    refuseExisting(this.#target);
    this.#place(meta);
    return meta;
  }

  /** Removes the written rows. Safe to call after `finish` or twice. */
  abort(): void {
    if (!this.#closed) closeSync(this.#file);
    this.#closed = true;
    rmSync(this.#temporary, { recursive: true, force: true });
    removeEmptyFolders(this.#folder, this.#firstCreated);
  }

  /** The meta is removed first and written last: a series without its meta does not exist. */
  #place(meta: SeriesMeta): void {
    const path = join(this.#folder, seriesFileName(meta));
    const json = join(this.#temporary, 'json');
    writeFileSync(json, `${JSON.stringify(meta, undefined, 2)}\n`, { flush: true });
    rmSync(`${path}.json`, { force: true });
    renameSync(join(this.#temporary, 'bin'), `${path}.bin`);
    renameSync(json, `${path}.json`);
    rmSync(this.#temporary, { recursive: true, force: true });
    syncFolder(this.#folder);
  }

  #countGaps(buffer: RowBuffer): void {
    const interval = (this.#target.intervalMs ?? 0) * 1_000;
    if (interval === 0) return;
    const slack = calendarSlackMs(this.#target.intervalMs!) * 1_000;
    const { time, rows } = buffer;
    let previous = this.#rows === 0 ? time[0]! - interval : this.#lastUs;
    for (let row = 0; row < rows; row++) {
      const now = time[row]!;
      if (Math.abs(now - previous - interval) > slack) this.#gaps++;
      previous = now;
    }
  }
}

function refuseExisting(target: SeriesTarget): void {
  target.refuse?.(target);
  const path = join(target.dataDir, target.name, `${seriesFileName(target)}.json`);
  if (target.replace || !existsSync(path)) return;
  throw new TidegateError('DATA_EXISTS', `${path}: this series exists already; --replace replaces it, another --name keeps both`);
}

/** Keeps the greatest common divisor of all prices so far. */
class PriceStep {
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

/** Tests divisibility with a division and a product of safe integers, which is exact and far faster than `%` on doubles. */
function columnStep(column: Float64Array, rows: number, start: number): number {
  let step = start;
  for (let row = 0; row < rows && step !== 1; row++) {
    const price = Math.abs(column[row]!);
    if (step === 0 || price - Math.floor(price / step) * step !== 0) step = gcd(step, price);
  }
  return step;
}

const SNAPSHOT_COLUMN = SERIES_COLUMNS.depth.findIndex(({ name }) => name === 'snapshot');

/** Counts the snapshots of depth: times whose rows are the whole order book. */
export class SnapshotCount {
  count = 0;
  /** Time of the newest row of a snapshot: microseconds, and nanoseconds beyond. */
  #us = Number.NaN;
  #nanos = 0;

  update({ time, nanos, rows, columns }: RowBuffer): void {
    const flags = columns[SNAPSHOT_COLUMN]!;
    for (let row = 0; row < rows; row++) {
      if (flags[row] === 0 || (time[row] === this.#us && nanos[row] === this.#nanos)) continue;
      this.count++;
      this.#us = time[row]!;
      this.#nanos = nanos[row]!;
    }
  }
}
