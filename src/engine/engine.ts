import { Observable, Subject } from 'rxjs';
import { TidegateError } from '../model/errors.ts';
import type { Intent } from '../model/intents.ts';
import type { MarketEvent } from '../model/market-events.ts';
import type { AccountEvent, OrderEvent } from '../model/order-events.ts';
import { isTerminal } from '../model/order-state.ts';
import type { Ending, FeedItem, MarketFeed, PriceInstant } from '../ports/market-feed.ts';
import { applyAccount, applyMarket } from '../state/apply.ts';
import type { ReadonlyState, State } from '../state/state.ts';
import { Audience } from './audience.ts';
import { BarMaker } from './bar-maker.ts';
import { blamed } from './blame.ts';
import { closingIntents } from './closing-intents.ts';
import { DrawdownGuard } from './drawdown-guard.ts';
import type { EngineOptions } from './engine-options.ts';
import { HeldDesk } from './held-desk.ts';
import type { HeldOrder } from './held-order.ts';
import { Inbox } from './inbox.ts';
import { Intake } from './intake.ts';
import { Outbox } from './outbox.ts';
import { Reviewer } from './reviewer.ts';
import type { StrategyHost } from './strategy-host.ts';
import { TimerBook } from './timer-book.ts';

/** An intent on its way to review, or a held order whose trigger was reached. */
type Wish = { readonly host: StrategyHost; readonly intent: Intent; readonly sequence: number } | { readonly release: HeldOrder };

/** What the inbox takes. */
type Item = MarketEvent | AccountEvent | PriceInstant | Ending | { readonly kind: 'starting' };

/** Steps that one turn may take before it counts as a strategy that answers itself for ever. */
const MAX_STEPS_PER_TURN = 1_000_000;

/**
 * The loop. One turn: drain the inbox (apply to state, publish, call strategies), then review one intent
 * at a time through the risk gate, and when both are empty send what was approved; then again, until
 * nothing is left. One thread, first in first out, no `await` and no scheduler inside.
 */
export class Engine {
  /** Hot, like the two below; published to only while somebody observes. */
  readonly market$: Observable<MarketEvent>;
  readonly account$: Observable<AccountEvent>;
  /** The state after each turn. */
  readonly state$: Observable<ReadonlyState>;
  readonly #market = new Subject<MarketEvent>();
  readonly #account = new Subject<AccountEvent>();
  readonly #states = new Subject<ReadonlyState>();
  /** How many observe any of them: one look at every market event instead of three. */
  #observers = 0;
  readonly #inbox = new Inbox<Item>();
  readonly #wishes = new Inbox<Wish>();
  readonly #audience: Audience;
  readonly #held: HeldDesk;
  readonly #outbox: Outbox;
  readonly #reviewer: Reviewer;
  readonly #bars: BarMaker;
  readonly #state: State;
  readonly #guard: DrawdownGuard;
  #turning = false;
  /** The run is over: positions are closed once no order is left that could move them. */
  #closing = false;
  /** Sequence of the newest price inside a bar: there the engine runs ahead of the state. */
  #instant = 0;

  constructor(private readonly options: EngineOptions) {
    const { state, venue, clock, gate, desk } = options;
    const now = () => clock.now();
    const emit = (event: AccountEvent) => this.#inbox.push(event);
    this.#state = state;
    this.market$ = this.#counted(this.#market);
    this.account$ = this.#counted(this.#account);
    this.state$ = this.#counted(this.#states);
    this.#outbox = new Outbox(venue);
    this.#held = new HeldDesk(
      state,
      desk,
      {
        emit,
        now,
        release: (held) => this.#wishes.push({ release: held }),
        cancelAtVenue: (clientOrderId, instrument) => this.#reviewer.cancelAtVenue(clientOrderId, instrument),
      },
      options.exitsWaitForNextBar,
    );
    const timers = new TimerBook(clock, (event) => this.#wake(event));
    this.#reviewer = new Reviewer({ state, gate, desk, held: this.#held, outbox: this.#outbox, timers, emit, now });
    this.#guard = new DrawdownGuard(state, gate.maxDrawdown, this.#reviewer, { emit, now });
    this.#audience = new Audience(options.strategies, state, (host, intent) => this.#want(host, intent));
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

  /** Something came due outside the feed: a timer, or the grace of a bar. */
  #wake(event: AccountEvent | MarketEvent): void {
    this.#inbox.push(event);
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
    if (this.#observers > 0) this.#states.next(this.#state);
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
      else if (this.#closing && this.#state.openOrders.size === 0) this.#closePositions();
      else return;
      if (steps > MAX_STEPS_PER_TURN) {
        throw new TidegateError('STRATEGY_THREW', 'the strategies answer their own events without end');
      }
    }
  }

  #deliver(item: Item): void {
    switch (item.kind) {
      case 'quote':
      case 'bar':
      case 'trade':
      case 'ticker':
        this.#showWithBars(item);
        return;
      case 'priceInstant':
        this.#instant = item.sequence;
        if (item.opens) this.#held.book.wake(item.instrument);
        this.#held.judge(item.instrument, item.priceTicks, item.priceTicks);
        return;
      case 'starting':
        this.#audience.start();
        return;
      case 'ending':
        this.#end();
        return;
      default:
        this.#deliverAccount(item);
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
    if (this.#held.book.size > 0) this.#held.judgeBy(event);
    if (this.#observers > 0) this.#market.next(event);
    this.#audience.showMarket(event);
  }

  #deliverAccount(event: AccountEvent): void {
    const { journal } = this.options;
    applyAccount(this.#state, event);
    journal.event(this.#sequence, event);
    if (event.kind === 'orderFilled') this.#held.onFill(event.fill);
    else if (event.kind === 'riskLatched') this.#guard.cancelEntries();
    const order = isOrderEvent(event) ? this.#state.order(event.clientOrderId) : undefined;
    if (order !== undefined && isTerminal(order.status)) this.#held.onEnded(event as OrderEvent);
    if (this.#observers > 0) this.#account.next(event);
    this.#audience.showAccount(event, 'strategyId' in event ? event.strategyId : order?.strategyId);
  }

  /** Sequence of the newest data the engine acts on. */
  get #sequence(): number {
    return Math.max(this.#state.sequence, this.#instant);
  }

  #counted<T>(subject: Subject<T>): Observable<T> {
    return new Observable((subscriber) => {
      this.#observers++;
      const subscription = subject.subscribe(subscriber);
      return () => {
        this.#observers--;
        subscription.unsubscribe();
      };
    });
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
    const { host, intent, sequence } = wish;
    this.#audience.tell(host, 'the review of its intent', () => this.#reviewer.review(intent, host, sequence));
  }

  #end(): void {
    this.#audience.stop();
    if (!this.options.closeAtEnd) return;
    for (const order of [...this.#state.openOrders.values()]) this.#reviewer.cancel(order, 'requested');
    this.#closing = true;
  }

  #closePositions(): void {
    this.#closing = false;
    for (const host of this.#audience.hosts) {
      for (const intent of closingIntents(this.#state, host.id)) this.#want(host, intent);
    }
  }
}

function isOrderEvent(event: AccountEvent): event is OrderEvent {
  return event.kind !== 'balanceChanged' && event.kind !== 'timerFired' && event.kind !== 'riskLatched';
}
