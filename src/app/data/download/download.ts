import { TidegateError } from '../../../model/errors.ts';
import { parseInterval } from '../../../model/interval.ts';
import { isoTime } from '../../../model/time-text.ts';
import { showProgress } from '../../backtest/progress.ts';
import { plural } from '../text-layout.ts';
import { DownloadFile } from './download-file.ts';
import type { DownloadRequest } from './download-request.ts';
import { type History, openHistory } from './history.ts';
import { historyPages } from './history-pages.ts';
import { loadCcxt, openExchange } from './open-exchange.ts';
import { type RetryOptions, withRetries } from './with-retries.ts';

export interface DownloadOptions {
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
export async function download(options: DownloadOptions): Promise<DownloadFile | undefined> {
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
