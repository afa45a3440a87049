import type { State } from '../../../state/state.ts';
import { AccountRounds } from '../../../venues/rest/polling/account-rounds.ts';
import { MarketPoller } from '../../../venues/rest/polling/market-poller.ts';
import type { RestVenue } from '../../../venues/rest/rest-venue.ts';
import type { BotParts } from './bot-parts.ts';

/** What looks at prices and at the account, as often as the plan says and the exchange's limits allow. */
export function pollersOf(
  { plan, clock, marketClient, budget, accountId, random, polled }: BotParts,
  venue: RestVenue,
  state: State,
): { readonly market: MarketPoller; readonly rounds: AccountRounds } {
  const { tickerMs, accountMs, lookupMs, staleMs } = plan.poll;
  const load = (priority: 'market' | 'account') => () => budget.load(priority, accountId);
  const market = new MarketPoller({
    client: marketClient,
    instruments: plan.instruments,
    clock,
    periodMs: tickerMs,
    staleMs,
    random,
    load: load('market'),
    sequence: state.sequence,
    polled,
  });
  const rounds = new AccountRounds({
    account: venue,
    clock,
    periodMs: accountMs,
    fullMs: lookupMs,
    staleMs,
    random,
    load: load('account'),
  });
  return { market, rounds };
}
