import type { Instrument } from '../model/instrument.ts';
import type { MarketEvent, Quote, QuoteRows } from '../model/market-events.ts';
import type { QuoteBraid, QuoteRun, QuoteStrand } from '../ports/market-feed.ts';
import { applyMarket, writeCurve } from '../state/apply.ts';
import type { MarketState } from '../state/market-state.ts';
import type { State } from '../state/state.ts';
import type { Broadcast, MarketSink } from './broadcast.ts';
import type { EngineParts } from './engine-parts.ts';
import type { HeldDesk } from './held/held-desk.ts';
import type { Waiting } from './inbox.ts';
import type { Audience } from './strategies/audience.ts';
import { type InstrumentRoutes, onlyHost, type Route } from './strategies/routes.ts';

/** What the engine does in the turn of each quote of a run, after the quote has been shown. */
interface QuoteLoop {
  readonly waiting: Readonly<Waiting>;
  /** Something waits. */
  settle(): void;
  /** The turn is over, and somebody observes. */
  tell(): void;
}

/** Shows market events to all who see them, with the bars that they complete. */
export class MarketDesk {
  /** By the index of the instrument. */
  readonly #ways: readonly MarketWay[];
  readonly #braidWay: BraidWay;

  constructor(
    state: State,
    private readonly parts: Pick<EngineParts, 'bars' | 'held' | 'audience'>,
    broadcast: Broadcast,
    private readonly loop: QuoteLoop,
  ) {
    const { held, audience } = parts;
    const onlookers = new Onlookers(state, held, broadcast);
    this.#ways = state.instruments.map((instrument) => new MarketWay(instrument, state, held, broadcast, audience, onlookers));
    this.#braidWay = new BraidWay(this.#ways, state, onlookers, loop);
  }

  /** A built bar is seen before the price that closed it, a longer bar after the shorter one it ends with. */
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

  /** A turn for each quote of a run. Nothing is built from quotes. */
  follow(run: QuoteRun | QuoteBraid): void {
    if (run.kind === 'braid') this.#braidWay.follow(run);
    else this.#ways[run.instrument.index]!.follow(run, this.loop);
  }

  readonly #completed = (bar: MarketEvent): void => this.#showAlone(bar);

  #showAlone(event: MarketEvent): void {
    this.#ways[event.instrument.index]!.show(event);
  }
}

/**
 * The path of one instrument's market events: into the state, to held orders, to observers and to strategies. What is the same for
 * all of them is looked up once. Nothing on the path keeps a quote, so that the compiler need not create those of a run.
 */
class MarketWay {
  readonly #market: MarketState;
  readonly #sinks: readonly MarketSink[];
  readonly #routes: InstrumentRoutes;
  /** Sees quotes. */
  readonly #route: Route | undefined;
  readonly #index: number;
  /** The strand of a braid that is followed, and the first of its rows that sinks have not seen. */
  #strand: QuoteStrand | undefined;
  #shown = 0;

  constructor(
    instrument: Instrument,
    private readonly state: State,
    private readonly held: HeldDesk,
    private readonly broadcast: Broadcast,
    private readonly audience: Audience,
    private readonly onlookers: Onlookers,
  ) {
    this.#market = state.market(instrument);
    this.#sinks = broadcast.sinksOf(instrument);
    this.#routes = audience.routesOf(instrument);
    this.#route = this.#routes.ofQuotes;
    this.#index = instrument.index;
  }

  show(event: MarketEvent): void {
    applyMarket(this.state, event, this.#market);
    if (this.held.book.size > 0) this.held.judge.by(event);
    const sinks = this.#sinks;
    for (let i = 0; i < sinks.length; i++) sinks[i]!.add(event);
    this.broadcast.market(event);
    const route = this.#routes.of(event);
    if (route !== undefined) this.audience.showMarket(event, route);
  }

  /**
   * The turns of a run of quotes, each as `applyMarket` and `show` have it. Most quotes of a recording come here: what stays the same
   * from one to the next is taken out of the loop by hand, as the compiler cannot know that it does. Of these only what is settled
   * (or an observer) changes anything: when the curve is written next, whether the price moves equity, and who else looks.
   */
  follow(run: QuoteRun, loop: QuoteLoop): void {
    const { state, audience, onlookers } = this;
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
    let others = onlookers.any;
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
        if (others) onlookers.show(quote);
        if (only !== undefined) audience.ask(only, quote);
        else if (route !== undefined) audience.showMarket(quote, route);
        if (waiting.count > 0) {
          shown = this.#showSinks(run, shown, row + 1);
          loop.settle();
          writes = curve.nextTime;
          others = onlookers.any;
          valued = true;
          settled = true;
        }
        if (others) others = onlookers.tell(loop);
      }
    } finally {
      this.#showSinks(run, shown, last + 1);
      market.leaveQuotes();
    }
  }

  /** A braid begins, of which this is a strand: its quotes are handed to `take` and `ask`. */
  join(strand: QuoteStrand): void {
    this.#strand = strand;
    this.#shown = strand.nextRow();
    this.#market.followQuotes(strand);
  }

  /** Into the state. */
  take(quote: Quote, row: number): void {
    this.#market.goToQuote(row, (quote.bidTicks + quote.askTicks) / 2);
    this.state.portfolio.observe(this.#index, quote.time);
  }

  /** To strategies. */
  ask(quote: Quote): void {
    const route = this.#route;
    if (route !== undefined) this.audience.showMarket(quote, route);
  }

  /** To sinks: what has come since they last saw any. */
  catchUp(): void {
    const strand = this.#strand!;
    const next = strand.nextRow();
    if (next > this.#shown) this.#shown = this.#showSinks(strand, this.#shown, next);
  }

  /** The braid is over. */
  leave(): void {
    this.catchUp();
    this.#strand = undefined;
    this.#market.leaveQuotes();
  }

  /** Sinks see the quotes of a run together, [from, to). @returns where to go on. */
  #showSinks(run: QuoteRows, from: number, to: number): number {
    const sinks = this.#sinks;
    for (let i = 0; i < sinks.length; i++) sinks[i]!.addQuotes(run, from, to);
    return to;
  }
}

/** The turns of quotes of several instruments, each as `applyMarket` and `MarketWay.show` have it. */
class BraidWay {
  /** Those of the strands, in their order. */
  readonly #joined: MarketWay[] = [];

  constructor(
    /** By the index of the instrument. */
    private readonly ways: readonly MarketWay[],
    private readonly state: State,
    private readonly onlookers: Onlookers,
    private readonly loop: QuoteLoop,
  ) {}

  follow(braid: QuoteBraid): void {
    const { state, onlookers, loop } = this;
    const { strands } = braid;
    const { curve } = state.portfolio;
    const { waiting } = loop;
    const joined = this.#join(braid);
    let writes = curve.nextTime;
    let others = onlookers.any;
    try {
      for (let at = braid.next(); at >= 0; at = braid.next()) {
        const strand = strands[at]!;
        const way = joined[at]!;
        const row = strand.nextRow() - 1;
        const quote = strand.quoteAt(row);
        const { time } = quote;
        if (time > state.time) state.time = time;
        if (time > writes) {
          writeCurve(state, state.time);
          writes = curve.nextTime;
        }
        state.sequence = quote.sequence;
        way.take(quote, row);
        if (others) onlookers.show(quote);
        way.ask(quote);
        if (waiting.count > 0) {
          for (const other of joined) other.catchUp();
          loop.settle();
          writes = curve.nextTime;
          others = onlookers.any;
        }
        if (others) others = onlookers.tell(loop);
      }
    } finally {
      for (const way of joined) way.leave();
    }
  }

  #join({ strands }: QuoteBraid): readonly MarketWay[] {
    const joined = this.#joined;
    joined.length = 0;
    for (let i = 0; i < strands.length; i++) {
      const strand = strands[i]!;
      const way = this.ways[strand.instrument.index]!;
      way.join(strand);
      joined.push(way);
    }
    return joined;
  }
}

/** All that see each quote of a run beside sinks and strategies: watchers, held orders and observers. Mostly there are none. */
class Onlookers {
  constructor(
    private readonly state: State,
    private readonly held: HeldDesk,
    private readonly broadcast: Broadcast,
  ) {}

  get any(): boolean {
    return this.state.watchers.length > 0 || this.held.book.size > 0 || this.broadcast.heard;
  }

  show(quote: Quote): void {
    const { watchers } = this.state;
    for (let i = 0; i < watchers.length; i++) watchers[i]!.observe(quote.instrument.index, quote.time);
    if (this.held.book.size > 0) this.held.judge.by(quote);
    this.broadcast.market(quote);
  }

  /** The turn is over. @returns whether any look at the next quote. */
  tell(loop: QuoteLoop): boolean {
    if (this.broadcast.observers > 0) loop.tell();
    return this.any;
  }
}
