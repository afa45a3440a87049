import { type Observable, Subject, Subscription } from 'rxjs';
import type { Clock } from '../../../ports/clock.ts';
import { Poll, type PollEvent } from './poll.ts';

/** The account as the polling loop uses it. */
export interface PolledAccount {
  /** One poll of all due data; `full` polls everything. Its events are reported and settled before it resolves. */
  round(full: boolean): Promise<void>;
  /** Epoch ms at which the next look-up is due between the points of the grid; `Infinity` if none is. */
  readonly nextDue: number;
  /** How many questions have been answered so far. */
  readonly answers: number;
  /** Emits when something was sent or received that makes an immediate poll useful. */
  readonly hints$: Observable<void>;
  /** Events were reported to the engine. An error here did not come from the exchange: it ends the run. */
  readonly settled$: Observable<void>;
}

/** Times in ms. */
export interface AccountRoundsOptions {
  readonly account: Pick<PolledAccount, 'round' | 'nextDue' | 'hints$' | 'answers'>;
  readonly clock: Clock;
  readonly periodMs: number;
  /** How often a round is a full one. The first round, and the first one after a failure, are full too. */
  readonly fullMs: number;
  readonly staleMs: number;
  readonly random: () => number;
  /** See `PollOptions`. */
  readonly load?: (() => number) | undefined;
  readonly maxBackoffMs?: number | undefined;
}

/**
 * Polls the account on the grid, when a look-up is due, and on hints. Rounds never overlap. A hint or a due look-up
 * during a round makes another round follow at once.
 */
export class AccountRounds {
  readonly events$: Observable<PollEvent<void>>;
  readonly #options: AccountRoundsOptions;
  readonly #poll: Poll<void>;
  readonly #wake = new Subject<void>();
  #hinted = false;
  /** The due time that the last round did not move although it had come: it waits for the grid. */
  #leftDue = Number.NaN;
  #fullAt = Number.NEGATIVE_INFINITY;
  #cancelWake = () => {};
  #links = new Subscription();

  constructor(options: AccountRoundsOptions) {
    this.#options = options;
    this.#poll = new Poll({ ...options, fetch: () => this.#round(), wake$: this.#wake });
    this.events$ = this.#poll.events$;
  }

  /** The present period, in ms. */
  get periodMs(): number {
    return this.#poll.periodMs;
  }

  /** Whether a round is in progress, or due by this tick. */
  owes(tick: number): boolean {
    return this.#poll.isRequesting || this.#poll.owes(tick);
  }

  /** Follows hints and its own timer until `stop`. */
  start(report: (event: PollEvent<void>) => void): void {
    this.#links = new Subscription();
    this.#links.add(
      this.#options.account.hints$.subscribe(() => {
        this.#hinted = true;
        this.arm();
      }),
    );
    this.#links.add(
      this.events$.subscribe((event) => {
        // The round after a failure is a full one.
        if (event.kind === 'failed') this.#fullAt = Number.NEGATIVE_INFINITY;
        report(event);
        if (event.kind === 'answered') this.arm();
      }),
    );
    this.arm();
  }

  stop(): void {
    this.#links.unsubscribe();
    this.#cancelWake();
  }

  /** Sets the timer for the next due look-up. Called when that may have changed; the end of a round also calls it. */
  arm(): void {
    this.#cancelWake();
    if (this.#links.closed || this.#poll.isRequesting) return;
    const { account, clock } = this.#options;
    const now = clock.now();
    const isStuck = account.nextDue <= now && account.nextDue === this.#leftDue;
    const due = this.#hinted ? now : isStuck ? Number.POSITIVE_INFINITY : account.nextDue;
    // Uses the clock even when it is due now: never inside a turn, nor before the present round has ended.
    this.#cancelWake = due === Number.POSITIVE_INFINITY ? () => {} : clock.schedule(Math.max(now, due), () => this.#wake.next());
  }

  async #round(): Promise<void> {
    const { account, clock, fullMs } = this.#options;
    const now = clock.now();
    const isFull = now >= this.#fullAt + fullMs || now < this.#fullAt;
    this.#cancelWake();
    this.#hinted = false;
    const dueBefore = account.nextDue;
    const { answers } = account;
    try {
      await account.round(isFull);
    } catch (error) {
      // Many questions make one round: some answers show that the exchange is there.
      if (account.answers > answers) this.#poll.ease();
      throw error;
    } finally {
      // A look-up that becomes due after this, even at the same time, runs at once.
      this.#leftDue = account.nextDue === dueBefore ? dueBefore : Number.NaN;
    }
    if (isFull) this.#fullAt = now;
  }
}
