import type { Observable } from 'rxjs';
import type { z } from 'zod';
import type { AccountEvent, OrderEvent, RequestsStanding, TimerFired } from '../model/account-events.ts';
import { TidegateError } from '../model/errors.ts';
import type { Fill } from '../model/fill.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Intent } from '../model/intents.ts';
import type { Bar, Depth, Funding, Mark, MarketEvent, Quote, Ticker, Trade } from '../model/market-events.ts';
import type { Log } from '../ports/log.ts';
import type { OrderView } from '../state/order.ts';
import type { ReadonlyBook, ReadonlyState } from '../state/state.ts';
import { AccountView, contractView, type MarketView, marketView, PositionView, type RequestsView } from './views.ts';

/** What the engine hands a strategy when it makes it. */
export interface StrategyContext {
  readonly id: string;
  /** Already checked against the class's `params` schema. */
  readonly params: unknown;
  readonly symbols: readonly string[];
  readonly state: ReadonlyState;
  readonly log: Log;
  now(): number;
  /** How requests to the venue stand, where its state does not say it. */
  requests?(): RequestsStanding | undefined;
  /** Bars before the start, oldest first; empty where the strategy needs none. */
  history(symbol: string, interval?: string): readonly Bar[];
}

/** What a strategy must be fed. Hooks for quotes, trades, tickers, marks and funding say so by being there. */
export interface StrategyNeeds {
  /** Bar interval or intervals: `1m`, `15m`, `1h`, `1d`. */
  readonly bars?: string | readonly string[];
  /** For strategies written as streams, which have no hooks to tell by. */
  readonly quotes?: boolean;
  /** Changes of the order book. */
  readonly depth?: boolean;
  readonly trades?: boolean;
  readonly tickers?: boolean;
  readonly marks?: boolean;
  readonly funding?: boolean;
  /** Completed bars of each symbol and interval that must be at hand in `onStart`. */
  readonly history?: number;
}

/** What a hook may return. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook that only looks returns nothing at all.
export type Intents = Intent | readonly Intent[] | undefined | void;

/**
 * The class a user extends. Hooks are called in the order of events, one at a time, and return intents;
 * they never send anything. State is read through the getters and is that of the event at hand.
 */
export abstract class Strategy<P extends z.ZodType = z.ZodType> {
  /** Schema of `params` in the config: defaults and descriptions come from it. */
  static readonly params?: z.ZodType;
  static readonly needs?: StrategyNeeds;

  /** The checked parameters. */
  protected readonly params: z.output<P>;
  /** The id that the config gives it. */
  readonly id: string;
  readonly symbols: readonly string[];
  /** The account that all strategies of the run share. */
  protected readonly account: AccountView;
  protected readonly log: Log;
  readonly #context: StrategyContext;
  readonly #instruments: ReadonlyMap<string, Instrument>;
  readonly #book: ReadonlyBook;

  constructor(context: StrategyContext) {
    this.#context = context;
    this.id = context.id;
    this.params = context.params as z.output<P>;
    this.symbols = context.symbols;
    this.log = context.log;
    this.#book = context.state.books.get(context.id)!;
    this.#instruments = new Map(context.state.instruments.map((instrument) => [instrument.symbol, instrument]));
    this.account = new AccountView(context.state, (symbol) => this.instrument(symbol));
  }

  /** What a restarted run needs of this strategy beside state and history: plain JSON. Asked for after turns, live and on paper. */
  save?(): unknown;
  /** Takes back what an earlier run of the same bot saved, right before `onStart`. */
  restore?(saved: unknown): void;
  onStart?(): Intents;
  onTicker?(ticker: Ticker): Intents;
  onQuote?(quote: Quote): Intents;
  /** The order book has changed: `market(symbol).book` is the whole of it. */
  onDepth?(depth: Depth): Intents;
  onTrade?(trade: Trade): Intents;
  onBar?(bar: Bar): Intents;
  /** The mark price of a perpetual; runs without recorded marks have none. */
  onMark?(mark: Mark): Intents;
  /** A perpetual has settled funding: what that cost or brought stands in `position().funding`. */
  onFunding?(funding: Funding): Intents;
  onTimer?(timer: TimerFired): Intents;
  /** Every event of the strategy's own orders, fills included. */
  onOrder?(event: OrderEvent): Intents;
  onFill?(fill: Fill): Intents;
  /** The run ends. In a backtest there are no more prices: market orders meet the last one. */
  onStop?(): Intents;
  /** Instead of (or beside) hooks: intents as a stream over the market and the strategy's own account events. */
  intents$?(market$: Observable<MarketEvent>, account$: Observable<AccountEvent>): Observable<Intent | readonly Intent[]>;

  /** Epoch ms of the event at hand. */
  protected get now(): number {
    return this.#context.now();
  }

  /**
   * How the requests of the run stand: on paper and live what waits for the exchange's limits, and how much of them is free. A
   * backtest has nothing that waits, but with `backtest.limits: exchange`.
   */
  protected get requests(): RequestsView {
    const { queued, since, free } = this.#context.requests?.() ?? this.state.requests;
    return { queued, oldestWaitMs: since === undefined ? 0 : Math.max(0, this.now - since), free };
  }

  /** The whole read-only state, for what the getters do not cover. */
  protected get state(): ReadonlyState {
    return this.#context.state;
  }

  /**
   * The strategy's own position in a symbol: the fold of its own fills. A futures account holds long and short side
   * by side: without a side, the one that is open, or the net of both.
   */
  protected position(symbol: string, positionSide?: 'long' | 'short'): PositionView {
    const instrument = this.instrument(symbol);
    const { state } = this;
    const sides = this.#book.sides(instrument);
    if (sides.length > 1) return contractView(state, instrument, sides, positionSide);
    return new PositionView(state.markets[instrument.index]!, sides[0]!, sides[0]!.steps);
  }

  /** The strategy's own open orders, oldest first. */
  protected orders(symbol?: string): OrderView[] {
    const own: OrderView[] = [];
    for (const order of this.state.openOrders.values()) {
      if (order.strategyId === this.id && (symbol === undefined || order.symbol === symbol)) own.push(order);
    }
    return own;
  }

  protected market(symbol: string): MarketView {
    return marketView(this.state.market(this.instrument(symbol)));
  }

  /** Bars from before the start, oldest first: as many as `needs.history` asks for. */
  protected history(symbol: string, interval?: string): readonly Bar[] {
    return this.#context.history(symbol, interval);
  }

  /** @throws TidegateError STRATEGY_THREW for a symbol that the run does not know. */
  protected instrument(symbol: string): Instrument {
    const instrument = this.#instruments.get(symbol);
    if (instrument !== undefined) return instrument;
    throw new TidegateError('STRATEGY_THREW', `strategy ${this.id}: no instrument "${symbol}" in this run`);
  }
}
