import { PacedFeed, type PriceFeed, syntheticTrades } from '../../local-exchange/feeds.ts';
import { type RunningExchange, startExchange } from '../../local-exchange/start-exchange.ts';
import { SteppedClock } from '../../local-exchange/stepped-clock.ts';
import { TidegateError } from '../../model/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { SystemClock } from '../../venues/rest/real-clock.ts';
import { columns } from '../base/text.ts';
import { loadSettings } from '../config/load-config.ts';
import type { Environment } from '../config/reading/layers.ts';
import { ownModels } from '../planning/own-models.ts';
import { type ExchangeConfig, ExchangeConfigSchema, exchangeOptions } from './exchange-config.ts';
import { publicTickers, recordedEvents } from './price-feeds.ts';

export interface ServeOptions {
  readonly json?: boolean;
  readonly set?: readonly string[];
  readonly state?: string;
}

/** Runs the local exchange of a config until Ctrl-C, and prints its URLs and keys. */
export async function serveExchange(path: string, options: ServeOptions, print: (line: string) => void): Promise<void> {
  const config = loadExchangeConfig(path, options.set ?? [], process.env);
  // A reader of the URLs may stop the exchange at once.
  const end = interrupted();
  const running = await runExchange(config, options.state, STDERR_LOG);
  print(options.json === true ? JSON.stringify(listing(running)) : listingText(running));
  await end;
  await running.close();
}

/**
 * Reads, merges and checks the config of a local exchange.
 * @throws TidegateError CONFIG_NOT_FOUND, or CONFIG_INVALID with every problem at its file, line and column.
 */
export function loadExchangeConfig(path: string, set: readonly string[], environment: Environment): ExchangeConfig {
  return loadSettings(ExchangeConfigSchema, path, set, environment);
}

/** Starts the local exchange of a config. @throws TidegateError for an invalid config, data or state file. */
export async function runExchange(config: ExchangeConfig, stateFile: string | undefined, log: Log): Promise<RunningExchange> {
  const { clock, step } = clockOf(config);
  const { models } = await ownModels(config, []);
  const planned = exchangeOptions(config, models);
  const feed = await exchangeFeed(config, planned.instruments, clock, log);
  return startExchange({ ...planned, clock, step, stateFile, log, feed });
}

/** The feed of a config's prices; `undefined` if only the control door sets them. */
async function exchangeFeed(
  config: ExchangeConfig,
  instruments: readonly Instrument[],
  clock: Clock,
  log: Log,
): Promise<PriceFeed | undefined> {
  const { recording, use, speed, loop, synthetic, exchange } = config.prices;
  const pace = { speed, loop, instruments: instruments.length };
  if (recording !== undefined) return new PacedFeed(await recordedEvents(config.dataDir, recording, instruments, use), clock, pace);
  if (synthetic !== undefined) {
    const starts = instruments.map((instrument) => ({ instrument, price: startOf(synthetic.start, instrument.symbol) }));
    return new PacedFeed(() => syntheticTrades(starts, synthetic.seed, clock.now()), clock, { ...pace, loop: false });
  }
  if (exchange === undefined) return undefined;
  return publicTickers(exchange, instruments, clock, log);
}

function startOf(start: Readonly<Record<string, string>>, symbol: string): string {
  const price = start[symbol];
  if (price === undefined) throw new TidegateError('CONFIG_INVALID', `prices.synthetic.start: ${symbol} has no first price`);
  return price;
}

function clockOf({ time }: ExchangeConfig): { clock: Clock; step: ((ms: number) => void) | undefined } {
  if (time === 'wall') return { clock: new SystemClock(), step: undefined };
  const clock = new SteppedClock(time === 'stepped' ? Date.now() : time.stepped);
  return { clock, step: (ms) => clock.step(ms) };
}

function listing({ spot, futures, controlUrl, accounts }: RunningExchange) {
  return { spot, futures, ...(controlUrl === undefined ? {} : { control: controlUrl }), accounts, pid: process.pid };
}

function listingText({ spot, futures, controlUrl, accounts }: RunningExchange): string {
  const hosts = [['spot', spot], ['futures', futures], ...(controlUrl === undefined ? [] : [['control', controlUrl]])];
  const keys = accounts.map(({ name, uid, key, secret, passphrase }) => [name, uid, key, secret, passphrase]);
  return `${columns(hosts)}\n\n${columns([['account', 'uid', 'key', 'secret', 'passphrase'], ...keys])}\n\nCtrl-C ends it.`;
}

function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
}

/** Writes warnings to stderr, as stdout has the result. */
const STDERR_LOG: Log = {
  debug: () => {},
  info: () => {},
  warn: (message, fields) => process.stderr.write(`warning: ${message}${fields === undefined ? '' : ` ${JSON.stringify(fields)}`}\n`),
};
