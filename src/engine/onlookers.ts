import type { Quote } from '../model/market-events.ts';
import type { State } from '../state/state.ts';
import type { Broadcast } from './broadcast.ts';
import type { HeldDesk } from './held/held-desk.ts';
import type { QuoteLoop } from './quote-loop.ts';

/** Who looks at each quote of a run beside sinks and strategies: mostly nobody. */
export class Onlookers {
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
