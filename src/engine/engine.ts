import { Subject } from 'rxjs';
import { TidegateError } from '../model/errors.ts';
import type { Intent } from '../model/intents.ts';
import type { MarketEvent } from '../model/market-events.ts';
import type { OrderEvent } from '../model/order-events.ts';
import type { AccountEvent } from '../model/order-events.ts';
import { isTerminal } from '../model/order-state.ts';
import type { Clock } from '../ports/clock.ts';
import type { ExecutionVenue } from '../ports/execution-venue.ts';
import type { Journal } from '../ports/journal.ts';
import { type Ending, type FeedItem, type MarketFeed, type PriceInstant, SETTLED } from '../ports/market-feed.ts';
import type { RiskGate } from '../risk/gate.ts';
import { applyAccount, applyMarket } from '../state/apply.ts';
import type { ReadonlyState, State } from '../state/state.ts';
import type { Intents, Strategy } from '../strategy/strategy.ts';
import { BarMaker, type BarPlan } from './bar-maker.ts';
import { blamed, describe } from './blame.ts';
import { HeldDesk } from './held-desk.ts';
import type { HeldOrder } from './held-order.ts';
import { Inbox } from './inbox.ts';
import { Intake } from './intake.ts';
import type { OrderDesk } from './order-desk.ts';
import { Outbox } from './outbox.ts';
import { Reviewer } from './reviewer.ts';
import { Routes } from './routes.ts';
import { StrategyHost } from './strategy-host.ts';
import { TimerBook } from './timer-book.ts';

export interface EngineOptions {
  readonly state: State;
  readonly strategies: readonly Strategy[];
  readonly gate: RiskGate;
  readonly desk: OrderDesk;
  readonly venue: ExecutionVenue;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly bars: BarPlan;
  readonly exitsWaitForNextBar: boolean;
  /** Close every strategy's position at the last price when the recording ends. */
  readonly closeAtEnd: boolean;
}

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
  /** Hot; published to only while somebody observes. */
  readonly market$ = new Subject<MarketEvent>();
  readonly account$ = new Subject<AccountEvent>();
  /** The state after each turn. */
  readonly state$ = new Subject<ReadonlyState>();
  readonly #inbox = new Inbox<Item>();
  readonly #wishes = new Inbox<Wish>();
  readonly #hosts: readonly StrategyHost[];
  readonly #routes: Routes;
  readonly #held: HeldDesk;
  readonly #outbox: Outbox;
  readonly #reviewer: Reviewer;
  readonly #bars: BarMaker;
  #turning = false;
  /** The drawdown latch is on its way into the state. */
  #latching = false;
  /** Sequence of the newest data the engine acts on; inside a bar it runs ahead of the state's. */
  #sequence = 0;
  #host: StrategyHost | undefined;
  /** What the turn is busy with, for the message if it throws. */
  #doing: string | MarketEvent = 'onStart';

  constructor(private readonly options: EngineOptions) {
    const { state, venue, clock, gate, desk } = options;
    const now = () => clock.now();
    const emit = (event: AccountEvent) => this.#inbox.push(event);
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
    this.#hosts = options.strategies.map((strategy) => new StrategyHost(strategy, (host, intents) => this.#collect(host, intents)));
    this.#routes = new Routes(state.instruments, this.#hosts);
    this.#bars = new BarMaker(state.instruments, options.bars, clock, (bar) => this.#wake(bar));
    venue.watchHeld?.(this.#held.book);
    venue.events$.subscribe((event) => this.#inbox.push(event));
  }

  /**
   * Runs until the feed ends. A recorded feed has replayed everything when this returns.
   * @throws TidegateError STRATEGY_THREW (or what else stopped the run), at the very event.
   */
  async run(feed: MarketFeed): Promise<void> {
    const intake = new Intake((item) => this.#receive(item));
    this.#inbox.push({ kind: 'starting' });
    feed.events$.subscribe(intake);
    await intake.finished;
    for (const host of this.#hosts) host.close();
    if (intake.failure !== undefined) throw intake.failure.error;
  }

  #receive(item: FeedItem): void {
    if (item === SETTLED) this.#turn();
    else this.#inbox.push(item as Exclude<FeedItem, typeof SETTLED>);
  }

  /** Something came due outside the feed: a timer, or the grace of a bar. */
  #wake(event: AccountEvent | MarketEvent): void {
    this.#inbox.push(event);
    if (!this.#turning) this.#turn();
  }

  #turn(): void {
    this.#turning = true;
    try {
      this.#settle();
    } catch (error) {
      const who = this.#host === undefined ? 'the engine' : `strategy "${this.#host.id}"`;
      throw blamed(error, { who, what: describe(this.#doing), time: this.options.clock.now() });
    } finally {
      this.#turning = false;
    }
    if (this.state$.observed) this.state$.next(this.options.state);
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
      else return;
      if (steps > MAX_STEPS_PER_TURN) throw new RangeError('the strategies answer their own events without end');
    }
  }

  #deliver(item: Item): void {
    switch (item.kind) {
      case 'quote':
      case 'bar':
      case 'trade':
      case 'ticker':
        this.#deliverMarket(item);
        return;
      case 'priceInstant':
        this.#sequence = item.sequence;
        if (item.opens) this.#held.book.wake(item.instrument);
        this.#held.judge(item.instrument, item.priceTicks, item.priceTicks);
        return;
      case 'starting':
        this.#tellAll('onStart', (host) => host.start());
        return;
      case 'ending':
        this.#end();
        return;
      default:
        this.#deliverAccount(item);
    }
  }

  #deliverMarket(event: MarketEvent): void {
    if (event.kind !== 'bar') this.#bars.take(event, this.#completed);
    this.#show(event);
    if (event.kind === 'bar') this.#bars.take(event, this.#completed);
  }

  /** A built bar is seen before the price that closed it, a longer bar after the shorter one it ends with. */
  readonly #completed = (bar: MarketEvent): void => this.#show(bar);

  #show(event: MarketEvent): void {
    const { state, gate, clock } = this.options;
    this.#sequence = event.sequence;
    applyMarket(state, event);
    this.#judgeHeld(event);
    if (!this.#latching && gate.breaksDrawdown()) {
      this.#latching = true;
      const { current } = state.portfolio.drawdown;
      this.#inbox.push({ kind: 'riskLatched', time: clock.now(), rule: 'maxDrawdown', drawdown: current, limit: gate.maxDrawdown });
    }
    if (this.market$.observed) this.market$.next(event);
    this.#doing = event;
    const hooked = this.#routes.hooked(event);
    for (let i = 0; i < hooked.length; i++) this.#callHook(hooked[i]!, event);
    const streaming = this.#routes.streaming(event);
    for (let i = 0; i < streaming.length; i++) this.#stream(streaming[i]!, event);
    this.#host = undefined;
  }

  #callHook(host: StrategyHost, event: MarketEvent): void {
    this.#host = host;
    const { strategy } = host;
    let intents: Intents;
    switch (event.kind) {
      case 'quote':
        intents = strategy.onQuote!(event);
        break;
      case 'bar':
        intents = strategy.onBar?.(event);
        break;
      case 'trade':
        intents = strategy.onTrade!(event);
        break;
      case 'ticker':
        intents = strategy.onTicker!(event);
        break;
    }
    if (intents !== undefined) this.#collect(host, intents);
  }

  #stream(host: StrategyHost, event: MarketEvent): void {
    this.#host = host;
    host.market(event);
    if (host.failure !== undefined) throw host.failure.error;
  }

  /** Bars do not trigger held orders: the path inside them already has, price by price. */
  #judgeHeld(event: MarketEvent): void {
    if (event.kind === 'bar' || !this.#held.book.any(event.instrument)) return;
    if (event.kind === 'quote') this.#held.judge(event.instrument, event.askTicks, event.bidTicks);
    else {
      const ticks = event.kind === 'ticker' ? event.lastTicks : event.priceTicks;
      this.#held.judge(event.instrument, ticks, ticks);
    }
  }

  #deliverAccount(event: AccountEvent): void {
    const { state, journal } = this.options;
    applyAccount(state, event);
    journal.event(this.#sequence, event);
    if (event.kind === 'orderFilled') this.#held.onFill(event.fill);
    else if (event.kind === 'riskLatched') this.#cancelEntries();
    if (isOrderEvent(event)) this.#followEnd(event);
    if (this.account$.observed) this.account$.next(event);
    this.#tellOwner(event);
  }

  #followEnd(event: OrderEvent): void {
    const order = this.options.state.order(event.clientOrderId);
    if (order !== undefined && isTerminal(order.status)) this.#held.onEnded(event);
  }

  #tellOwner(event: AccountEvent): void {
    const owner = 'strategyId' in event ? event.strategyId : isOrderEvent(event) ? this.#ownerOf(event) : undefined;
    for (const host of this.#hosts) {
      if (owner !== undefined && host.id !== owner) continue;
      this.#host = host;
      this.#doing = event.kind;
      host.account(event);
      if (host.failure !== undefined) throw host.failure.error;
    }
    this.#host = undefined;
  }

  #ownerOf(event: OrderEvent): string | undefined {
    return this.options.state.order(event.clientOrderId)?.strategyId;
  }

  #tellAll(doing: string, tell: (host: StrategyHost) => void): void {
    for (const host of this.#hosts) {
      this.#host = host;
      this.#doing = doing;
      tell(host);
      if (host.failure !== undefined) throw host.failure.error;
    }
    this.#host = undefined;
  }

  #collect(host: StrategyHost, intents: Intents): void {
    if (intents === undefined) return;
    if (!this.#turning) throw new TidegateError('STRATEGY_THREW', `strategy "${host.id}" emitted an intent outside any event`);
    for (const intent of Array.isArray(intents) ? (intents as readonly Intent[]) : [intents as Intent]) {
      this.options.journal.intent(this.#sequence, this.options.clock.now(), host.id, intent);
      this.#wishes.push({ host, intent, sequence: this.#sequence });
    }
  }

  #review(wish: Wish): void {
    if ('release' in wish) {
      this.#reviewer.release(wish.release, this.#sequence);
      return;
    }
    this.#host = wish.host;
    this.#doing = 'the review of its intent';
    this.#reviewer.review(wish.intent, wish.host, wish.sequence);
    this.#host = undefined;
  }

  /** The drawdown latch: everything that could still open something is canceled; exits stay. */
  #cancelEntries(): void {
    for (const order of [...this.options.state.openOrders.values()]) {
      if (!order.request.reduceOnly && !order.cancelRequested) this.#reviewer.cancel(order, 'riskLatch');
    }
  }

  #end(): void {
    this.#tellAll('onStop', (host) => host.stop());
    if (!this.options.closeAtEnd) return;
    const { state } = this.options;
    for (const order of [...state.openOrders.values()]) this.#reviewer.cancel(order, 'requested');
    for (const host of this.#hosts) {
      state.books.get(host.id)?.positions.forEach(({ steps }, index) => {
        if (steps === 0) return;
        const { symbol, step } = state.instruments[index]!;
        const side = steps > 0 ? 'sell' : 'buy';
        this.#collect(host, {
          kind: 'place',
          symbol,
          side,
          type: 'market',
          quantity: step.toText(Math.abs(steps)),
          reduceOnly: true,
          tag: 'endOfRun',
        });
      });
    }
  }
}

function isOrderEvent(event: AccountEvent): event is OrderEvent {
  return event.kind !== 'balanceChanged' && event.kind !== 'timerFired' && event.kind !== 'riskLatched';
}
