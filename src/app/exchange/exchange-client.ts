import { WeightBudget } from '../../exchange/budget/weight-budget.ts';
import { ExchangeClient } from '../../exchange/client/exchange-client.ts';
import { SteadyClock } from '../../venues/rest/steady-clock.ts';
import { SystemClock } from '../../venues/rest/system-clock.ts';
import type { Config } from '../config/schema/schema.ts';
import type { Access } from './access-settings.ts';

/** A client on wall time with a budget of its own: for a process that has no other. */
export function exchangeClient({ credentials, ...access }: Access, live: Config['live']): ExchangeClient {
  const clock = new SystemClock();
  const given = Object.fromEntries(Object.entries(access).filter(([, value]) => value !== undefined));
  const { batchLimit, timeouts } = live ?? {};
  return new ExchangeClient({
    clock,
    budget: new WeightBudget(new SteadyClock(), live?.budget),
    credentials,
    random: Math.random,
    settings: { ...timeouts, ...(batchLimit === undefined ? {} : { batchLimit }), ...given },
  });
}
