import { TidegateError } from '../model/errors.ts';
import type { Intent } from '../model/intents.ts';
import type { MarketEvent } from '../model/market-events.ts';
import type { AccountEvent } from '../model/order-events.ts';
import type { FeedItem, MarketFeed } from '../ports/market-feed.ts';
import { applyMarket } from '../state/apply.ts';
import type { State } from '../state/state.ts';
import { AccountEvents } from './account-events.ts';
import { Audience } from './audience.ts';
import { BarMaker } from './bar-maker.ts';
import { blamed } from './blame.ts';
import { Broadcast } from './broadcast.ts';
import { Closing } from './closing.ts';
import { DrawdownGuard } from './drawdown-guard.ts';
import type { EngineOptions } from './engine-options.ts';
import { HeldDesk } from './held-desk.ts';
import { Inbox } from './inbox.ts';
import { Intake } from './intake.ts';
import { Outbox } from './outbox.ts';
import { Reviewer } from './reviewer.ts';
import type { StrategyHost } from './strategy-host.ts';
import { TimerBook } from './timer-book.ts';
import { TriggerTimeouts } from './trigger-timeouts.ts';
import type { InboxItem, Wish } from './wish.ts';

/** Steps that one turn may take before it counts as a strategy that answers itself for ever. */
const MAX_STEPS_PER_TURN = 1_000_000;

/**
 * The loop. One turn: drain the inbox (apply to state, publish, call strategies), then review one intent
 * at a time through the risk gate, and when both are empty send what was approved; then again, until
 * nothing is left. One thread, first in first out, no `await` and no scheduler inside.
 */
export class Engine {
  readonly #broadcast = new Broadcast();
  /** Market events, account events, and the state after each turn: hot. */
  readonly market$ = this.#broadcast.market$;
  readonly account$ = this.#broadcast.account$;
  readonly state$ = this.#broadcast.state$;
  readonly #inbox = new Inbox<InboxItem>();
  readonly #wishes = new Inbox<Wish>();
  readonly #audience: Audience;
  readonly #held: HeldDesk;
  readonly #outbox: Outbox;
  readonly #reviewer: Reviewer;
  readonly #bars: BarMaker;
  readonly #state: State;
  readonly #account: AccountEvents;
  readonly #closing: Closing;
  #turning = false;
  /** The recording is over. */
  #ended = false;
  /** Sequence of the newest price inside a bar: there the engine runs ahead of the state. */
  #instant = 0;

  constructor(private readonly options: EngineOptions) {
    const { state, venue, clock, gate, desk } = options;
    const now = () => clock.now();
    const emit = (event: AccountEvent) => this.#inbox.push(event);
    this.#state = state;
    this.#outbox = new Outbox(venue);
    const cancelAtVenue: Reviewer['cancelAtVenue'] = (...order) => this.#reviewer.cancelAtVenue(...order);
    const timeouts = new TriggerTimeouts(state, clock, options.triggerTimeoutMs, {
      cancelAtVenue,
      replace: (order, steps) => {
        const leg = this.#held.book.find(order.clientOrderId);
        if (leg !== undefined) return this.#held.renew(leg, steps);
        this.#wishes.push({ replace: order, steps });
        return true;
      },
      wake: () => this.#wake(),
    });
    this.#held = new HeldDesk(
      state,
      desk,
      { emit, now, release: (held) => this.#wishes.push({ release: held }), cancelAtVenue, watch: (id) => timeouts.watch(id) },
      options.exitsWaitForNextBar,
    );
    const timers = new TimerBook(clock, (event) => this.#wake(event));
    this.#reviewer = new Reviewer({ state, gate, desk, held: this.#held, outbox: this.#outbox, timers, timeouts, emit, now });
    const guard = new DrawdownGuard(state, gate.maxDrawdown, this.#reviewer, { emit, now });
    this.#audience = new Audience(options.strategies, state, (host, intent) => this.#want(host, intent));
    const { journal } = options;
    const parts = { state, journal, held: this.#held, timeouts, guard, broadcast: this.#broadcast, audience: this.#audience };
    this.#account = new AccountEvents(parts);
    this.#closing = new Closing(state, this.#reviewer, (id, intent) => {
      for (const host of this.#audience.hosts) if (host.id === id) this.#want(host, intent);
    });
    this.#bars = new BarMaker(state.instruments, options.bars, clock, (bar) => this.#wake(bar));
    venue.watchHeld?.(this.#held.book);
    venue.events$.subscribe((event) => this.#inbox.push(event));
  }

  /**
   * Runs until the feed ends. A recorded feed has replayed everything when this returns.
   * @throws TidegateError STRATEGY_THREW (or what else stopped the run), at the very event.
   */
  async run(feed: MarketFeed): Promise<void> {
    const intake = new Intake(this);
    this.#inbox.push({ kind: 'starting' });
    feed.events$.subscribe(intake);
    await intake.finished;
    if (this.#ended && intake.failure === undefined) {
      this.#held.expire();
      if (!this.#inbox.empty) this.#turn();
    }
    const failure = this.#audience.close();
    if (intake.failure !== undefined) throw intake.failure.error;
    if (failure !== undefined) throw failure.error;
  }

  /** Takes an item of the feed, and a turn. @internal Called by the intake alone. */
  receive(item: FeedItem): void {
    switch (item.kind) {
      case 'quote':
      case 'bar':
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

  /** Something came due outside the feed: a timer, the grace of a bar, a trigger that did not fire. */
  #wake(event?: AccountEvent | MarketEvent): void {
    if (event !== undefined) this.#inbox.push(event);
    if (!this.#turning) this.#turn();
  }

  /** @param first delivered before the inbox, which is empty then. */
  #turn(first?: MarketEvent): void {
    this.#turning = true;
    try {
      if (first !== undefined) {
        if (this.#bars.idle) this.#show(first);
        else this.#showWithBars(first);
      }
      if (!this.#inbox.empty || !this.#wishes.empty) this.#settle();
    } catch (error) {
      throw blamed(error, { who: 'the engine', what: `market data ${this.#sequence}`, time: this.options.clock.now() });
    }
    this.#turning = false;
    if (this.#broadcast.observers > 0) this.#broadcast.state(this.#state);
  }

  #settle(): void {
    for (let steps = 0; ; steps++) {
      const item = this.#inbox.take();
      if (item !== undefined) {
        this.#deliver(item);
        continue;
      }
      const wish = this.#wishes.take();
      if (wish !== undefined) this.#review(wish);
      else if (!this.#outbox.empty) this.#outbox.flush();
      else if (!this.#closing.step()) return;
      if (steps > MAX_STEPS_PER_TURN) {
        throw new TidegateError('STRATEGY_THREW', 'the strategies answer their own events without end');
      }
    }
  }

  #deliver(item: InboxItem): void {
    switch (item.kind) {
      case 'quote':
      case 'bar':
      case 'trade':
      case 'ticker':
      case 'mark':
      case 'funding':
        this.#showWithBars(item);
        return;
      case 'priceInstant':
        this.#instant = item.sequence;
        this.#held.atInstant(item.instrument, item.priceTicks);
        return;
      case 'starting':
        this.#audience.start();
        return;
      case 'ending':
        this.#ended = true;
        this.#audience.stop();
        if (this.options.closeAtEnd) this.#closing.begin();
        return;
      case 'stopping':
      case 'command':
        return;
      default:
        this.#account.deliver(item, this.#sequence);
        if (item.kind === 'orderExpired' && item.reason === 'endOfRun') this.#closing.stop();
    }
  }

  /** A built bar is seen before the price that closed it, a longer bar after the shorter one it ends with. */
  #showWithBars(event: MarketEvent): void {
    if (event.kind !== 'bar') this.#bars.take(event, this.#completed);
    this.#show(event);
    if (event.kind === 'bar') this.#bars.take(event, this.#completed);
  }

  readonly #completed = (bar: MarketEvent): void => this.#show(bar);

  #show(event: MarketEvent): void {
    applyMarket(this.#state, event);
    if (this.#held.book.size > 0) this.#held.judge.by(event);
    if (this.#broadcast.observers > 0) this.#broadcast.market(event);
    this.#audience.showMarket(event);
  }

  /** Sequence of the newest data the engine acts on. */
  get #sequence(): number {
    return Math.max(this.#state.sequence, this.#instant);
  }

  #want(host: StrategyHost, intent: Intent): void {
    if (!this.#turning) throw new TidegateError('STRATEGY_THREW', `strategy "${host.id}" emitted an intent outside any event`);
    this.options.journal.intent(this.#sequence, this.options.clock.now(), host.id, intent);
    this.#wishes.push({ host, intent, sequence: this.#sequence });
  }

  #review(wish: Wish): void {
    if ('release' in wish) {
      this.#reviewer.release(wish.release, this.#sequence);
      return;
    }
    if ('replace' in wish) {
      this.#reviewer.replace(wish.replace, wish.steps, this.#sequence);
      return;
    }
    const { host, intent, sequence } = wish;
    this.#audience.tell(host, 'the review of its intent', () => this.#reviewer.review(intent, host, sequence));
  }
}
