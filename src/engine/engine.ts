import type { Subscription } from 'rxjs';
import type { AccountEvent, VenueEvent } from '../model/account-events.ts';
import { TidegateError } from '../model/errors.ts';
import type { Intent } from '../model/intents.ts';
import type { MarketEvent } from '../model/market-events.ts';
import type { CommandedClose, EngineItem, MarketFeed, MergedQuoteRun, QuoteRun } from '../ports/market-feed.ts';
import type { RiskLimits } from '../risk/limits.ts';
import type { State } from '../state/state.ts';
import { type BarIndicator, heldIndicatorsOf } from '../strategy/indicators.ts';
import { Broadcast } from './broadcast.ts';
import { assemble, type EngineOptions, type EngineParts, snapshotOf, startWaits } from './engine-parts.ts';
import type { HeldSnapshot } from './held/held-memory.ts';
import { endlessTurn, FeedSubscriber, Inbox, type InboxItem, MAX_STEPS_PER_TURN, type QueuedReview, type Waiting } from './inbox.ts';
import { MarketDesk } from './market-path.ts';
import type { Joins } from './strategies/joins.ts';
import type { StrategyHost } from './strategies/strategy-host.ts';
import { strategyError } from './strategy-error.ts';

/**
 * The loop. One turn: drain the inbox (apply to state, publish, call strategies), then review one intent at a time through the
 * risk gate, and when both are empty send what was approved; then again, until nothing is left. One thread, first in first out.
 */
export class Engine {
  readonly #broadcast = new Broadcast();
  /**
   * Hot streams of market events, account events, and the state after each turn. `watch` delivers market events at a lower cost, as calls.
   */
  readonly market$ = this.#broadcast.market$;
  readonly account$ = this.#broadcast.account$;
  readonly state$ = this.#broadcast.state$;
  readonly watch = this.#broadcast.watch;
  readonly watchEach = this.#broadcast.watchEach;
  readonly #waiting: Waiting = { count: 0 };
  readonly #inbox = new Inbox<InboxItem>(this.#waiting);
  readonly #reviews = new Inbox<QueuedReview>(this.#waiting);
  readonly #parts: EngineParts;
  readonly #venueEvents: Subscription;
  // Used for nearly every event, so kept in fields.
  readonly #state: State;
  readonly #market: MarketDesk;
  #turning = false;
  #running = false;
  #started = false;
  /** The recording is over. */
  #ended = false;
  /** Sequence of the newest price inside a bar: within a bar the engine is ahead of the state. */
  #instant = 0;

  constructor(private readonly options: EngineOptions) {
    const { state, venue } = options;
    this.#state = state;
    this.#parts = assemble(options, {
      broadcast: this.#broadcast,
      waiting: this.#waiting,
      emit: (event) => this.#inbox.push(event),
      queueReview: (queued) => this.#reviews.push(queued),
      submit: (host, intent, ours) => this.#submit(host, intent, ours),
      wake: (event) => this.#wake(event),
    });
    const loop = { waiting: this.#waiting, settle: () => this.#settle(), publish: () => this.#endTurn(true) };
    this.#market = new MarketDesk(state, this.#parts, this.#broadcast, loop);
    options.joins?.onJoin((symbol) => this.#market.renew(symbol));
    venue.watchHeld?.(this.#parts.held.book);
    this.#venueEvents = venue.events$.subscribe((event) => this.#onVenueEvent(event));
  }

  /**
   * Runs until the feed ends. A recorded feed has replayed everything when this returns.
   * @throws TidegateError STRATEGY_THREW, or another error that stopped the run, at the very event.
   */
  async run(feed: MarketFeed<EngineItem>): Promise<void> {
    this.#parts.account.rethrow();
    const subscriber = new FeedSubscriber(this);
    this.#running = true;
    startWaits(this.#parts);
    this.#inbox.push({ kind: 'starting' });
    feed.events$.subscribe(subscriber);
    await subscriber.finished;
    if (this.#ended && subscriber.failure === undefined) {
      this.#parts.held.expire();
      if (!this.#inbox.empty) this.#turn();
    }
    const failure = this.#parts.runner.close();
    this.#venueEvents.unsubscribe();
    if (subscriber.failure !== undefined) throw subscriber.failure.error;
    if (failure !== undefined) throw failure.error;
  }

  /**
   * The state that another engine needs to continue, in addition to `state`. Called between turns, or while the journal commits before
   * sends.
   */
  snapshot(): HeldSnapshot {
    return snapshotOf(this.#parts);
  }

  /** The limits that are in force. */
  get limits(): RiskLimits {
    return this.options.gate.limits;
  }

  /** The closes by command that are not finished. */
  get commandedCloses(): readonly CommandedClose[] {
    return this.#parts.flattening.commanded;
  }

  /** The number of entries of this run that filled at or beyond their stop loss. */
  get stopsBeyondFill(): number {
    return this.#parts.held.planned.stopsBeyondFill;
  }

  /** The number of entries of this run that filled at or beyond their take profit. */
  get targetsBeyondFill(): number {
    return this.#parts.held.planned.targetsBeyondFill;
  }

  /** The number of `protect` that found nothing to protect, by strategy. */
  get idleProtects(): ReadonlyMap<string, number> {
    return this.#parts.reviewer.idleProtects;
  }

  /** The number of closes and exits whose size was changed for the minimum of an order, by strategy. */
  get sizesChanged(): ReadonlyMap<string, number> {
    return this.#parts.reviewer.leastSize.changed;
  }

  /** The indicators whose value was held at some bars, by strategy. */
  get heldIndicators(): readonly { readonly strategyId: string; readonly indicator: BarIndicator }[] {
    return this.#parts.runner.hosts.flatMap(({ id, strategy }) =>
      heldIndicatorsOf(strategy).map((indicator) => ({ strategyId: id, indicator })),
    );
  }

  /** The saved states of the strategies, by id. @throws TidegateError STRATEGY_THREW */
  saves(): ReadonlyMap<string, unknown> {
    return this.#parts.runner.saves();
  }

  /** The symbols that strategies receive later than the start; none if all must begin together. */
  get late(): Joins['late'] {
    return this.options.joins?.late ?? [];
  }

  /** True if it has delivered every event of the venue so far. */
  get caughtUp(): boolean {
    return this.#inbox.empty;
  }

  /** True once the strategies have restored their saved state and have started. */
  get started(): boolean {
    return this.#started;
  }

  /** Receives an item of the feed, and takes a turn. @internal Called only by the subscriber of the feed. */
  receive(item: EngineItem): void {
    switch (item.kind) {
      case 'quote':
      case 'bar':
      case 'depth':
      case 'trade':
      case 'ticker':
      case 'mark':
      case 'funding':
        // The short way of nearly every event: the inbox is empty, so it need not queue.
        if (this.#inbox.empty) {
          this.#turn(item);
          return;
        }
        this.#inbox.push(item);
        break;
      case 'quotes':
      case 'mergedRun':
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
  #follow(run: QuoteRun | MergedQuoteRun): void {
    // Waiting items come before the quotes, and the first quote belongs to their turn.
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

  /** Before the run there are no turns: an event of the venue changes state and memory at once. */
  #onVenueEvent(event: VenueEvent): void {
    if (this.#running) this.#inbox.push(event);
    else this.#parts.account.deliverEarly(event, this.#sequence);
  }

  /** Something became due outside the feed: a timer, the end of a bar, or a trigger that was not triggered in time. */
  #wake(event?: AccountEvent | MarketEvent): void {
    if (event !== undefined) this.#inbox.push(event);
    if (!this.#turning) this.#turn();
  }

  /** @param first delivered before the inbox, which is empty then. */
  #turn(first?: MarketEvent): void {
    this.#turning = true;
    try {
      if (first !== undefined) this.#market.show(first);
      // A due timer may affect a position that is being closed, without any event.
      if (first === undefined || this.#waiting.count > 0) this.#settle();
    } catch (error) {
      throw this.#blamed(error);
    }
    this.#endTurn();
  }

  /** @param another turn follows at once. */
  #endTurn(another = false): void {
    this.#turning = false;
    if (this.#broadcast.observers > 0) this.#broadcast.state(this.#state);
    this.#turning = another;
  }

  #blamed(error: unknown): TidegateError {
    return strategyError(error, { who: 'the engine', what: `market data ${this.#sequence}`, time: this.options.clock.now() });
  }

  #settle(): void {
    const { outbox, closing, commands, moments, followers } = this.#parts;
    let last: QueuedReview | undefined;
    for (let steps = 0; ; steps++) {
      const item = this.#inbox.take();
      if (item !== undefined) {
        this.#deliver(item);
        continue;
      }
      if (moments.show()) continue;
      const queued = this.#reviews.take();
      if (queued !== undefined) review(queued, this.#parts, this.#sequence);
      else if (!outbox.empty) this.#send();
      else if (!closing.step() && !commands.step() && !followers.show()) return;
      last = queued ?? last;
      if (steps > MAX_STEPS_PER_TURN) {
        throw endlessTurn(last, { what: `market data ${this.#sequence}`, time: this.options.clock.now() });
      }
    }
  }

  /** A venue sends over a network after the turn only, once the events that led to the request are durable. */
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
        this.#started = true;
        this.#parts.amendments.start();
        return;
      case 'ending':
        this.#ended = true;
        this.#market.finish();
        this.#parts.moments.show();
        this.#parts.runner.stop();
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

  /** @param ours submitted by the engine in the strategy's name. */
  #submit(host: StrategyHost, intent: Intent, ours = false): void {
    if (!this.#turning) throw new TidegateError('STRATEGY_THREW', `strategy "${host.id}" emitted an intent outside any event`);
    this.options.journal.intent(this.#sequence, this.options.clock.now(), host.id, intent);
    this.#reviews.push({ host, intent, sequence: this.#sequence, ours });
  }
}

/** Passes one queued item to the part that reviews it. @param now sequence of the newest data the engine acts on. */
function review(queued: QueuedReview, { reviewer, amendments, commands, runner }: EngineParts, now: number): void {
  if ('release' in queued) {
    reviewer.release(queued.release, now);
    return;
  }
  if ('amended' in queued) {
    const { strategyId, symbol, side, tag, request } = queued.amended;
    const isRefused = commands.refuses({ kind: 'place', symbol, side, tag, ref: request.ref, group: request.group }, strategyId);
    if (!isRefused) amendments.replace(queued.amended, queued.amendment, now);
    return;
  }
  const { host, intent, sequence, ours } = queued;
  if (!ours && commands.refuses(intent, host.id)) return;
  runner.call(host, 'the review of its intent', () => reviewer.review(intent, host, sequence));
}
