import type { Engine } from '../../../engine/engine.ts';
import type { WeightBudget } from '../../../exchange/budget/weight-budget.ts';
import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import type { BotJournal } from '../../../journal/bot-journal.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Log } from '../../../ports/log.ts';
import type { MarketPollerOptions } from '../../../venues/rest/polling/market-poller.ts';
import type { TurnClock } from '../../../venues/rest/real-clock.ts';
import type { BotPlan } from '../../planning/run-plans.ts';
import type { Known } from './past.ts';

/** What a bot is put together from. */
export interface BotParts {
  readonly plan: BotPlan;
  /** Real time; the engine sees it through `turns`. */
  readonly clock: Clock;
  readonly turns: TurnClock;
  readonly client: ExchangeClient;
  /** For tickers: tries each read once. */
  readonly marketClient: ExchangeClient;
  readonly budget: WeightBudget;
  /** Whose weight is spent; see `Credentials`. */
  readonly accountId: string;
  /** Opened with the time of `turns`. The bot closes it. */
  readonly journal: BotJournal;
  /** What the journal says, where that has been read. */
  readonly known?: Known | undefined;
  readonly log: Log;
  /** Between 0 and 1: draws pauses. */
  readonly random: () => number;
  /** See `MarketPollerOptions`. */
  readonly polled?: MarketPollerOptions['polled'];
  /** Called before the first event, for whoever wants to observe. */
  readonly observe?: ((engine: Engine) => void) | undefined;
}
