import { join } from 'node:path';
import { ExchangeClient } from '../../exchange/client/exchange-client.ts';
import { WeightBudget } from '../../exchange/client/weight-budget.ts';
import { ExchangeError } from '../../exchange/errors.ts';
import { Instrument } from '../../model/instrument.ts';
import { isoTime } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { RecorderStatus } from '../../recording/log/recorder.ts';
import { type MarketPoll, MarketPoller } from '../../venues/rest/polling/market-poller.ts';
import { SteadyClock, SystemClock } from '../../venues/rest/real-clock.ts';
import { loadSettings } from '../config/load-config.ts';
import { botLog, LateLog, wallSet } from '../terminal/bot-log.ts';
import { BotScreen, type ScreenOptions } from '../terminal/bot-screen.ts';
import { serviceManager, watchSignals } from '../terminal/signals.ts';
import { openRecorder } from './open-recorder.ts';
import { type PricePlaces, pricePlaces, type RecorderConfig, RecorderSchema } from './recorder-config.ts';

export interface RecordOptions extends ScreenOptions {
  readonly set?: readonly string[] | undefined;
  /** Print a JSON line on stdout for each poll that has been written to disk. */
  readonly polls?: boolean | undefined;
}

/** The time between two polls from which there is a gap: this number of ms, and at least this number of periods. */
const SILENT_MS = 10_000;
const SILENT_PERIODS = 5;
/** A process without a poll for this time counts as hung, in ms: longer than any pause and time-out. */
const HUNG_MS = 120_000;
const STATUS_EVERY_MS = { screen: 1_000, log: 60_000 };

/**
 * Records the tickers of a config until it is stopped.
 * @throws TidegateError for an invalid config, a recording that is in use, or a folder that cannot be written.
 */
export async function runRecord(path: string, options: RecordOptions): Promise<void> {
  const { dataDir, instruments, live, record, ...rest } = loadSettings(RecorderSchema, path, options.set ?? [], process.env);
  const { name, everyMs } = record;
  const symbols = [...new Set(record.symbols ?? Object.keys(instruments))];
  const places = pricePlaces({ dataDir, instruments, live, record, ...rest }, symbols, process.env);
  const screen = new BotScreen(options);
  const log = new LateLog();
  const clock = new SystemClock(wallSet(log));
  const silentMs = Math.max(SILENT_MS, SILENT_PERIODS * everyMs);
  const acknowledged =
    options.polls === true ? (time: number) => void process.stdout.write(`${JSON.stringify({ poll: time })}\n`) : undefined;
  // Signals are handled from here on, so that a stop also works while old logs are converted.
  const stopped = new AbortController();
  const forgetSignals = watchSignals({
    stop: (why) => stopped.abort(why),
    kill: () => log.info('kill has no effect on a recorder: it has no orders'),
    reopenLog: () => log.reopen(),
  });
  const recorder = await openRecorder({ dataDir, record, symbols, silentMs, clock, log, acknowledged }).catch((error: unknown) => {
    forgetSignals();
    throw error;
  });
  log.open(
    botLog({ file: join(dataDir, name, '.recording', 'log.jsonl'), lines: screen.line, redact: (text) => text, now: () => clock.now() }),
  );
  const lastPoll = { at: performance.now() };
  const manager = serviceManager(
    process.env,
    process.send?.bind(process),
    clock,
    log,
    () => performance.now() < lastPoll.at + HUNG_MS + everyMs,
  );
  const timer = setInterval(
    () => {
      const { status } = recorder;
      if (screen.live) screen.status(statusLine(name, symbols.length, status, clock.now()));
      else log.info('status', { ...status });
    },
    screen.live ? STATUS_EVERY_MS.screen : STATUS_EVERY_MS.log,
  );
  let failure: { readonly error: unknown } | undefined;
  const endPolls = pollTickers({
    places,
    live,
    symbols,
    everyMs,
    silentMs,
    clock,
    log,
    polled: (poll) => {
      lastPoll.at = performance.now();
      recorder.poll(poll);
    },
    failed: (error) => {
      failure = { error };
      stopped.abort('an error of the recorder');
    },
  });
  try {
    log.info('ready', { pid: process.pid, recording: name, symbols, everyMs, rotate: record.rotate });
    manager.ready();
    await aborted(stopped.signal);
    log.info('stopping', { why: stopped.signal.reason });
    manager.stopping();
    await endPolls();
    await recorder.close();
    screen.end();
    log.info('stopped', { ...recorder.status });
  } finally {
    screen.end();
    clearInterval(timer);
    forgetSignals();
    manager.close();
    log.close();
  }
  if (failure !== undefined) throw failure.error;
}

interface TickerPollOptions {
  readonly places: PricePlaces;
  readonly live: RecorderConfig['live'];
  readonly symbols: readonly string[];
  /** In ms: the period of polling, and its longest value while the exchange limits requests. */
  readonly everyMs: number;
  readonly silentMs: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly polled: (poll: MarketPoll) => void;
  /** Called with an error that does not come from the exchange: the polling ends. */
  readonly failed: (error: unknown) => void;
}

/** Polls the public tickers as a bot does, without a key. @returns a function that stops it. */
function pollTickers({ places, live, symbols, everyMs, silentMs, clock, log, polled, failed }: TickerPollOptions): () => Promise<void> {
  const budget = new WeightBudget(new SteadyClock(), live?.budget);
  const settings = { ...live?.timeouts, ...places, readAttempts: 1 };
  const client = new ExchangeClient({ clock, budget, random: Math.random, settings });
  const poller = new MarketPoller({
    client,
    // Only the symbol of an instrument is used here: prices are recorded as the exchange sends them.
    instruments: symbols.map((symbol, index) => new Instrument(index, { symbol, tickSize: '1', stepSize: '1' })),
    clock,
    periodMs: everyMs,
    staleMs: silentMs,
    random: Math.random,
    load: () => budget.load('market'),
    polled,
  });
  const polls = poller.news().subscribe((news) => {
    if (news.kind !== 'failed') return;
    if (news.error instanceof ExchangeError) log.debug('a poll failed', { error: String(news.error), waitMs: news.waitMs });
    else failed(news.error);
  });
  return async () => {
    polls.unsubscribe();
    await client.close();
  };
}

function statusLine(name: string, symbols: number, status: RecorderStatus, now: number): string {
  const { polls, incomplete, lost, durableTime, logBytes, kept, trouble } = status;
  const age = durableTime === undefined ? 'none yet' : `${((now - durableTime) / 1_000).toFixed(1)} s ago`;
  return [
    isoTime(now).slice(0, 19),
    `${name}: ${symbols} symbols`,
    `${polls} polls, the newest ${age}`,
    ...(incomplete === 0 ? [] : [`${incomplete} with gaps`]),
    ...(lost === 0 ? [] : [`${lost} lost`]),
    `log ${Math.ceil(logBytes / 1_024)} KB`,
    `${kept} kept`,
    ...(trouble === undefined ? [] : [`TROUBLE: ${trouble}`]),
  ].join(' | ');
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve());
  });
}
