import { WeightBudget } from '../../exchange/budget/weight-budget.ts';
import { ExchangeClient } from '../../exchange/client/exchange-client.ts';
import { PolledTickers } from '../../local-exchange/feeds/polled-tickers.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { SteadyClock } from '../../venues/rest/real-clock.ts';
import type { PublicTickersConfig } from '../config/schema/fields.ts';

/** The public tickers of another exchange as the prices of this one. It needs no keys, and the base URL of every instrument. */
export function publicTickers(
  { spotBaseUrl, contractBaseUrl, everyMs }: PublicTickersConfig,
  instruments: readonly Instrument[],
  clock: Clock,
  log: Log,
): PolledTickers {
  const client = new ExchangeClient({
    clock,
    budget: new WeightBudget(new SteadyClock()),
    random: Math.random,
    settings: { spotBaseUrl, contractBaseUrl },
  });
  return new PolledTickers({ client, instruments, clock, everyMs, log });
}
