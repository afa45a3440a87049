// Long because it is the one class that users extend, with the docs of every hook.
import type { Observable } from 'rxjs';
import type { z } from 'zod';
import type { NamedAccountEvent, NamedOrderEvent, RequestsState, TimerFired } from '../model/account-events.ts';
import { type BarInterval, parseBarInterval } from '../model/bar-interval.ts';
import { TidegateError } from '../model/errors.ts';
import type { Fill } from '../model/fill.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Intent } from '../model/intents.ts';
import type { Bar, Depth, Funding, Mark, MarketEvent, Quote, Ticker, Trade } from '../model/market-events.ts';
import type { SignalReceived } from '../model/signal.ts';
import type { Log } from '../ports/log.ts';
import type { Plots } from '../ports/plots.ts';
import type { OrderView } from '../state/order.ts';
import type { ReadonlyBook, ReadonlyState } from '../state/state.ts';
import {
  addIndicator,
  BarIndicator,
  type IndicatorBars,
  type IndicatorView,
  inputOf,
  type Updatable,
  wrongArguments,
} from './indicators.ts';
import { OwnPlots, type PlotOptions } from './plots.ts';
import { stateStreamOf } from './state-stream.ts';
import { AccountView, contractView, type MarketView, marketView, PositionView, type RequestsView } from './views.ts';

/** The engine passes it to the constructor of a strategy. A class of yours passes it to `super`, and reads nothing from it. */
export interface StrategyContext {
  /** The id that the config gives the strategy. */
  readonly id: string;
  /** Already checked against the class's `params` schema. */
  readonly params: unknown;
  /** The symbols that it trades. */
  readonly symbols: readonly string[];
  /** Symbols whose prices it receives and which it does not trade; none by default. */
  readonly references?: readonly string[] | undefined;
  readonly state: ReadonlyState;
  readonly log: Log;
  /** Epoch ms of the present event. */
  now(): number;
  /** The state of requests to the venue, if `state` does not have it. */
  requests?(): RequestsState | undefined;
  /** Bars before the start, oldest first; empty if the strategy needs none. */
  history(symbol: string, interval?: BarInterval): readonly Bar[];
  /** The data of the run for this strategy, if its class leaves a choice or depends on parameters. */
  readonly needs?: StrategyNeeds | undefined;
  /** The newest bars that have closed since the start, oldest first; without it, none are kept. */
  closedBars?(symbol: string, interval: BarInterval): readonly Bar[];
  /** Receives what it plots; without it, plots are ignored. */
  readonly plots?: Plots | undefined;
}

/** The data that a strategy needs. For quotes, trades, tickers, marks and funding, the hooks themselves show the need. */
export interface StrategyNeeds {
  /** Bar interval or intervals: `1m`, `15m`, `1h`, `1d`, `1w`, `1M` (calendar months). */
  readonly bars?: string | readonly string[];
  /** The day on which bars of `1w` and other weeks begin: `monday`, or `thursday`, the default, as 1970-01-01 was one. */
  readonly weekStart?: string;
  /** Quotes. This key and the five that follow are for strategies written as streams, which have no hooks. */
  readonly quotes?: boolean;
  /** Changes of the order book. */
  readonly depth?: boolean;
  /** Public trades. */
  readonly trades?: boolean;
  readonly tickers?: boolean;
  /** Mark prices of perpetuals. */
  readonly marks?: boolean;
  /** Settled funding of perpetuals. */
  readonly funding?: boolean;
  /** Names of entries of `signals` in the config whose rows `onSignal` receives; without it, all. */
  readonly signals?: string | readonly string[];
  /** Completed bars of each symbol and interval that must be available in `onStart`. */
  readonly history?: number;
}

/** How a run gets its prices and sends its orders. */
export type RunMode = 'backtest' | 'paper' | 'live';

/**
 * The needs of a class: one; several in order of preference, of which the run takes the first whose data it has; or a function of the
 * checked parameters, and of the mode, that returns either. With several or by mode, the class receives only the kinds that the chosen
 * needs name, and other hooks are not called.
 */
export type DeclaredNeeds =
  | StrategyNeeds
  | readonly StrategyNeeds[]
  // `never`: a class types its own parameters.
  | ((params: never, mode: RunMode) => StrategyNeeds | readonly StrategyNeeds[]);

/** The needs of a run, for strategies whose class leaves a choice or depends on parameters. */
const CHOSEN = new WeakMap<Strategy, StrategyNeeds>();

/** The data that a strategy gets. `chosen`: its class leaves a choice, so it receives nothing else. @internal */
export function neededBy(strategy: Strategy): { readonly needs: StrategyNeeds | undefined; readonly chosen: boolean } {
  const needs = CHOSEN.get(strategy);
  if (needs !== undefined) return { needs, chosen: true };
  const declared = (strategy.constructor as typeof Strategy).needs;
  return { needs: typeof declared === 'function' || isChoice(declared) ? undefined : declared, chosen: false };
}

/** The names of the signals that a strategy receives; `undefined`: all. @internal */
export function signalNames(needs: StrategyNeeds | undefined): readonly string[] | undefined {
  return needs?.signals === undefined ? undefined : [needs.signals].flat();
}

/** Whether needs are several, in order of preference. @internal */
export function isChoice(needs: DeclaredNeeds | undefined): needs is readonly StrategyNeeds[] {
  return Array.isArray(needs);
}

/** The possible return values of a hook. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook that only looks returns nothing at all.
export type Intents = Intent | readonly Intent[] | undefined | void;

/**
 * The class that a user extends. Hooks are called in the order of events, one at a time, and return intents; they never send anything.
 * Everything that a hook reads is the state after the present event. All times are epoch ms, all prices and quantities of events are
 * both integer ticks and steps, and the nearest doubles.
 *
 * A hook may return one intent, a list of them, or nothing. It cannot be `async`. A throw in a hook ends the run at that event with
 * `STRATEGY_THREW`; the results up to there are kept.
 *
 * ```ts
 * import { type Bar, place, Strategy } from 'tidegate';
 *
 * // Buys after a minute that fell by 0.3 %, and sells when the price is 0.3 % above its entry.
 * export class Dip extends Strategy {
 *   static needs = { bars: '1m' };
 *
 *   onBar({ symbol, open, close }: Bar) {
 *     const { quantity, averagePrice } = this.position(symbol);
 *     if (quantity === 0 && close < open * 0.997) return place({ symbol, side: 'buy', type: 'market', quantity: '0.01' });
 *     if (quantity > 0 && close > averagePrice * 1.003) return place({ symbol, side: 'sell', type: 'market', quantity });
 *   }
 * }
 * ```
 */
export abstract class Strategy<P extends z.ZodType = z.ZodType> {
  /** Schema of `params` in the config: defaults, ranges and descriptions come from it. A class without it takes no parameters. */
  static readonly params?: z.ZodType;
  /** The data that the class needs, in addition to the kinds of its hooks. */
  static readonly needs?: DeclaredNeeds;

  /** The parameters of the config, checked against the class's `params`, with its defaults. */
  protected readonly params: z.output<P>;
  /** The id that the config gives it. */
  readonly id: string;
  /** The symbols that it trades, in the order of the config. */
  readonly symbols: readonly string[];
  /** The symbols whose prices it receives like those of `symbols`, and which it cannot trade. */
  readonly references: readonly string[];
  /** The account that all strategies of the run share. */
  protected readonly account: AccountView;
  /** Writes to `log.jsonl` of the run, with the time of the run: `debug`, `info` and `warn` take a message and fields. */
  protected readonly log: Log;
  readonly #context: StrategyContext;
  readonly #instruments: ReadonlyMap<string, Instrument>;
  readonly #book: ReadonlyBook;
  /** Undefined if nobody looks. */
  readonly #plots: OwnPlots | undefined;

  /**
   * Called by the engine, before any data. A class of your own needs no constructor; if it has one, it passes the context on.
   * `position`, `history` and `indicator` can be used in it; there are no prices yet.
   */
  constructor(context: StrategyContext) {
    this.#context = context;
    if (context.needs !== undefined) CHOSEN.set(this, context.needs);
    this.id = context.id;
    this.params = context.params as z.output<P>;
    this.symbols = context.symbols;
    this.references = context.references ?? [];
    this.log = context.log;
    this.#book = context.state.books.get(context.id)!;
    this.#instruments = new Map(context.state.instruments.map((instrument) => [instrument.symbol, instrument]));
    this.account = new AccountView(context.state, (symbol) => this.instrument(symbol));
    const wrong = (text: string): never => {
      throw this.#wrong(text);
    };
    this.#plots = context.plots && new OwnPlots(this.id, this.symbols, this.references, context.plots, wrong);
  }

  /**
   * Called after turns, on paper and live: the data that a restart needs in addition to positions, orders and history, as plain JSON. It
   * is written together with the events of its turn.
   */
  save?(): unknown;
  /** Called after a restart, right before `onStart`, with the last value that `save` returned. */
  restore?(saved: unknown): void;
  /** Called once, before the first event. `history` is available; `market` has no prices yet. */
  onStart?(): Intents;
  /** Called for each ticker of its symbols: a price as a poll of the exchange returns it. Paper and live always have tickers. */
  onTicker?(ticker: Ticker): Intents;
  /** Called for each recorded change of the best bid and ask, with their quantities. Only backtests have quotes. */
  onQuote?(quote: Quote): Intents;
  /** Called when the order book has changed; `depth` has the changed levels, `market(symbol).book` the whole book. Only backtests have it. */
  onDepth?(depth: Depth): Intents;
  /** Called for each public trade. Only backtests have them. */
  onTrade?(trade: Trade): Intents;
  /** Called when a bar of an interval in `needs.bars` has closed. A market order that it returns fills at the next open by default. */
  onBar?(bar: Bar): Intents;
  /**
   * Called when all bars of one moment are in, after `onBar` of each: those of its symbols, in the order of `symbols`, then `references`,
   * shorter bars first. Use it to rank or to compare symbols.
   */
  onBars?(bars: readonly Bar[]): Intents;
  /** Called for each mark price of a perpetual, which decides margin and liquidation. Runs without recorded marks have none. */
  onMark?(mark: Mark): Intents;
  /** Called when a perpetual has settled funding: its cost or gain is in `position().funding`, in quote. */
  onFunding?(funding: Funding): Intents;
  /** Called when a timer fires that this strategy has set with `setTimer`; `timer.name` is its name. */
  onTimer?(timer: TimerFired): Intents;
  /**
   * Called for each row of the user's own data, such as a prediction of a model (`signals` of the config): of `needs.signals`, and of one
   * of its symbols or of none. It arrives at its time plus `availableAfter`, after the prices of that time.
   */
  onSignal?(signal: SignalReceived): Intents;
  /**
   * Called for every event of the strategy's own orders: submitted, accepted, triggered, filled, canceled, expired, rejected, denied. Each
   * has `symbol`, `side`, `tag` and `ref` of its order. A denial has its `reason`, with a code and the numbers.
   */
  onOrder?(event: NamedOrderEvent): Intents;
  /** Called for each fill of its own orders, right after `onOrder`. Position, balances and equity include it. */
  onFill?(fill: Fill): Intents;
  /** Called once, when the run ends. In a backtest there are no more prices: market orders are executed at the last one. */
  onStop?(): Intents;
  /**
   * Called once, right before `onStart`: intents as a stream, in place of hooks or in addition to them.
   * @param market$ the market events that the strategy receives: those that its hooks and `needs` request.
   * @param account$ the events of its own orders and timers, and those of the account.
   * @param state$ the same as `this.state$`.
   * @returns a stream of intents, or of lists of them. Every intent must be emitted within an event. An error of the stream ends the run.
   */
  intents$?(
    market$: Observable<MarketEvent>,
    account$: Observable<NamedAccountEvent>,
    state$: Observable<ReadonlyState>,
  ): Observable<Intent | readonly Intent[]>;

  /**
   * The state after each turn, when an event and everything that it caused are over. Read one figure of it with `select$`, or with the
   * getters of this class. It emits after the start, and then after each turn in which a market event or an event of any account or order
   * happened; equal runs emit at the same events. It emits nothing after the run and does not complete, and costs nothing while nobody
   * subscribes. The object is the same each time: the live state.
   *
   * ```ts
   * import { type Intents, select$, setTimer, Strategy } from 'tidegate';
   *
   * export class Watcher extends Strategy {
   *   static needs = { bars: '1m' };
   *
   *   onStart(): Intents {
   *     const open$ = select$(this.state$, (state) => state.openOrders.size);
   *     open$.subscribe((open) => this.log.info('open orders of all strategies', { open }));
   *     return setTimer({ name: 'hourly', everyMs: 3_600_000 });
   *   }
   * }
   * ```
   */
  protected get state$(): Observable<ReadonlyState> {
    return stateStreamOf(this).state$;
  }

  /** Epoch ms of the present event: the only clock of a strategy, the same in a backtest and its repetition. */
  protected get now(): number {
    return this.#context.now();
  }

  /**
   * The state of the run's requests: on paper and live, how many wait for the exchange's rate limits, and the free share of these. In a
   * backtest nothing waits, except with `backtest.limits: exchange`.
   */
  protected get requests(): RequestsView {
    const { queued, since, free } = this.#context.requests?.() ?? this.state.requests;
    return { queued, oldestWaitMs: since === undefined ? 0 : Math.max(0, this.now - since), free };
  }

  /** The whole read-only state, for data without a getter. It is one object that changes: read it, and do not keep parts of it. */
  protected get state(): ReadonlyState {
    return this.#context.state;
  }

  /**
   * The strategy's own position in a symbol: the sum of its own fills. A futures account holds a long and a short side:
   * without a side, the one that is open, or the net of both. `quantity` is in base units and never negative; money is in quote.
   * @throws TidegateError STRATEGY_THREW for a symbol that is not in the run.
   */
  protected position(symbol: string, positionSide?: 'long' | 'short'): PositionView {
    const instrument = this.instrument(symbol);
    const { state } = this;
    const sides = this.#book.sides(instrument);
    if (sides.length > 1) return contractView(state, instrument, sides, positionSide);
    return new PositionView(state.markets[instrument.index]!, sides[0]!, sides[0]!.steps);
  }

  /** The strategy's own open orders, oldest first, with those that the engine holds, such as stops; of one symbol, or of all. */
  protected orders(symbol?: string): OrderView[] {
    const own: OrderView[] = [];
    for (const order of this.state.openOrders.values()) {
      if (order.strategyId === this.id && (symbol === undefined || order.symbol === symbol)) own.push(order);
    }
    return own;
  }

  /**
   * The newest prices of a symbol, as doubles in quote; each is `undefined` before the first one of its kind.
   * @throws TidegateError STRATEGY_THREW for a symbol that is not in the run.
   */
  protected market(symbol: string): MarketView {
    return marketView(this.state.market(this.instrument(symbol)));
  }

  /**
   * Bars from before the start, oldest first: as many as `needs.history` requests, fewer if the data has fewer.
   * @param interval one of `needs.bars`; default: its first one.
   * @throws TidegateError STRATEGY_THREW for another interval.
   */
  protected history(symbol: string, interval?: string): readonly Bar[] {
    const wanted = interval === undefined ? undefined : this.#needed(interval);
    if (interval !== undefined && wanted === undefined)
      throw this.#wrong(`history("${symbol}", "${interval}"): needs.bars has no "${interval}"`);
    return this.#context.history(symbol, wanted);
  }

  /**
   * The last closed bars at the present event, oldest first: at most `count`, those from before the start included.
   * @throws TidegateError STRATEGY_THREW if `needs` requests fewer bars, or other intervals.
   */
  protected bars(symbol: string, interval: string, count: number): readonly Bar[] {
    const wanted = this.#needed(interval);
    if (wanted === undefined) throw this.#wrong(`bars("${symbol}", "${interval}", ${count}): needs.bars has no "${interval}"`);
    if (!(count <= (neededBy(this).needs?.history ?? 0))) {
      throw this.#wrong(`bars("${symbol}", "${interval}", ${count}): set needs.history to ${count} or more`);
    }
    const { symbol: known } = this.instrument(symbol);
    const since = this.#context.closedBars?.(known, wanted) ?? [];
    if (since.length >= count) return since.slice(since.length - count);
    const before = this.history(known, interval);
    const first = since[0]?.time ?? Number.POSITIVE_INFINITY;
    const bars = [...before.filter(({ time }) => time < first), ...since];
    return bars.slice(Math.max(0, bars.length - count));
  }

  /**
   * An indicator of trading-signals, or any class with an `add`, that the engine updates with every closed bar of one symbol and interval:
   * with those of `needs.history` at once, and with each later one before the hooks of this bar. Call it in a field or in the constructor.
   * @throws TidegateError STRATEGY_THREW if `needs.bars` lacks the interval, or the run has begun.
   */
  protected indicator<Input, Result>(indicator: Updatable<Input, Result>, of: IndicatorBars<Input>): IndicatorView<Result> {
    const name: string = indicator?.constructor?.name ?? '';
    const wrong = (text: string): never => {
      throw this.#wrong(`indicator(${name}): ${text}`);
    };
    const mistake = wrongArguments(indicator, of);
    if (mistake !== undefined) wrong(mistake);
    const { bars } = of;
    const interval = this.#needed(bars) ?? wrong(`needs.bars has no "${bars}"`);
    const symbol =
      of.symbol ?? (this.symbols.length === 1 ? this.symbols[0]! : wrong(`name one of its symbols: ${this.symbols.join(', ')}`));
    if (!this.symbols.includes(symbol) && !this.references.includes(symbol)) wrong(`the strategy has no symbol "${symbol}"`);
    const input = inputOf(of.input) ?? wrong(`input "${of.input}": expected open, high, low, close, volume, bar or a function`);
    const made = new BarIndicator(symbol, interval, indicator as Updatable<unknown, Result>, input, () => this.history(symbol, bars), {
      wrong: () => wrong(`its first value on ${bars} of ${symbol} is not a number; if it takes whole bars, set input: 'bar'`),
      held: ({ time }) =>
        this.log.warn(`indicator(${name}): prices that do not move give it no number, so its last value or 0 stands`, {
          symbol,
          bars,
          bar: time,
        }),
    });
    if (!addIndicator(this, made)) wrong('the run has begun: call it in a field or in the constructor');
    return made;
  }

  /**
   * Draws a value at the present time into the report, and writes it to `plots.csv`. Nothing depends on it: no decision, no hash. A run that
   * makes no report ignores it, and then it costs nothing. Of several values at one time, the last one counts.
   * @param name 1 to 40 letters. A strategy has at most 32 plots for each symbol.
   * @param value `NaN`, an infinite number, `null` and `undefined` are a gap.
   * @param options of the first call: pane, style and colour. `symbol` belongs to each call, as each symbol has its own plots.
   * @throws TidegateError STRATEGY_THREW with the name of the plot: a value that is no number, or an option that is not allowed.
   */
  protected plot(name: string, value: number | null | undefined, options?: PlotOptions): void {
    this.#plots?.add(name, this.now, value, options);
  }

  /** A bar interval that `needs` requests. */
  #needed(text: string): BarInterval | undefined {
    const interval = this.#interval(text);
    const intervals = [neededBy(this).needs?.bars ?? []].flat();
    return intervals.some((one) => this.#interval(one) === interval) ? interval : undefined;
  }

  #interval(text: string): BarInterval | undefined {
    return parseBarInterval(text, neededBy(this).needs?.weekStart);
  }

  #wrong(text: string): TidegateError {
    return new TidegateError('STRATEGY_THREW', `strategy ${this.id}: ${text}`);
  }

  /**
   * The instrument of a symbol: `base`, `quote`, `tick`, `step`, limits and fees.
   * @throws TidegateError STRATEGY_THREW for a symbol that is not in the run.
   */
  protected instrument(symbol: string): Instrument {
    const instrument = this.#instruments.get(symbol);
    if (instrument !== undefined) return instrument;
    throw this.#wrong(`no instrument "${symbol}" in this run`);
  }
}

/** The log of a strategy, in which the engine writes as well. @internal */
export function logOf(strategy: Strategy): Log {
  return (strategy as unknown as { readonly log: Log }).log;
}
