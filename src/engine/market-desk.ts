import type { MarketEvent } from '../model/market-events.ts';
import type { QuoteBraid, QuoteRun } from '../ports/market-feed.ts';
import type { State } from '../state/state.ts';
import type { Broadcast } from './broadcast.ts';
import type { EngineParts } from './engine-parts.ts';
import { BraidWay, MarketWay, Onlookers, type QuoteLoop } from './market-way.ts';

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
