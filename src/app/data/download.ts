import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TidegateError } from '../../model/errors.ts';
import { intervalText, isoTime, parseInterval } from '../../model/time.ts';
import { listRecordings } from '../../recording/catalogue/find-recording.ts';
import { openSeriesAt } from '../../recording/catalogue/open-recording.ts';
import { type SeriesId, seriesFolder } from '../../recording/catalogue/series-places.ts';
import { assertRecordingName, SERIES_COLUMNS, type SeriesMeta, seriesFileName, seriesTitle } from '../../recording/columns/series-meta.ts';
import { requireLocal } from '../../recording/remote-storage.ts';
import { EXIT_CODES } from '../base/exit-codes.ts';
import { showProgress } from '../terminal/progress.ts';
import {
  type DownloadKind,
  type DownloadRequest,
  type History,
  type HistoryRow,
  loadCcxt,
  marketNames,
  openExchange,
  openHistory,
  type RetryOptions,
  withRetries,
} from './ccxt.ts';
import { intervalOption, plural, timeOption } from './cli-text.ts';
import { DownloadFile, removeDownload } from './download-file.ts';
import { dataImport } from './import.ts';

export interface DataDownloadOptions {
  readonly dataDir: string;
  /** The recording; by default the exchange's name. */
  readonly name?: string | undefined;
  readonly exchange: string;
  readonly symbol: string;
  readonly kind: DownloadKind;
  readonly interval?: string | undefined;
  readonly from: string;
  readonly to?: string | undefined;
  readonly url?: string | undefined;
  readonly replace?: boolean | undefined;
  readonly restart?: boolean | undefined;
  readonly quiet?: boolean | undefined;
}

/**
 * Downloads a period of an exchange's history and imports it when it is complete. Ctrl-C ends the command with 130 and keeps the rows,
 * but imports nothing: a series that was cut off would look like a complete one.
 * If the recording has the series, only later rows are downloaded and added to it.
 * @throws TidegateError USAGE; DATA_EXISTS before any request if the series begins after `--from`; DATA_NOT_FOUND if the exchange has no rows; EXCHANGE_*.
 */
export async function dataDownload(
  options: DataDownloadOptions,
  print: (line: string) => void,
  wait: (ms: number, signal: AbortSignal) => Promise<unknown> = (ms, signal) => sleep(ms, undefined, { signal }),
): Promise<void> {
  const { dataDir, exchange, kind, replace, url } = options;
  requireLocal(dataDir, 'a download');
  const name = options.name ?? exchange;
  assertRecordingName(name);
  const { market, symbol } = marketNames(options.symbol);
  if (kind !== 'bar' && options.interval !== undefined) throw new TidegateError('USAGE', `--interval is for bars, not for ${kind}`);
  const intervalMs = kind === 'bar' ? intervalOption('--interval', options.interval ?? '1m') : undefined;
  const start = Math.ceil(timeOption('--from', options.from));
  const to = options.to === undefined ? undefined : Math.ceil(timeOption('--to', options.to));
  const now = Date.now();
  if (start >= (to ?? now)) throw new TidegateError('USAGE', `--from ${isoTime(start)}; expected a time before ${isoTime(to ?? now)}`);
  const series = { symbol, kind, intervalMs };
  const there = replace ? undefined : await existing(dataDir, name, series);
  if (there !== undefined && start < there.firstTime) {
    throw new TidegateError(
      'DATA_EXISTS',
      `${name} already has ${seriesTitle(series)}, from ${isoTime(there.firstTime)} on: a download adds rows after its last one; use a later --from, --replace to replace the series, or another --name to keep both`,
    );
  }
  // The last trade may share its time with later ones: these are requested again and compared.
  const from = there === undefined ? start : Math.floor(there.lastTime) + (intervalMs ?? 0);
  if (there !== undefined) print(`${name} has ${seriesTitle(series)} until ${isoTime(there.lastTime)}: only later rows are downloaded`);
  if (from >= (to ?? now)) {
    print('nothing to add');
    return;
  }

  const folder = resolve(dataDir, '.downloads', name);
  const fileName = `${exchange}.${seriesFileName(series)}`;
  if (options.restart) removeDownload(folder, join(folder, `${fileName}.csv`));
  const interval = intervalMs === undefined ? undefined : intervalText(intervalMs);
  const interrupt = new AbortController();
  const abort = () => interrupt.abort();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, abort);
  try {
    const request = { exchange, url, market, kind, interval, from, to };
    const file = await download({ request, folder, fileName, now, signal: interrupt.signal, wait, print, quiet: options.quiet ?? false });
    if (file === undefined) {
      print('stopped: the downloaded rows are kept, and the same command continues the download');
      process.exitCode = EXIT_CODES.interrupted;
      return;
    }
    if (file.empty) {
      file.remove();
      if (there !== undefined) {
        print('nothing to add');
        return;
      }
      throw new TidegateError('DATA_NOT_FOUND', `${exchange} has no ${seriesTitle(series)} from ${isoTime(from)} to ${isoTime(to ?? now)}`);
    }
    // Amounts were converted as they came, with a warning where the exchange does not say what they are in.
    const quantities = SERIES_COLUMNS[kind].filter((column) => column.unit === 'quantity');
    const unit = quantities.map((column) => `${column.name}=base`).join(',') || undefined;
    await dataImport([file.path], { dataDir, name, symbol, kind, interval, unit, replace, append: there !== undefined }, print);
    file.remove();
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, abort);
  }
}

/** The series before the download, which continues at its end. */
async function existing(dataDir: string, name: string, series: SeriesId): Promise<SeriesMeta | undefined> {
  const recording = (await listRecordings(dataDir)).find((candidate) => candidate.name === name);
  const place = recording?.series.find((candidate) => seriesFolder(candidate) === seriesFolder(series));
  return place === undefined ? undefined : (await openSeriesAt(dataDir, place)).meta;
}

interface DownloadOptions {
  readonly request: DownloadRequest;
  /** The folder and the name of the file in progress. */
  readonly folder: string;
  readonly fileName: string;
  /** Epoch ms: later rows and bars that have not ended are not requested. */
  readonly now: number;
  readonly signal: AbortSignal;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<unknown>;
  readonly print: (line: string) => void;
  readonly quiet: boolean;
}

/**
 * Downloads the requested rows into a file, and continues an earlier download of the same request.
 * @returns the file, closed and complete; undefined if the signal stopped the download.
 * @throws TidegateError USAGE, EXCHANGE_*: the rows so far are kept.
 */
async function download(options: DownloadOptions): Promise<DownloadFile | undefined> {
  const { request, signal } = options;
  const client = openExchange(await loadCcxt(), request.exchange, request.url);
  const ended = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new Ended()), { once: true }));
  // Used in races only: without a race its rejection is not an error.
  ended.catch(() => {});
  const retries: RetryOptions = {
    client,
    wait: async (ms) => void (await Promise.race([options.wait(ms, signal), ended])),
    onWait: (ms, problem) => {
      if (!options.quiet) process.stderr.write(`waiting ${Math.ceil(ms / 1_000)} s: ${problem}\n`);
    },
  };
  const patient = <T>(call: () => Promise<T>) => withRetries(() => Promise.race([call(), ended]), retries);
  try {
    await patient(() => client.loadMarkets());
    return await gather(options, openHistory(client, request), patient);
  } catch (error) {
    if (error instanceof Ended || signal.aborted) return undefined;
    if (!(error instanceof TidegateError) || error.category !== 'exchange') throw error;
    throw new TidegateError(error.code, `${error.message}; the downloaded rows are kept, and the same command continues the download`, {
      cause: error,
      retryable: error.retryable,
    });
  }
}

class Ended extends Error {}

type Patient = <T>(call: () => Promise<T>) => Promise<T>;

async function gather(options: DownloadOptions, history: History, patient: Patient): Promise<DownloadFile> {
  const { request, folder, fileName, print } = options;
  const file = new DownloadFile(folder, fileName, request, history.columns);
  const from = file.lastTime === undefined ? request.from : file.lastTime + history.stepMs;
  const to = Math.min(request.to ?? options.now, options.now - (parseInterval(request.interval ?? '') ?? 1) + 1);
  const progress = { share: 0, events: 0 };
  let blank = 0;
  const hide = options.quiet ? () => {} : showProgress(progress, process.stderr, 'rows');
  let lost = 0;
  let first: number | undefined = file.lastTime;
  try {
    if (file.lastTime !== undefined) print(`continuing after ${isoTime(file.lastTime)}`);
    const fetch = { ...history, fetch: (since: number) => patient(() => history.fetch(since)) };
    for await (const { rows, next, overfull } of historyPages(fetch, { from, to, known: file.lastIds })) {
      const needed = NEEDED_CELLS[request.kind];
      const whole = rows.filter(({ cells }) => cells.slice(0, needed).every((cell) => cell !== ''));
      blank += rows.length - whole.length;
      file.append(whole);
      first ??= rows[0]?.time;
      if (overfull) lost++;
      progress.events += rows.length;
      progress.share = Math.min(1, (next - request.from) / Math.max(1, to - request.from));
    }
  } finally {
    hide();
    file.close();
  }
  if (history.note !== undefined) print(history.note);
  if (blank > 0) {
    const [what, value] = request.kind === 'funding' ? ['funding time', 'a rate'] : [request.kind, 'prices'];
    print(`${plural(blank, what)} without ${value} left out, as the exchange has none for them`);
  }
  if (lost > 0)
    print(`warning: ${plural(lost, 'time')} more trades than fit on one page had the same millisecond: some of them are missing`);
  if (first !== undefined && from === request.from && first - from > history.windowMs)
    print(`no rows before ${isoTime(first)}: the exchange has no older ones`);
  return file;
}

/** Cells after the time that a row of each kind needs: prices, or a rate. */
const NEEDED_CELLS: Readonly<Record<DownloadKind, number>> = { bar: 4, trade: 1, funding: 1 };

interface HistorySpan {
  /** The start, epoch ms; older rows are ignored. */
  readonly from: number;
  /** The end, epoch ms, exclusive. */
  readonly to: number;
  /** Ids of the rows at `from` that the file already has. */
  readonly known: ReadonlySet<string>;
}

/** The new rows of a page, and the start of the next page. */
interface HistoryPage {
  readonly rows: readonly HistoryRow[];
  readonly next: number;
  /** True if all rows of a full page have the same time: further rows of that time are lost. */
  readonly overfull: boolean;
}

/**
 * The new rows of a history, page by page, in time order and each once. If rows can share a time, the next page begins at the last
 * row's time. After an empty page, the next one begins after the period that the empty page covers. No exchange documents the length of
 * this period. Before the first row it is taken as `windowMs`. When a page with rows follows, rows may be missing in the last period:
 * it is requested again in steps of `sureMs`.
 */
async function* historyPages(history: History, span: HistorySpan): AsyncGenerator<HistoryPage> {
  let since = span.from;
  let known = new Set(span.known);
  let sureMs = Math.min(history.sureMs, history.windowMs);
  let found = span.known.size > 0;
  /** The start of the last empty page, if the next page began more than `sureMs` later: rows between them may be missing. */
  let leaptFrom: number | undefined;
  while (since < span.to) {
    const page = await history.fetch(since);
    const ahead = page.filter(({ time }) => time >= since).sort((a, b) => a.time - b.time);
    if (ahead.length > 0) found = true;
    if (ahead.length > 0 && leaptFrom !== undefined) {
      since = leaptFrom + sureMs;
      leaptFrom = undefined;
      continue;
    }
    const rows = ahead.filter(
      ({ time, id }, index) => time < span.to && isNew(history, known, since, time, id) && !repeats(ahead, index, history),
    );
    const overfull =
      rows.length === 0 && history.crowded && page.length > 0 && page.length === history.limit && ahead.at(-1)?.time === since;
    const last = rows.at(-1);
    if (last !== undefined) {
      const next = last.time + history.stepMs;
      // A page covers at least the longest period that a page has covered so far.
      sureMs = Math.min(history.windowMs, Math.max(sureMs, next - since));
      const there = next === since ? known : new Set<string>();
      known = new Set([...there, ...rows.filter(({ time }) => time === last.time).map(({ id }) => id)]);
      since = next;
    } else {
      leaptFrom = overfull || found || sureMs === history.windowMs ? undefined : since;
      since += overfull ? 1 : found ? sureMs : history.windowMs;
      known = new Set();
    }
    // If the page has a row after the end, there are no more rows before the end.
    if (ahead.some(({ time }) => time >= span.to)) since = span.to;
    yield { rows, next: since, overfull };
  }
}

function isNew(history: History, known: ReadonlySet<string>, since: number, time: number, id: string): boolean {
  return !(history.crowded && time === since && known.has(id));
}

/** True for a second row of the same time in a history that has one row for each time. */
function repeats(rows: readonly HistoryRow[], index: number, history: History): boolean {
  return !history.crowded && index > 0 && rows[index - 1]!.time === rows[index]!.time;
}
