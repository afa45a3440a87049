import type { Instrument } from '../model/instrument.ts';
import type { Bar, MarketEvent, Quote, QuoteRows } from '../model/market-events.ts';
import type { MergedQuoteRun, QuoteRun, QuoteStream } from '../ports/market-feed.ts';
import { applyMarket, writeCurve } from '../state/apply.ts';
import type { MarketState } from '../state/market-state.ts';
import type { State } from '../state/state.ts';
import type { Broadcast, MarketSink } from './broadcast.ts';
import type { EngineParts } from './engine-parts.ts';
import type { HeldOrders } from './held/held-orders.ts';
import type { Waiting } from './inbox.ts';
import { type InstrumentRoutes, onlyHost, type Route } from './strategies/routes.ts';
import type { StrategyRunner } from './strategies/strategy-runner.ts';

/** The engine's actions in the turn of each quote of a run, after strategies received the quote. */
interface QuoteLoop {
  readonly waiting: Readonly<Waiting>;
  /** Items wait in an inbox. */
  settle(): void;
  /** The turn is over, and there is an observer. */
  publish(): void;
}

/** Delivers market events to all receivers, with the bars that they complete. */
export class MarketDesk {
  /** By the index of the instrument. */
  readonly #paths: readonly MarketPath[];
  readonly #mergedPath: MergedRunPath;

  constructor(
    state: State,
    private readonly parts: Pick<EngineParts, 'bars' | 'held' | 'runner'>,
    broadcast: Broadcast,
    private readonly loop: QuoteLoop,
  ) {
    const { held, runner } = parts;
    const observers = new QuoteObservers(state, held, broadcast);
    this.#paths = state.instruments.map((instrument) => new MarketPath(instrument, state, held, broadcast, runner, observers));
    this.#mergedPath = new MergedRunPath(this.#paths, state, observers, loop);
  }

  /** A built bar is delivered before the price that closed it, a longer bar after the shorter one with the same end. */
  show(event: MarketEvent): void {
    const { bars } = this.parts;
    if (bars.idle) {
      this.#showAlone(event);
      return;
    }
    if (event.kind !== 'bar') bars.take(event, this.#completed);
    this.#showAlone(event);
    if (event.kind === 'bar') bars.take(event, this.#completed);
  }

  /** The recording is over: strategies receive the longer bars that are complete. Their ends are after the last price. */
  finish(): void {
    this.parts.bars.end((bar) => this.#paths[bar.instrument.index]!.showLast(bar));
  }

  /** A turn for each quote of a run. Nothing is built from quotes. */
  follow(run: QuoteRun | MergedQuoteRun): void {
    if (run.kind === 'mergedRun') this.#mergedPath.follow(run);
    else this.#paths[run.instrument.index]!.follow(run, this.loop);
  }

  /** A strategy receives the symbol from now on. */
  renew(symbol: string): void {
    for (const path of this.#paths) path.renew(symbol);
  }

  readonly #completed = (bar: MarketEvent): void => this.#showAlone(bar);

  #showAlone(event: MarketEvent): void {
    this.#paths[event.instrument.index]!.show(event);
  }
}

/**
 * The path of one instrument's market events: into the state, to held orders, to observers and to strategies. Whatever is constant for
 * all events is looked up once. Nothing on the path keeps a quote, so that the compiler need not allocate those of a run.
 */
class MarketPath {
  readonly #market: MarketState;
  readonly #sinks: readonly MarketSink[];
  #routes: InstrumentRoutes;
  /** Receivers of quotes. */
  #route: Route | undefined;
  readonly #index: number;
  /** The stream of the merged run, and its first row that sinks and watchers have not received. */
  #stream: QuoteStream | undefined;
  #shown = 0;

  constructor(
    private readonly instrument: Instrument,
    private readonly state: State,
    private readonly held: HeldOrders,
    private readonly broadcast: Broadcast,
    private readonly runner: StrategyRunner,
    private readonly observers: QuoteObservers,
  ) {
    this.#market = state.market(instrument);
    this.#sinks = broadcast.sinksOf(instrument);
    this.#routes = runner.routesOf(instrument);
    this.#route = this.#routes.ofQuotes;
    this.#index = instrument.index;
  }

  renew(symbol: string): void {
    if (symbol !== this.instrument.symbol) return;
    this.#routes = this.runner.routesOf(this.instrument);
    this.#route = this.#routes.ofQuotes;
  }

  show(event: MarketEvent): void {
    applyMarket(this.state, event, this.#market);
    if (this.held.book.size > 0) this.held.judge.by(event);
    const sinks = this.#sinks;
    for (let i = 0; i < sinks.length; i++) sinks[i]!.add(event);
    this.broadcast.market(event);
    const route = this.#routes.of(event);
    if (route === undefined) return;
    if (route.bars !== undefined) this.runner.takeBar(event as Bar, route.bars);
    this.runner.showMarket(event, route);
  }

  /** A bar that ends after the data: to strategies alone. */
  showLast(bar: Bar): void {
    const route = this.#routes.of(bar);
    if (route === undefined) return;
    if (route.bars !== undefined) this.runner.takeBar(bar, route.bars);
    this.runner.showMarket(bar, route);
  }

  /**
   * The turns of a run of quotes, each like `applyMarket` and `show`. Most quotes of a recording come here, so constant values are read
   * before the loop: the compiler cannot prove that they are constant. Only `settle`
   * (or an observer) can change them: when the curve is next written, whether the price changes equity, and who else observes.
   */
  follow(run: QuoteRun, loop: QuoteLoop): void {
    const { state, runner, observers } = this;
    const { portfolio } = state;
    const { curve } = portfolio;
    const { waiting } = loop;
    const index = this.#index;
    const market = this.#market;
    const route = this.#route;
    const only = onlyHost(route);
    const first = run.next();
    if (first < 0) return;
    let shown = first;
    let last = first;
    let writes = curve.nextTime;
    let others = observers.any;
    let valued = true;
    let settled = true;
    market.followQuotes(run);
    try {
      for (let row = first; row >= 0; row = run.next()) {
        const quote = run.quoteAt(row);
        const { time } = quote;
        last = row;
        if (time > state.time) state.time = time;
        if (time > writes) {
          writeCurve(state, state.time);
          writes = curve.nextTime;
        }
        state.sequence = quote.sequence;
        market.goToQuote(row, (quote.bidTicks + quote.askTicks) / 2);
        if (valued) {
          portfolio.observe(index, time);
          if (settled) valued = portfolio.follows(index);
          settled = false;
        }
        if (others) observers.show(quote);
        if (only !== undefined) runner.ask(only, quote);
        else if (route !== undefined) runner.showMarket(quote, route);
        if (waiting.count > 0) {
          shown = this.#showRows(run, shown, row + 1);
          loop.settle();
          writes = curve.nextTime;
          others = observers.any;
          valued = true;
          settled = true;
        }
        if (others) others = observers.publish(loop);
      }
    } finally {
      this.#showRows(run, shown, last + 1);
      market.leaveQuotes();
    }
  }

  /** A merged run begins, with this stream in it: its quotes are passed to `take` and `ask`. */
  join(stream: QuoteStream): void {
    this.#stream = stream;
    this.#shown = stream.nextRow();
    this.#market.followQuotes(stream);
  }

  /** Into the state. */
  take(quote: Quote, row: number): void {
    this.#market.goToQuote(row, (quote.bidTicks + quote.askTicks) / 2);
    this.state.portfolio.observe(this.#index, quote.time);
  }

  /** To strategies. */
  ask(quote: Quote): void {
    const route = this.#route;
    if (route !== undefined) this.runner.showMarket(quote, route);
  }

  /** To sinks and watchers: all rows since the last call. */
  catchUp(): void {
    const stream = this.#stream!;
    const next = stream.nextRow();
    if (next > this.#shown) this.#shown = this.#showRows(stream, this.#shown, next);
  }

  /** The merged run has ended. */
  leave(): void {
    this.catchUp();
    this.#stream = undefined;
    this.#market.leaveQuotes();
  }

  /** Sinks and watchers receive the quotes of a run together, [from, to). @returns the next row. */
  #showRows(run: QuoteRows, from: number, to: number): number {
    const sinks = this.#sinks;
    for (let i = 0; i < sinks.length; i++) sinks[i]!.addQuotes(run, from, to);
    this.broadcast.quotes(this.instrument, run, from, to);
    return to;
  }
}

/** The turns of quotes of several instruments, each like `applyMarket` and `MarketPath.show`. */
class MergedRunPath {
  /** The paths of the streams, in their order. */
  readonly #joined: MarketPath[] = [];

  constructor(
    /** By the index of the instrument. */
    private readonly paths: readonly MarketPath[],
    private readonly state: State,
    private readonly observers: QuoteObservers,
    private readonly loop: QuoteLoop,
  ) {}

  follow(merged: MergedQuoteRun): void {
    const { state, observers, loop } = this;
    const { streams } = merged;
    const { curve } = state.portfolio;
    const { waiting } = loop;
    const joined = this.#join(merged);
    let writes = curve.nextTime;
    let others = observers.any;
    try {
      for (let at = merged.next(); at >= 0; at = merged.next()) {
        const stream = streams[at]!;
        const path = joined[at]!;
        const row = stream.nextRow() - 1;
        const quote = stream.quoteAt(row);
        const { time } = quote;
        if (time > state.time) state.time = time;
        if (time > writes) {
          writeCurve(state, state.time);
          writes = curve.nextTime;
        }
        state.sequence = quote.sequence;
        path.take(quote, row);
        if (others) observers.show(quote);
        path.ask(quote);
        if (waiting.count > 0) {
          for (const other of joined) other.catchUp();
          loop.settle();
          writes = curve.nextTime;
          others = observers.any;
        }
        if (others) others = observers.publish(loop);
      }
    } finally {
      for (const path of joined) path.leave();
    }
  }

  #join({ streams }: MergedQuoteRun): readonly MarketPath[] {
    const joined = this.#joined;
    joined.length = 0;
    for (let i = 0; i < streams.length; i++) {
      const stream = streams[i]!;
      const path = this.paths[stream.instrument.index]!;
      path.join(stream);
      joined.push(path);
    }
    return joined;
  }
}

/** All receivers of each quote of a run other than sinks and strategies: watchers, held orders and observers. Mostly there are none. */
class QuoteObservers {
  constructor(
    private readonly state: State,
    private readonly held: HeldOrders,
    private readonly broadcast: Broadcast,
  ) {}

  get any(): boolean {
    return this.state.watchers.length > 0 || this.held.book.size > 0 || this.broadcast.isObserved;
  }

  show(quote: Quote): void {
    const { watchers } = this.state;
    for (let i = 0; i < watchers.length; i++) watchers[i]!.observe(quote.instrument.index, quote.time);
    if (this.held.book.size > 0) this.held.judge.by(quote);
    this.broadcast.quote(quote);
  }

  /** The turn is over. @returns whether there is a receiver of the next quote. */
  publish(loop: QuoteLoop): boolean {
    if (this.broadcast.observers > 0) loop.publish();
    return this.any;
  }
}
