import { closeSync, openSync, readSync } from 'node:fs';
import type { OwnModel } from '../../matching/models/own-model.ts';
import { TidegateError } from '../../model/errors.ts';
import { isoTime } from '../../model/time.ts';
import type { LatencyLeg, LatencyModel } from '../../ports/models.ts';
import { detectSeparator, splitLine } from '../../recording/import/csv/csv-line.ts';
import { LineSource } from '../../recording/import/line-source.ts';
import { quoted, RowError } from '../../recording/import/rows.ts';
import { TIME_FORMS, TimeParser } from '../../recording/import/times/time-parser.ts';
import type { Latency, RecordedDelays, RecordedLatency } from '../../venues/simulated/latency.ts';
import type { Config } from '../config/schema/schema.ts';

interface PlannedLatency {
  readonly latency: Latency;
  readonly warnings: readonly string[];
}

/**
 * The latency of a run over [from, to], with recorded times read from their file.
 * @throws TidegateError DATA_NOT_FOUND, DATA_INVALID, JOURNAL_FAILED, JOURNAL_DAMAGED for a file without recorded times
 */
export async function plannedLatency(
  { recorded: path, model: _, ...settings }: Config['backtest']['latency'],
  model: OwnModel<LatencyModel> | undefined,
  from: number,
  to: number,
): Promise<PlannedLatency> {
  if (path === undefined) return { latency: { ...settings, model }, warnings: [] };
  const recorded = isDatabase(path) ? await journalDelays(path) : readLatencyRows(path);
  const { times } = recorded.entry!;
  const [first, last] = [times[0]!, times.at(-1)!];
  const apart = first > to || last < from;
  const warning = `the times of ${path} are from ${isoTime(first)} to ${isoTime(last)}, outside this run: the whole run uses the ${first > to ? 'first' : 'last'} row`;
  return { latency: { ...settings, recorded }, warnings: apart ? [warning] : [] };
}

/** Whether a file is an SQLite database, by its first bytes. */
function isDatabase(path: string): boolean {
  try {
    const file = openSync(path, 'r');
    const head = Buffer.alloc(15);
    readSync(file, head, 0, head.length, 0);
    closeSync(file);
    return head.toString('latin1') === 'SQLite format 3';
  } catch (cause) {
    throw new TidegateError(
      'DATA_NOT_FOUND',
      `${path}: cannot open this file; expected a CSV file of recorded latencies, or a bot's journal`,
      {
        cause,
      },
    );
  }
}

/** A journal has the time of each request and the time until its reply: half of it counts for each way. */
async function journalDelays(path: string): Promise<RecordedLatency> {
  // Most runs have no use for SQLite, which takes time to load.
  const { roundTrips } = await import('../../journal/round-trips.ts');
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
  if (entry.length === 0) throw new TidegateError('DATA_INVALID', `${path}: no order in this journal has a reply; expected at least one`);
  return delaysOf({ entry, response, cancel: cancel.length === 0 ? entry : cancel });
}

const LINE_FEED = 10;
const COLUMNS = ['time', 'entryMs', 'responseMs', 'cancelMs', 'feedMs'] as const;

type Column = (typeof COLUMNS)[number];
const REQUIRED: readonly Column[] = ['time', 'entryMs', 'responseMs'];
const MS = /^\d{1,9}(\.\d{1,9})?$/;
/** The values of `entryMs` that mean: the exchange refused the order. */
const REFUSED = ['', 'rejected'];

/**
 * Reads recorded latencies from a CSV file (plain, gzip or zip) with the columns `time,entryMs,responseMs[,cancelMs][,feedMs]` in any
 * order and rising times. An empty `entryMs`, or `rejected`, means that the exchange was overloaded and refused. Without the column
 * `cancelMs`, cancels take as long as orders. An empty `cancelMs` or `feedMs` is ignored.
 * @throws TidegateError DATA_NOT_FOUND, DATA_INVALID with file, row and column
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

/** The rows below the header, without blank lines. */
function* rowsOf(path: string): Generator<LatencyRow, void> {
  const lines = new LineSource(path);
  try {
    const texts = textsOf(lines);
    const header = texts.next().value?.text ?? '';
    const separator = detectSeparator([header]);
    const places = placesOf(path, splitLine(header, separator));
    let before = Number.NEGATIVE_INFINITY;
    for (const { number, text } of texts) {
      if (text.trim() === '') continue;
      const row = new LatencyRow(path, number, places, splitLine(text, separator));
      const time = row.time();
      if (time < before) throw row.error('time', 'expected a time not before the one in the row above');
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
  if (unknown !== undefined) throw new RowError(path, 1, unknown, `${wanted}; this column is unknown`);
  const missing = REQUIRED.find((column) => !header.includes(column));
  if (missing !== undefined) throw new RowError(path, 1, missing, `${wanted}; this column is missing`);
  const twice = header.find((name, place) => header.indexOf(name) < place);
  if (twice !== undefined) throw new RowError(path, 1, twice, `${wanted}; this column is there twice`);
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

  /** The text of a column; `undefined` if the file does not have it. */
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

/** The times and delays of one leg, in the order of the file. */
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

/** The recorded delays by leg, without legs that have no rows. */
function delaysOf(rows: { readonly [L in LatencyLeg]?: DelayRows }): RecordedLatency {
  const recorded = Object.entries(rows).filter(([, { length }]) => length > 0);
  return Object.fromEntries(recorded.map(([leg, one]) => [leg, one.columns()]));
}
