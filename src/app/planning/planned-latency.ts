import { closeSync, openSync, readSync } from 'node:fs';
import { roundTrips } from '../../journal/round-trips.ts';
import { TidegateError } from '../../model/errors.ts';
import { isoTime } from '../../model/time.ts';
import { detectSeparator, splitLine } from '../../recording/import/csv/csv-line.ts';
import { TIME_FORMS, TimeParser } from '../../recording/import/csv/csv-time.ts';
import { LineSource } from '../../recording/import/line-source.ts';
import { quoted, RowError } from '../../recording/import/rows.ts';
import type { Latency, Leg, RecordedDelays, RecordedLatency } from '../../venues/simulated/latency.ts';
import type { Config } from '../config/schema/schema.ts';

interface PlannedLatency {
  readonly latency: Latency;
  readonly warnings: readonly string[];
}

/**
 * The latency of a run over [from, to], its recorded times read.
 * @throws TidegateError DATA_NOT_FOUND, DATA_INVALID, JOURNAL_FAILED, JOURNAL_DAMAGED for a file that does not hold them
 */
export function plannedLatency({ recorded: path, ...settings }: Config['backtest']['latency'], from: number, to: number): PlannedLatency {
  if (path === undefined) return { latency: settings, warnings: [] };
  const recorded = isDatabase(path) ? journalDelays(path) : readLatencyRows(path);
  const { times } = recorded.entry!;
  const [first, last] = [times[0]!, times.at(-1)!];
  const apart = first > to || last < from;
  const warning = `the times of ${path} are of ${isoTime(first)} to ${isoTime(last)}, none of this run: its ${first > to ? 'first' : 'last'} row stands for all`;
  return { latency: { ...settings, recorded }, warnings: apart ? [warning] : [] };
}

/** Told by its first bytes. */
function isDatabase(path: string): boolean {
  try {
    const file = openSync(path, 'r');
    const head = Buffer.alloc(15);
    readSync(file, head, 0, head.length, 0);
    closeSync(file);
    return head.toString('latin1') === 'SQLite format 3';
  } catch (cause) {
    throw new TidegateError('DATA_NOT_FOUND', `${path}: this file cannot be opened; expected recorded times as CSV, or a bot's journal`, {
      cause,
    });
  }
}

/** A journal tells when a request left and how long its answer took: half of that each way. */
function journalDelays(path: string): RecordedLatency {
  const entry = new DelayRows();
  const response = new DelayRows();
  const cancel = new DelayRows();
  for (const { sentAt, tookMs, kind } of roundTrips(path)) {
    if (kind === 'cancel') cancel.add(sentAt, tookMs / 2);
    else {
      entry.add(sentAt, tookMs / 2);
      response.add(sentAt, tookMs / 2);
    }
  }
  if (entry.length === 0) throw new TidegateError('DATA_INVALID', `${path}: no order in this journal was answered; expected at least one`);
  return delaysOf({ entry, response, cancel: cancel.length === 0 ? entry : cancel });
}

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

/** Times and delays of one leg, as they come. */
class DelayRows {
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
function delaysOf(rows: { readonly [L in Leg]?: DelayRows }): RecordedLatency {
  const told = Object.entries(rows).filter(([, { length }]) => length > 0);
  return Object.fromEntries(told.map(([leg, one]) => [leg, one.columns()]));
}
