import type { Subscription } from 'rxjs';
import type { AccountEvent, VenueEvent } from '../model/account-events.ts';
import { TidegateError } from '../model/errors.ts';
import type { Intent } from '../model/intents.ts';
import type { MarketEvent } from '../model/market-events.ts';
import type { EngineItem, MarketFeed, QuoteBraid, QuoteRun } from '../ports/market-feed.ts';
import type { State } from '../state/state.ts';
import { blamed } from './blame.ts';
import { Broadcast } from './broadcast.ts';
import { assemble, type EngineOptions, type EngineParts, snapshotOf, startWaits } from './engine-parts.ts';
import type { HeldSnapshot } from './held/held-memory.ts';
import { endlessTurn, Inbox, type InboxItem, Intake, MAX_STEPS_PER_TURN, type Waiting, type Wish } from './inbox.ts';
import { MarketDesk } from './market-path.ts';
import type { StrategyHost } from './strategies/strategy-host.ts';

/**
 * The loop. One turn: drain the inbox (apply to state, publish, call strategies), then review one intent at a time through the
 * risk gate, and when both are empty send what was approved; then again, until nothing is left. One thread, first in first out.
 */
export class Engine {
  readonly #broadcast = new Broadcast();
  /** Market events, account events, and the state after each turn: hot. `watch` shows market events for less, as calls. */
  readonly market$ = this.#broadcast.market$;
  readonly account$ = this.#broadcast.account$;
  readonly state$ = this.#broadcast.state$;
  readonly watch = this.#broadcast.watch;
  readonly watchEach = this.#broadcast.watchEach;
  readonly #waiting: Waiting = { count: 0 };
  readonly #inbox = new Inbox<InboxItem>(this.#waiting);
  readonly #wishes = new Inbox<Wish>(this.#waiting);
  readonly #parts: EngineParts;
  readonly #venueEvents: Subscription;
  // What nearly every event passes stands at hand.
  readonly #state: State;
  readonly #market: MarketDesk;
  #turning = false;
  #running = false;
  /** The recording is over. */
  #ended = false;
  /** Sequence of the newest price inside a bar: there the engine runs ahead of the state. */
  #instant = 0;

  constructor(private readonly options: EngineOptions) {
    const { state, venue } = options;
    this.#state = state;
    this.#parts = assemble(options, {
      broadcast: this.#broadcast,
      emit: (event) => this.#inbox.push(event),
      wish: (wish) => this.#wishes.push(wish),
      want: (host, intent, ours) => this.#want(host, intent, ours),
      wake: (event) => this.#wake(event),
    });
    const loop = { waiting: this.#waiting, settle: () => this.#settle(), tell: () => this.#endTurn(true) };
    this.#market = new MarketDesk(state, this.#parts, this.#broadcast, loop);
    venue.watchHeld?.(this.#parts.held.book);
    this.#venueEvents = venue.events$.subscribe((event) => this.#hear(event));
  }

  /**
   * Runs until the feed ends. A recorded feed has replayed everything when this returns.
   * @throws TidegateError STRATEGY_THREW (or what else stopped the run), at the very event.
   */
  async run(feed: MarketFeed<EngineItem>): Promise<void> {
    this.#parts.account.rethrow();
    const intake = new Intake(this);
    this.#running = true;
    startWaits(this.#parts, this.options.resume);
    this.#inbox.push({ kind: 'starting' });
    feed.events$.subscribe(intake);
    await intake.finished;
    if (this.#ended && intake.failure === undefined) {
      this.#parts.held.expire();
      if (!this.#inbox.empty) this.#turn();
    }
    const failure = this.#parts.audience.close();
    this.#venueEvents.unsubscribe();
    if (intake.failure !== undefined) throw intake.failure.error;
    if (failure !== undefined) throw failure.error;
  }

  /** What another engine needs beside the state to go on from here. Between turns, or while the journal commits before sends. */
  snapshot(): HeldSnapshot {
    return snapshotOf(this.#parts);
  }

  /** What the strategies want to know again after a restart, by their ids. @throws TidegateError STRATEGY_THREW */
  saves(): ReadonlyMap<string, unknown> {
    return this.#parts.audience.saves();
  }

  /** Takes an item of the feed, and a turn. @internal Called by the intake alone. */
  receive(item: EngineItem): void {
    switch (item.kind) {
      case 'quote':
      case 'bar':
      case 'depth':
      case 'trade':
      case 'ticker':
      case 'mark':
      case 'funding':
        // The short way of nearly every event: nothing was waiting, so it need not queue.
        if (this.#inbox.empty) {
          this.#turn(item);
          return;
        }
        this.#inbox.push(item);
        break;
      case 'quotes':
      case 'braid':
        this.#follow(item);
        return;
      case 'together':
        for (const event of item.events) this.#inbox.push(event);
        break;
      case 'settled':
        break;
      default:
        this.#inbox.push(item);
    }
    this.#turn();
  }

  /** A turn for each quote. */
  #follow(run: QuoteRun | QuoteBraid): void {
    // What waits comes before the quotes, and the first of them belongs to its turn.
    const first = this.#inbox.empty ? undefined : run.nextQuote();
    if (first !== undefined) this.receive(first);
    this.#turning = true;
    try {
      this.#market.follow(run);
    } catch (error) {
      throw this.#blamed(error);
    }
    this.#turning = false;
  }

  /** Before the run nobody takes turns: what the venue tells then is in the state, and remembered, at once. */
  #hear(event: VenueEvent): void {
    if (this.#running) this.#inbox.push(event);
    else this.#parts.account.deliverEarly(event, this.#sequence);
  }

  /** Something came due outside the feed: a timer, the grace of a bar, a trigger that did not fire. */
  #wake(event?: AccountEvent | MarketEvent): void {
    if (event !== undefined) this.#inbox.push(event);
    if (!this.#turning) this.#turn();
  }

  /** @param first delivered before the inbox, which is empty then. */
  #turn(first?: MarketEvent): void {
    this.#turning = true;
    try {
      if (first !== undefined) this.#market.show(first);
      // What comes due may move what is being closed, with nothing to deliver.
      if (first === undefined || this.#waiting.count > 0) this.#settle();
    } catch (error) {
      throw this.#blamed(error);
    }
    this.#endTurn();
  }

  /** @param another follows at once. */
  #endTurn(another = false): void {
    this.#turning = false;
    if (this.#broadcast.observers > 0) this.#broadcast.state(this.#state);
    this.#turning = another;
  }

  #blamed(error: unknown): TidegateError {
    return blamed(error, { who: 'the engine', what: `market data ${this.#sequence}`, time: this.options.clock.now() });
  }

  #settle(): void {
    const { outbox, closing, commands } = this.#parts;
    let last: Wish | undefined;
    for (let steps = 0; ; steps++) {
      const item = this.#inbox.take();
      if (item !== undefined) {
        this.#deliver(item);
        continue;
      }
      const wish = this.#wishes.take();
      if (wish !== undefined) review(wish, this.#parts, this.#sequence);
      else if (!outbox.empty) this.#send();
      else if (!closing.step() && !commands.step()) return;
      last = wish ?? last;
      if (steps > MAX_STEPS_PER_TURN) {
        throw endlessTurn(last, { what: `market data ${this.#sequence}`, time: this.options.clock.now() });
      }
    }
  }

  /** Nothing leaves before what led to it is durable. */
  #send(): void {
    this.options.journal.commit();
    this.#parts.outbox.flush();
  }

  #deliver(item: InboxItem): void {
    const { account, closing, commands } = this.#parts;
    switch (item.kind) {
      case 'quote':
      case 'bar':
      case 'depth':
      case 'trade':
      case 'ticker':
      case 'mark':
      case 'funding':
        this.#market.show(item);
        return;
      case 'priceInstant':
        this.#instant = item.sequence;
        this.#parts.held.atInstant(item);
        return;
      case 'starting':
        account.start(this.options.resume?.saves);
        return;
      case 'ending':
        this.#ended = true;
        this.#parts.audience.stop();
        if (this.options.closeAtEnd) closing.begin();
        return;
      case 'stopping':
      case 'command':
        commands.take(item);
        return;
      default:
        account.deliver(item, this.#sequence);
        if (item.kind === 'orderExpired' && item.reason === 'endOfRun') closing.stop();
    }
  }

  /** Sequence of the newest data the engine acts on. */
  get #sequence(): number {
    return Math.max(this.#state.sequence, this.#instant);
  }

  /** @param ours asked by the engine in the strategy's name. */
  #want(host: StrategyHost, intent: Intent, ours = false): void {
    if (!this.#turning) throw new TidegateError('STRATEGY_THREW', `strategy "${host.id}" emitted an intent outside any event`);
    this.options.journal.intent(this.#sequence, this.options.clock.now(), host.id, intent);
    this.#wishes.push({ host, intent, sequence: this.#sequence, ours });
  }
}

/** Passes one wish to the part that reviews it. @param now sequence of the newest data the engine acts on. */
function review(wish: Wish, { reviewer, commands, audience }: EngineParts, now: number): void {
  if ('release' in wish) {
    reviewer.release(wish.release, now);
    return;
  }
  if ('replace' in wish) {
    reviewer.replace(wish.replace, wish.steps, now);
    return;
  }
  const { host, intent, sequence, ours } = wish;
  if (!ours && commands.refuses(intent, host.id)) return;
  audience.tell(host, 'the review of its intent', () => reviewer.review(intent, host, sequence));
}
