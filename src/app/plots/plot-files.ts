import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, readFileSync, readSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plot, Plots } from '../../ports/plots.ts';
import { writeWhole } from '../../recording/files.ts';
import { csvCells, csvRows, csvText } from '../base/csv.ts';

/** The table of all values, and the file that says how each plot is drawn. */
export const PLOTS_TABLE = 'plots.csv';
const PLOTS_LIST = 'plots.json';

const HEADER = ['time', 'strategy', 'symbol', 'name', 'value'] as const;
/** Rows are written together when they have this many letters. */
const PIECE_LETTERS = 1 << 16;

interface PlotFilesOptions {
  /** At most one value of each plot in each period of this length, in ms: the last one. By default, one for each time. */
  readonly everyMs?: number;
  /** Rows are written at the end of each period, and added to those of an earlier run. */
  readonly append?: boolean;
  /** Called once when the files cannot be written. Nothing more is written then; without it, `close` throws. */
  readonly failed?: (error: unknown) => void;
}

/** The newest value of a plot that is not written yet. */
interface Newest {
  time: number;
  value: number;
}

/**
 * Writes `plots.csv`, a row for each value in order of time, and `plots.json`. A run that plots nothing has neither. A row without a value
 * is the begin of a gap. A strategy never gets an error of a file: it ends the writing, and not the run.
 */
export class PlotFiles implements Plots {
  readonly #folder: string;
  readonly #options: PlotFilesOptions;
  readonly #newest = new Map<Plot, Newest>();
  /** Plots whose last row has a value: only they can begin a gap. */
  readonly #drawn = new Set<Plot>();
  readonly #known = new Set<Plot>();
  #listed = 0;
  #period = Number.NEGATIVE_INFINITY;
  #rows = '';
  #begun = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(folder: string, options: PlotFilesOptions = {}) {
    this.#folder = folder;
    this.#options = options;
  }

  point(plot: Plot, time: number, value: number): void {
    const { everyMs, append } = this.#options;
    const period = everyMs === undefined ? time : Math.floor(time / everyMs);
    if (period !== this.#period) {
      this.#collect();
      this.#period = period;
      if (append === true || this.#rows.length > PIECE_LETTERS) this.#flush();
    }
    const newest = this.#newest.get(plot);
    if (newest === undefined) this.#newest.set(plot, { time, value });
    else [newest.time, newest.value] = [time, value];
  }

  /** Writes the rest. @throws the error that ended the writing, if `failed` did not take it. */
  close(): void {
    this.#collect();
    this.#flush();
    if (this.#failure !== undefined && this.#options.failed === undefined) throw this.#failure.error;
  }

  /** The period is over: its values become rows. */
  #collect(): void {
    if (this.#failure === undefined) {
      const points = [...this.#newest];
      if (this.#options.everyMs !== undefined) points.sort(([, one], [, other]) => one.time - other.time);
      for (const [plot, { time, value }] of points) this.#row(plot, time, value);
    }
    this.#newest.clear();
  }

  #row(plot: Plot, time: number, value: number): void {
    const isGap = Number.isNaN(value);
    if (isGap && !this.#drawn.delete(plot)) return;
    if (!isGap) this.#drawn.add(plot);
    this.#known.add(plot);
    this.#rows += `${csvText([time, plot.strategyId, plot.symbol, plot.name, isGap ? undefined : value])}\n`;
  }

  #flush(): void {
    if (this.#rows === '') return;
    try {
      this.#append(this.#rows);
      if (this.#known.size > this.#listed) this.#list();
      this.#listed = this.#known.size;
    } catch (error) {
      this.#failure = { error };
      this.#options.failed?.(error);
    }
    this.#rows = '';
  }

  /** The file is opened for each piece: a user may move a bot's table away at any time. */
  #append(rows: string): void {
    const path = join(this.#folder, PLOTS_TABLE);
    if (!this.#begun && existsSync(path)) cutHalfRow(path);
    this.#begun = true;
    const file = openSync(path, 'a+');
    try {
      writeWhole(file, fstatSync(file).size === 0 ? `${HEADER.join(',')}\n${rows}` : rows);
    } finally {
      closeSync(file);
    }
  }

  /** Plots of an earlier run stay in the list. */
  #list(): void {
    const path = join(this.#folder, PLOTS_LIST);
    const plots = this.#options.append === true ? listIn(this.#folder) : new Map<string, Plot>();
    for (const plot of this.#known) plots.set(keyOf(plot), plot);
    const lines = [...plots.values()].map(({ strategyId, ...rest }) => JSON.stringify({ strategy: strategyId, ...rest }));
    writeFileSync(`${path}.part`, `[\n${lines.join(',\n')}\n]\n`);
    renameSync(`${path}.part`, path);
  }
}

/** A process that was killed can leave half of a row at the end of the table, and so can a copy of it that was made meanwhile. */
export function cutHalfRow(path: string): void {
  const file = openSync(path, 'r+');
  try {
    const { size } = fstatSync(file);
    const tail = new Uint8Array(Math.min(size, PIECE_LETTERS));
    readSync(file, tail, 0, tail.length, size - tail.length);
    const end = size - tail.length + tail.lastIndexOf(10) + 1;
    if (end < size) ftruncateSync(file, end);
  } finally {
    closeSync(file);
  }
}

/** A value of `plots.csv`; `NaN` is the begin of a gap. */
export interface PlotPoint {
  readonly plot: Plot;
  /** Epoch ms. */
  readonly time: number;
  readonly value: number;
}

/**
 * The values in a folder, in the order of the table. Rows of another form are left out, and so are plots that the list does not have.
 * A folder without plots has none.
 */
export function* plotsIn(folder: string): IterableIterator<PlotPoint> {
  const table = join(folder, PLOTS_TABLE);
  if (!existsSync(table)) return;
  const plots = listIn(folder);
  for (const row of csvRows(table)) {
    const [time = '', strategyId = '', symbol = '', name = '', value = ''] = csvCells(row);
    const plot = plots.get(keyOf({ strategyId, symbol, name }));
    const at = Number(time);
    if (plot !== undefined && Number.isFinite(at)) yield { plot, time: at, value: value === '' ? Number.NaN : Number(value) };
  }
}

function listIn(folder: string): Map<string, Plot> {
  const path = join(folder, PLOTS_LIST);
  if (!existsSync(path)) return new Map();
  try {
    const list = JSON.parse(readFileSync(path, 'utf8')) as (Omit<Plot, 'strategyId'> & { readonly strategy: string })[];
    return new Map(list.map(({ strategy, ...rest }) => [keyOf({ strategyId: strategy, ...rest }), { strategyId: strategy, ...rest }]));
  } catch {
    // It is replaced whole, so only another program can have damaged it. The values are still in the table.
    return new Map();
  }
}

function keyOf({ strategyId, symbol, name }: Pick<Plot, 'strategyId' | 'symbol' | 'name'>): string {
  return `${strategyId}\n${symbol}\n${name}`;
}
