import type { Exchange } from 'ccxt';
import { type ErrorCode, TidegateError } from '../../../model/errors.ts';
import { isoTime, parseInterval } from '../../../model/time.ts';
import { showProgress } from '../../terminal/progress.ts';
import { plural } from '../text-layout.ts';
import { DownloadFile } from './download-file.ts';
import type { DownloadRequest } from './download-request.ts';
import { type History, type HistoryRow, openHistory } from './history.ts';
import { loadCcxt, openExchange } from './market-terms.ts';

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

/** So often in a row a call is tried. */
const TRIES = 8;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

interface RetryOptions {
  readonly client: Exchange;
  /** Waits so many ms; rejects when the download is ended. */
  readonly wait: (ms: number) => Promise<void>;
  /** Told before each wait. */
  readonly onWait: (ms: number, problem: string) => void;
}

/**
 * Calls until it succeeds: after trouble that may pass (network, time-outs, limits, 5xx) it waits as long as the exchange asks
 * (`Retry-After`), else 1 s and each time twice as long, up to a minute.
 * @throws TidegateError EXCHANGE_REFUSED at once where the exchange refuses; the kind of trouble after the eighth time.
 */
async function withRetries<T>(call: () => Promise<T>, { client, wait, onWait }: RetryOptions): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await call();
    } catch (error) {
      if (error instanceof TidegateError) throw error;
      const problem = plain(error);
      const code = codeOf(error);
      if (code === undefined) throw error;
      if (code === 'EXCHANGE_REFUSED' || tries === TRIES) {
        const often = tries === 1 ? '' : ` (${tries} times in a row)`;
        throw new TidegateError(code, `${problem}${often}`, { cause: error, retryable: code !== 'EXCHANGE_REFUSED' });
      }
      const ms = retryAfter(client) ?? Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), LONGEST_WAIT_MS);
      onWait(ms, problem);
      await wait(ms);
    }
  }
}

/** The kind of trouble by the classes of ccxt that an error is of; undefined for what is not ccxt's. */
function codeOf(error: unknown): ErrorCode | undefined {
  const classes = new Set<string>();
  for (
    let type = (error as object | null)?.constructor;
    typeof type === 'function' && type.name !== '';
    type = Object.getPrototypeOf(type)
  ) {
    classes.add(type.name);
  }
  if (classes.has('RateLimitExceeded') || classes.has('DDoSProtection')) return 'EXCHANGE_LIMITED';
  if (classes.has('RequestTimeout')) return 'EXCHANGE_TIMEOUT';
  if (classes.has('OperationFailed')) return 'EXCHANGE_UNREACHABLE';
  return classes.has('BaseError') ? 'EXCHANGE_REFUSED' : undefined;
}

/** Ms of the last answer's `Retry-After` in seconds. */
function retryAfter(client: Exchange): number | undefined {
  const headers = Object.entries(client.last_response_headers ?? {});
  const seconds = headers.find(([name]) => name.toLowerCase() === 'retry-after')?.[1];
  return seconds !== undefined && /^\d+$/.test(seconds) ? Number(seconds) * 1_000 : undefined;
}

/** An error's message on one line of at most 200 characters. */
function plain(error: unknown): string {
  const text = (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ');
  return text.length > 200 ? `${text.slice(0, 200)}...` : text;
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
