import { PacedFeed, type PriceFeed, syntheticTrades } from '../../local-exchange/feeds.ts';
import { type RunningExchange, startExchange } from '../../local-exchange/start-exchange.ts';
import { SteppedClock } from '../../local-exchange/stepped-clock.ts';
import { TidegateError } from '../../model/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { SystemClock } from '../../venues/rest/real-clock.ts';
import { loadSettings } from '../config/load-config.ts';
import type { Environment } from '../config/reading/layers.ts';
import { type ExchangeConfig, ExchangeConfigSchema, exchangeOptions } from './exchange-config.ts';
import { publicTickers, recordedEvents } from './price-feeds.ts';

/** Where the prices of a config come from; `undefined` where the control door alone sets them. */
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

/** Starts the local exchange of a config. @throws TidegateError where config, data or state file do not allow it. */
export async function runExchange(config: ExchangeConfig, stateFile: string | undefined, log: Log): Promise<RunningExchange> {
  const { clock, step } = clockOf(config);
  const planned = exchangeOptions(config);
  const feed = await exchangeFeed(config, planned.instruments, clock, log);
  return startExchange({ ...planned, clock, step, stateFile, log, feed });
}

function clockOf({ time }: ExchangeConfig): { clock: Clock; step: ((ms: number) => void) | undefined } {
  if (time === 'wall') return { clock: new SystemClock(), step: undefined };
  const clock = new SteppedClock(time === 'stepped' ? Date.now() : time.stepped);
  return { clock, step: (ms) => clock.step(ms) };
}

/**
 * Reads, merges and checks the config of a local exchange.
 * @throws TidegateError CONFIG_NOT_FOUND, or CONFIG_INVALID with every problem at its file, line and column.
 */
export function loadExchangeConfig(path: string, set: readonly string[], environment: Environment): ExchangeConfig {
  return loadSettings(ExchangeConfigSchema, path, set, environment);
}
