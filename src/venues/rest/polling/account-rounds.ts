import { type Observable, Subject, Subscription } from 'rxjs';
import type { Clock } from '../../../ports/clock.ts';
import { Poll, type PollEvent } from './poll.ts';

/** The account as the venue looks at it. */
export interface PolledAccount {
  /** One look at what is due; `full` looks at everything. Its events are told, and settled, before it resolves. */
  round(full: boolean): Promise<void>;
  /** Epoch ms at which the next look is due, beside the grid; `Infinity` where none is. */
  readonly nextDue: number;
  /** Something was sent or heard that makes a look worth while now. */
  readonly hints$: Observable<void>;
  /** Events were told to the engine. An error there is none of the exchange's: it ends the run. */
  readonly settled$: Observable<void>;
}

/** Times in ms. */
export interface AccountRoundsOptions {
  readonly account: Pick<PolledAccount, 'round' | 'nextDue' | 'hints$'>;
  readonly clock: Clock;
  readonly periodMs: number;
  /** How often a round is a full one; the first is, and the first after a failure. */
  readonly fullMs: number;
  readonly staleMs: number;
  readonly random: () => number;
  /** See `PollOptions`. */
  readonly load?: (() => number) | undefined;
  readonly maxBackoffMs?: number | undefined;
}

/**
 * Has the account looked at: on the grid, when a look-up is due, and on hints. Rounds never overlap; what is hinted or
 * comes due during one makes another follow at once.
 */
export class AccountRounds {
  readonly events$: Observable<PollEvent<void>>;
  readonly #options: AccountRoundsOptions;
  readonly #poll: Poll<void>;
  readonly #wake = new Subject<void>();
  #hinted = false;
  /** What the round left due though its time had come: it has not moved it, and that waits for the grid. */
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

  /** Whether a round is under way, or due by this tick. */
  owes(tick: number): boolean {
    return this.#poll.asking || this.#poll.owes(tick);
  }

  /** Listens to hints and its own rounds until `stop`. */
  start(tell: (event: PollEvent<void>) => void): void {
    this.#links = new Subscription();
    this.#links.add(
      this.#options.account.hints$.subscribe(() => {
        this.#hinted = true;
        this.arm();
      }),
    );
    this.#links.add(
      this.events$.subscribe((event) => {
        // What failed is made up for in full.
        if (event.kind === 'failed') this.#fullAt = Number.NEGATIVE_INFINITY;
        tell(event);
        if (event.kind === 'answered') this.arm();
      }),
    );
    this.arm();
  }

  stop(): void {
    this.#links.unsubscribe();
    this.#cancelWake();
  }

  /** Sets the alarm for what is due next. Called when that may have changed; during a round its end does it. */
  arm(): void {
    this.#cancelWake();
    if (this.#links.closed || this.#poll.asking) return;
    const { account, clock } = this.#options;
    const now = clock.now();
    const isStuck = account.nextDue <= now && account.nextDue === this.#leftDue;
    const due = this.#hinted ? now : isStuck ? Number.POSITIVE_INFINITY : account.nextDue;
    // By way of the clock even when it is now: never inside a turn, nor before the round that ends has ended.
    this.#cancelWake = due === Number.POSITIVE_INFINITY ? () => {} : clock.schedule(Math.max(now, due), () => this.#wake.next());
  }

  async #round(): Promise<void> {
    const { account, clock, fullMs } = this.#options;
    const now = clock.now();
    const isFull = now >= this.#fullAt + fullMs || now < this.#fullAt;
    this.#cancelWake();
    this.#hinted = false;
    const dueBefore = account.nextDue;
    try {
      await account.round(isFull);
    } finally {
      // What comes due after this, at the same time even, is looked at at once.
      this.#leftDue = account.nextDue === dueBefore ? dueBefore : Number.NaN;
    }
    if (isFull) this.#fullAt = now;
  }
}
