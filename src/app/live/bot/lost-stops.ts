import type { BotJournal } from '../../../journal/bot-journal.ts';
import type { AccountEvent } from '../../../model/account-events.ts';
import type { RestVenue } from '../../../venues/rest/rest-venue.ts';
import type { BotPlan } from '../../planning/run-plans.ts';

/** The key of the journal's memory for stops whose halt has not been published: by symbol, the strategy. */
const MEMORY = 'bot/lostStops';

/**
 * With `lostExit: restore`, halts the instrument of a stop that somebody has canceled at the exchange a second time. The halt is stored in
 * the turn of the loss, and published after it.
 */
export class LostStops {
  readonly #owners: Map<string, string>;

  constructor(
    private readonly plan: Pick<BotPlan, 'lostExit' | 'instruments'>,
    private readonly journal: Pick<BotJournal, 'remember' | 'recall'>,
    private readonly venue: Pick<RestVenue, 'haltUntilReset'>,
  ) {
    this.#owners = new Map((journal.recall(MEMORY) as [string, string][] | undefined) ?? []);
  }

  take(event: AccountEvent): void {
    if (this.plan.lostExit !== 'restore' || event.kind !== 'exitRefused' || event.code !== 'canceledOutside') return;
    this.#owners.set(event.instrument.symbol, event.strategyId);
    this.journal.remember(MEMORY, [...this.#owners]);
  }

  /** Called between two turns. */
  halt(): void {
    if (this.#owners.size === 0) return;
    this.journal.remember(MEMORY, undefined);
    for (const [symbol, strategyId] of this.#owners) {
      const instrument = this.plan.instruments.find((one) => one.symbol === symbol);
      if (instrument !== undefined) this.venue.haltUntilReset(`the stop of ${strategyId} was canceled at the exchange again`, instrument);
    }
    this.#owners.clear();
  }
}
