import type { Instrument } from '../model/instrument.ts';
import type { MarketEvent } from '../model/market-events.ts';
import type { QuoteRun } from '../ports/market-feed.ts';
import { applyMarket, writeCurve } from '../state/apply.ts';
import type { MarketState } from '../state/market-state.ts';
import type { State } from '../state/state.ts';
import type { Broadcast, MarketSink } from './broadcast.ts';
import type { HeldDesk } from './held/held-desk.ts';
import type { Audience } from './strategies/audience.ts';
import type { InstrumentRoutes } from './strategies/routes.ts';

/** The turn of a quote beside what is shown. */
export interface QuoteLoop {
  readonly inbox: { readonly empty: boolean };
  readonly wishes: { readonly empty: boolean };
  /** Something is in one of them. */
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
   * from one to the next is taken out of the loop by hand, as the compiler cannot know that it does: without, a quote takes a quarter longer.
   */
  follow(run: QuoteRun, loop: QuoteLoop): void {
    const { state, held, broadcast, audience } = this;
    const { portfolio, watchers } = state;
    const { curve } = portfolio;
    const { inbox, wishes } = loop;
    const { book, judge } = held;
    const { index } = run.instrument;
    const market = this.#market;
    const route = this.#routes.ofQuotes;
    market.followQuotes(run);
    let shown = run.at() + 1;
    try {
      while (run.next()) {
        const quote = run.quote();
        const { time } = quote;
        if (time > state.time) state.time = time;
        if (time > curve.nextTime) writeCurve(state, state.time);
        state.sequence = quote.sequence;
        market.goToQuote(run.at());
        portfolio.observe(index, time);
        for (let i = 0; i < watchers.length; i++) watchers[i]!.observe(index, time);
        if (book.size > 0) judge.by(quote);
        broadcast.market(quote);
        if (route !== undefined) audience.showMarket(quote, route);
        if (!inbox.empty || !wishes.empty) {
          shown = this.#showSinks(run, shown);
          loop.settle();
        }
        if (broadcast.observers > 0) loop.tell();
      }
    } finally {
      this.#showSinks(run, shown);
      market.leaveQuotes();
    }
  }

  /** Sinks see the quotes of a run together. @param from the first row they have not seen. @returns the next such. */
  #showSinks(run: QuoteRun, from: number): number {
    const to = run.at() + 1;
    const sinks = this.#sinks;
    for (let i = 0; i < sinks.length; i++) sinks[i]!.addQuotes(run, from, to);
    return to;
  }
}
