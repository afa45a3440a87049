import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TidegateError } from '../../model/errors.ts';
import { intervalText, isoTime, parseInterval } from '../../model/time.ts';
import { listRecordings } from '../../recording/catalogue/find-recording.ts';
import { type SeriesId, seriesFolder } from '../../recording/catalogue/series-places.ts';
import { assertRecordingName, seriesFileName, seriesTitle } from '../../recording/columns/series-meta.ts';
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
import { dataImport } from './import-export.ts';

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
 * Downloads a stretch of an exchange's history and imports it when it is whole. Ctrl-C ends it with 130 and keeps what came, but
 * imports nothing: a series that ends where somebody lost patience looks like one that was asked for.
 * @throws TidegateError USAGE; DATA_EXISTS before anything is asked; DATA_NOT_FOUND where the exchange has nothing; EXCHANGE_*.
 */
export async function dataDownload(
  options: DataDownloadOptions,
  print: (line: string) => void,
  wait: (ms: number, signal: AbortSignal) => Promise<unknown> = (ms, signal) => sleep(ms, undefined, { signal }),
): Promise<void> {
  const { dataDir, exchange, kind, replace, url } = options;
  requireLocal(dataDir, 'what is downloaded');
  const name = options.name ?? exchange;
  assertRecordingName(name);
  const { market, symbol } = marketNames(options.symbol);
  if (kind !== 'bar' && options.interval !== undefined) throw new TidegateError('USAGE', `--interval is for bars, not for ${kind}`);
  const intervalMs = kind === 'bar' ? intervalOption('--interval', options.interval ?? '1m') : undefined;
  const from = Math.ceil(timeOption('--from', options.from));
  const to = options.to === undefined ? undefined : Math.ceil(timeOption('--to', options.to));
  const now = Date.now();
  if (from >= (to ?? now)) throw new TidegateError('USAGE', `--from ${isoTime(from)}; expected a time before ${isoTime(to ?? now)}`);
  const series = { symbol, kind, intervalMs };
  if (!replace) await refuseExisting(dataDir, name, series);

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
      print('stopped: what came is kept, and the same command goes on with it');
      process.exitCode = EXIT_CODES.interrupted;
      return;
    }
    if (file.empty) {
      file.remove();
      throw new TidegateError('DATA_NOT_FOUND', `${exchange} has no ${seriesTitle(series)} from ${isoTime(from)} to ${isoTime(to ?? now)}`);
    }
    await dataImport([file.path], { dataDir, name, symbol, kind, interval, replace }, print);
    file.remove();
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, abort);
  }
}

/** Says at once what the import would say hours later. */
async function refuseExisting(dataDir: string, name: string, series: SeriesId): Promise<void> {
  const recording = (await listRecordings(dataDir)).find((candidate) => candidate.name === name);
  const there = recording?.series.some((place) => seriesFolder(place) === seriesFolder(series));
  if (!there) return;
  throw new TidegateError('DATA_EXISTS', `${name} has ${seriesTitle(series)} already; --replace replaces it, another --name keeps both`);
}

interface DownloadOptions {
  readonly request: DownloadRequest;
  /** Where it gathers, and under which name. */
  readonly folder: string;
  readonly fileName: string;
  /** Epoch ms: what is younger is not asked for, nor is a bar that has not ended. */
  readonly now: number;
  readonly signal: AbortSignal;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<unknown>;
  readonly print: (line: string) => void;
  readonly quiet: boolean;
}

/**
 * Gathers what is asked for in a file, going on where an earlier download of the same request ended.
 * @returns the file, closed and whole; undefined where the signal came first.
 * @throws TidegateError USAGE, EXCHANGE_*: what came until then is kept.
 */
async function download(options: DownloadOptions): Promise<DownloadFile | undefined> {
  const { request, signal } = options;
  const client = openExchange(await loadCcxt(), request.exchange, request.url);
  const ended = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new Ended()), { once: true }));
  // It is raced against; alone it is nobody's error.
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
    throw new TidegateError(error.code, `${error.message}; what came is kept, and the same command goes on with it`, {
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
  const hide = options.quiet ? () => {} : showProgress(progress, process.stderr, 'rows');
  let lost = 0;
  let first: number | undefined = file.lastTime;
  try {
    if (file.lastTime !== undefined) print(`going on after ${isoTime(file.lastTime)}`);
    const fetch = { ...history, fetch: (since: number) => patient(() => history.fetch(since)) };
    for await (const { rows, next, overfull } of historyPages(fetch, { from, to, known: file.lastIds })) {
      file.append(rows);
      first ??= rows[0]?.time;
      if (overfull) lost++;
      progress.events += rows.length;
      progress.share = Math.min(1, (next - request.from) / Math.max(1, to - request.from));
    }
  } finally {
    hide();
    file.close();
  }
  if (lost > 0) print(`warning: more trades than a page holds bore the same millisecond ${plural(lost, 'time')}: some are missing`);
  if (first !== undefined && from === request.from && first - from > history.windowMs)
    print(`nothing before ${isoTime(first)}: the exchange has no more`);
  return file;
}

interface HistorySpan {
  /** Where it begins, epoch ms; what is older is passed over. */
  readonly from: number;
  /** Where it ends, epoch ms, exclusive. */
  readonly to: number;
  /** Ids of the rows at `from` that are there already. */
  readonly known: ReadonlySet<string>;
}

/** A page's rows that are new, and where the next page begins. */
interface HistoryPage {
  readonly rows: readonly HistoryRow[];
  readonly next: number;
  /** The page was full of rows of one time: what else bore that time is lost. */
  readonly overfull: boolean;
}

/**
 * The new rows of a history, page after page, in time order and each once. The next page begins at the last row's time, again,
 * where rows can share one; a page without news moves on by what it covers.
 */
async function* historyPages(history: History, span: HistorySpan): AsyncGenerator<HistoryPage> {
  let since = span.from;
  let known = new Set(span.known);
  while (since < span.to) {
    const page = await history.fetch(since);
    const ahead = page.filter(({ time }) => time >= since).sort((a, b) => a.time - b.time);
    const rows = ahead.filter(
      ({ time, id }, index) => time < span.to && isNew(history, known, since, time, id) && !repeats(ahead, index, history),
    );
    const overfull =
      rows.length === 0 && history.crowded && page.length > 0 && page.length === history.limit && ahead.at(-1)?.time === since;
    const last = rows.at(-1);
    if (last !== undefined) {
      const next = last.time + history.stepMs;
      const there = next === since ? known : new Set<string>();
      known = new Set([...there, ...rows.filter(({ time }) => time === last.time).map(({ id }) => id)]);
      since = next;
    } else {
      since += overfull ? 1 : history.windowMs;
      known = new Set();
    }
    // What lies beyond the end says that there is nothing more before it.
    if (ahead.some(({ time }) => time >= span.to)) since = span.to;
    yield { rows, next: since, overfull };
  }
}

function isNew(history: History, known: ReadonlySet<string>, since: number, time: number, id: string): boolean {
  return !(history.crowded && time === since && known.has(id));
}

/** True for a second row of a time that can have only one. */
function repeats(rows: readonly HistoryRow[], index: number, history: History): boolean {
  return !history.crowded && index > 0 && rows[index - 1]!.time === rows[index]!.time;
}
