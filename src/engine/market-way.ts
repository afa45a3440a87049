import type { Instrument } from '../model/instrument.ts';
import type { MarketEvent, Quote } from '../model/market-events.ts';
import type { QuoteRun } from '../ports/market-feed.ts';
import { applyMarket, writeCurve } from '../state/apply.ts';
import type { MarketState } from '../state/market-state.ts';
import type { State } from '../state/state.ts';
import type { Broadcast, MarketSink } from './broadcast.ts';
import type { HeldDesk } from './held/held-desk.ts';
import type { Waiting } from './inbox.ts';
import type { Audience } from './strategies/audience.ts';
import { type InstrumentRoutes, onlyHost } from './strategies/routes.ts';

/** The turn of a quote beside what is shown. */
export interface QuoteLoop {
  readonly waiting: Readonly<Waiting>;
  /** Something waits. */
  settle(): void;
  /** The turn is over, and somebody observes. */
  tell(): void;
}

/**
 * The way of one instrument's market events: into the state, past what is held, to observers and to strategies. What is the same for
 * all of them is looked up once. Nothing on it keeps a quote, so that the compiler need not make those of a run.
 */
export class MarketWay {
  readonly #market: MarketState;
  readonly #sinks: readonly MarketSink[];
  readonly #routes: InstrumentRoutes;

  constructor(
    instrument: Instrument,
    private readonly state: State,
    private readonly held: HeldDesk,
    private readonly broadcast: Broadcast,
    private readonly audience: Audience,
  ) {
    this.#market = state.market(instrument);
    this.#sinks = broadcast.sinksOf(instrument);
    this.#routes = audience.routesOf(instrument);
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
    const { state, audience } = this;
    const { portfolio } = state;
    const { curve } = portfolio;
    const { waiting } = loop;
    const { index } = run.instrument;
    const market = this.#market;
    const route = this.#routes.ofQuotes;
    const only = onlyHost(route);
    const first = run.next();
    if (first < 0) return;
    let shown = first;
    let last = first;
    let writes = curve.nextTime;
    let others = this.#othersLook;
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
        if (others) this.#showOthers(quote);
        if (only !== undefined) audience.ask(only, quote);
        else if (route !== undefined) audience.showMarket(quote, route);
        if (waiting.count > 0) {
          shown = this.#showSinks(run, shown, row + 1);
          loop.settle();
          writes = curve.nextTime;
          others = this.#othersLook;
          valued = true;
          settled = true;
        }
        if (others) others = this.#tell(loop);
      }
    } finally {
      this.#showSinks(run, shown, last + 1);
      market.leaveQuotes();
    }
  }

  /** Somebody beside sinks and strategies looks at quotes. */
  get #othersLook(): boolean {
    return this.state.watchers.length > 0 || this.held.book.size > 0 || this.broadcast.heard;
  }

  #showOthers(quote: Quote): void {
    const { watchers } = this.state;
    for (let i = 0; i < watchers.length; i++) watchers[i]!.observe(quote.instrument.index, quote.time);
    if (this.held.book.size > 0) this.held.judge.by(quote);
    this.broadcast.market(quote);
  }

  /** The turn is over. @returns whether others look at the next quote. */
  #tell(loop: QuoteLoop): boolean {
    if (this.broadcast.observers > 0) loop.tell();
    return this.#othersLook;
  }

  /** Sinks see the quotes of a run together, [from, to). @returns where to go on. */
  #showSinks(run: QuoteRun, from: number, to: number): number {
    const sinks = this.#sinks;
    for (let i = 0; i < sinks.length; i++) sinks[i]!.addQuotes(run, from, to);
    return to;
  }
}
