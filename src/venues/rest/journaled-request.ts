import type { Outlets } from './outlets.ts';

/**
 * A request that acts: durably in the journal before it may leave, and what came of it after. It may wait long in between, for
 * weight or for the exchange's time, so the journal is told with the reply when it truly left and how long it was under way.
 */
export class JournaledRequest {
  #sentAt: number | undefined;

  /** @throws TidegateError JOURNAL_FAILED: it must not leave. */
  constructor(
    private readonly outlets: Pick<Outlets, 'clock' | 'memory'>,
    private readonly operation: string,
    private readonly clientOrderIds: readonly string[],
    body: unknown,
  ) {
    outlets.memory.request(operation, clientOrderIds, body);
  }

  /** It leaves now; where it is sent more than once, the last time counts. */
  readonly leaves = (): void => {
    this.#sentAt = this.outlets.clock.now();
  };

  /** The answer is there, or is waited for no more. */
  replied(outcome: string, body: unknown): void {
    const { clock, memory } = this.outlets;
    const sentAt = this.#sentAt;
    // Real time may be set back meanwhile.
    const trip = sentAt === undefined ? undefined : { sentAt, tookMs: Math.max(0, clock.now() - sentAt) };
    memory.reply(this.operation, this.clientOrderIds, outcome, body, trip);
  }
}
