import { SteppedClock } from '../../local-exchange/feeds/stepped-clock.ts';
import { type RunningExchange, startExchange } from '../../local-exchange/start-exchange.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { SystemClock } from '../../venues/rest/system-clock.ts';
import { exchangeFeed } from './exchange-feed.ts';
import { exchangeOptions } from './exchange-options.ts';
import type { ExchangeConfig } from './exchange-schema.ts';

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
