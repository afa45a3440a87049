import type { AccountEvent } from '../../model/account-events.ts';
import type { Intent } from '../../model/intents.ts';
import type { Journal } from '../../ports/journal.ts';

/** Two journals as one; the second needs the state, which exists only after the first is wired. */
export class JournalPair implements Journal {
  constructor(
    private readonly first: Journal,
    public second?: Journal,
  ) {}

  intent(sequence: number, time: number, strategyId: string, intent: Intent): void {
    this.first.intent(sequence, time, strategyId, intent);
    this.second?.intent(sequence, time, strategyId, intent);
  }

  event(sequence: number, event: AccountEvent): void {
    this.first.event(sequence, event);
    this.second?.event(sequence, event);
  }

  commit(): void {
    this.first.commit();
    this.second?.commit();
  }
}
