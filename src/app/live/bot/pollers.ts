import { isFlattening } from '../../../engine/guards/flattening.ts';
import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import type { WeightBudget } from '../../../exchange/client/weight-budget.ts';
import { closes, type OrderRequest } from '../../../model/order.ts';
import type { Clock } from '../../../ports/clock.ts';
import { closesNow, reduces } from '../../../risk/measures.ts';
import type { State } from '../../../state/state.ts';
import { AccountRounds } from '../../../venues/rest/polling/account-rounds.ts';
import { MarketPoller, type MarketPollerOptions } from '../../../venues/rest/polling/market-poller.ts';
import type { RestVenue } from '../../../venues/rest/rest-venue.ts';
import type { Urgency } from '../../../venues/rest/trading.ts';
import { readingReserve } from '../../planning/reading-weight.ts';
import type { BotPlan } from '../../planning/run-plans.ts';

interface PollerParts {
  readonly plan: BotPlan;
  readonly clock: Clock;
  readonly marketClient: ExchangeClient;
  readonly budget: WeightBudget;
  readonly accountId: string;
  readonly random: () => number;
  readonly polled?: MarketPollerOptions['polled'];
}

/** The pollers of prices and of the account, which poll as often as the plan and the exchange's limits allow. */
export function pollersOf(
  { plan, clock, marketClient, budget, accountId, random, polled }: PollerParts,
  venue: RestVenue,
  state: State,
): { readonly market: MarketPoller; readonly rounds: AccountRounds } {
  const { tickerMs, accountMs, lookupMs, staleMs } = plan.poll;
  budget.reserve(readingReserve(plan, budget.settings));
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
    funding: { client: marketClient, since: (instrument) => state.market(instrument).fundingTime },
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

/** The priority of an order: by its strategy's own position at the time of the decision. */
export function urgencyIn(state: State): (order: OrderRequest) => Urgency {
  return (order) => {
    if (isFlattening(order)) return 'flattens';
    if (closesNow(order)) return 'protects';
    const { lastTicks: marketTicks } = state.market(order.instrument);
    const isExit = order.reduceOnly || closes(order);
    return isExit || reduces(order, { state, marketTicks, of: order.strategyId }) ? 'reduces' : 'opens';
  };
}
