import type { QuoteBraid } from '../ports/market-feed.ts';
import { writeCurve } from '../state/apply.ts';
import type { State } from '../state/state.ts';
import type { MarketWay } from './market-way.ts';
import type { Onlookers } from './onlookers.ts';
import type { QuoteLoop } from './quote-loop.ts';

/** The turns of quotes of several instruments, each as `applyMarket` and `MarketWay.show` have it. */
export class BraidWay {
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
