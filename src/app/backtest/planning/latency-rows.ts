import { detectSeparator, splitLine } from '../../../recording/import/csv/csv-line.ts';
import { TIME_FORMS, TimeParser } from '../../../recording/import/csv/csv-time.ts';
import { LineSource } from '../../../recording/import/line-source.ts';
import { quoted, RowError } from '../../../recording/import/rows/row-error.ts';
import type { Leg, RecordedDelays, RecordedLatency } from '../../../venues/simulated/latency/latency.ts';

const LINE_FEED = 10;
const COLUMNS = ['time', 'entryMs', 'responseMs', 'cancelMs', 'feedMs'] as const;
type Column = (typeof COLUMNS)[number];
const REQUIRED: readonly Column[] = ['time', 'entryMs', 'responseMs'];
const MS = /^\d{1,9}(\.\d{1,9})?$/;
/** What stands in the place of an entry time where the exchange refused the order. */
const REFUSED = ['', 'rejected'];

/**
 * Reads recorded times of a CSV file (plain, gzip or zip) with the columns `time,entryMs,responseMs[,cancelMs][,feedMs]` in any
 * order, times rising. No entry time, or `rejected`: the exchange was overloaded and refused. Where cancels have no column
 * they take as long as orders do; an empty `cancelMs` or `feedMs` tells nothing.
 * @throws TidegateError DATA_NOT_FOUND, DATA_INVALID naming file, row and column
 */
export function readLatencyRows(path: string): RecordedLatency {
  const entry = new DelayRows();
  const response = new DelayRows();
  const cancel = new DelayRows();
  const feed = new DelayRows();
  for (const row of rowsOf(path)) {
    const time = row.time();
    const refused = REFUSED.includes(row.field('entryMs')!);
    entry.add(time, refused ? Number.NaN : row.ms('entryMs'));
    response.add(time, row.ms('responseMs'));
    const canceled = row.field('cancelMs');
    if (canceled === undefined && !refused) cancel.add(time, row.ms('entryMs'));
    else if (canceled !== undefined && canceled !== '') cancel.add(time, row.ms('cancelMs'));
    if ((row.field('feedMs') ?? '') !== '') feed.add(time, row.ms('feedMs'));
  }
  if (entry.length === 0) throw new RowError(path, 1, undefined, 'no rows below the header; expected at least one');
  return delaysOf({ entry, response, cancel, feed });
}

/** Times and delays of one leg, as they come. */
export class DelayRows {
  readonly #times: number[] = [];
  readonly #delays: number[] = [];

  get length(): number {
    return this.#times.length;
  }

  add(time: number, delay: number): void {
    this.#times.push(time);
    this.#delays.push(delay);
  }

  columns(): RecordedDelays {
    return { times: Float64Array.from(this.#times), delays: Float64Array.from(this.#delays) };
  }
}

/** Legs of which nothing is recorded are left out. */
export function delaysOf(rows: { readonly [L in Leg]?: DelayRows }): RecordedLatency {
  const told = Object.entries(rows).filter(([, { length }]) => length > 0);
  return Object.fromEntries(told.map(([leg, one]) => [leg, one.columns()]));
}

/** One line of the file, by its columns. */
class LatencyRow {
  static #parser = new TimeParser();

  constructor(
    private readonly path: string,
    private readonly number: number,
    private readonly places: ReadonlyMap<Column, number>,
    private readonly fields: readonly string[],
  ) {}

  /** `undefined` where the file has no such column. */
  field(column: Column): string | undefined {
    const place = this.places.get(column);
    return place === undefined ? undefined : (this.fields[place] ?? '');
  }

  /** Epoch ms. */
  time(): number {
    const text = this.field('time')!;
    if (!LatencyRow.#parser.parse(text)) throw this.error('time', `expected ${TIME_FORMS}; not ${quoted(text)}`);
    return LatencyRow.#parser.us / 1000;
  }

  ms(column: Column): number {
    const text = this.field(column)!;
    if (!MS.test(text)) throw this.error(column, `expected ms of at least 0, such as 12.5; not ${quoted(text)}`);
    return Number(text);
  }

  error(column: Column, problem: string): RowError {
    return new RowError(this.path, this.number, column, problem);
  }
}

/** The rows below the header, blank lines left out. */
function* rowsOf(path: string): Generator<LatencyRow, void> {
  const lines = new LineSource(path);
  try {
    const texts = textsOf(lines);
    const header = texts.next().value?.text ?? '';
    const separator = detectSeparator(header);
    const places = placesOf(path, splitLine(header, separator));
    let before = Number.NEGATIVE_INFINITY;
    for (const { number, text } of texts) {
      if (text.trim() === '') continue;
      const row = new LatencyRow(path, number, places, splitLine(text, separator));
      const time = row.time();
      if (time < before) throw row.error('time', 'expected a time not before that of the row above');
      before = time;
      yield row;
    }
  } finally {
    lines.close();
  }
}

function* textsOf(lines: LineSource): Generator<{ readonly number: number; readonly text: string }, void> {
  let number = 1;
  do {
    for (let at = lines.start; at < lines.end; at = lines.bytes.indexOf(LINE_FEED, at) + 1)
      yield { number: number++, text: lines.text(at) };
  } while (lines.next(number));
}

function placesOf(path: string, header: readonly string[]): ReadonlyMap<Column, number> {
  const unknown = header.find((name) => !COLUMNS.some((column) => column === name));
  const wanted = 'expected a header of time,entryMs,responseMs[,cancelMs][,feedMs]';
  if (unknown !== undefined) throw new RowError(path, 1, unknown, `${wanted}; this column is none of them`);
  const missing = REQUIRED.find((column) => !header.includes(column));
  if (missing !== undefined) throw new RowError(path, 1, missing, `${wanted}; this column is missing`);
  const twice = header.find((name, place) => header.indexOf(name) < place);
  if (twice !== undefined) throw new RowError(path, 1, twice, `${wanted}; this column stands there twice`);
  return new Map(header.map((name, place) => [name as Column, place]));
}
