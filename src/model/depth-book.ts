import { Ladder } from './ladder.ts';
import type { Depth } from './market-events.ts';

/** One side of a book, to look at. */
export type ReadonlyLadder = Readonly<Pick<Ladder, 'side' | 'bestTicks' | 'stepsAt' | 'next'>>;

/** An order book to look at. */
export interface ReadonlyDepthBook extends Readonly<Pick<DepthBook, 'twoSided' | 'midTicks'>> {
  readonly bids: ReadonlyLadder;
  readonly asks: ReadonlyLadder;
}

/** An order book rebuilt from its snapshots and changes: what stands at each price, in whole ticks and steps. */
export class DepthBook {
  readonly bids = new Ladder('buy');
  readonly asks = new Ladder('sell');

  /** Something stands on both sides. */
  get twoSided(): boolean {
    return this.bids.bestTicks > 0 && this.asks.bestTicks > 0;
  }
  /** The middle of the best bid and ask, in ticks and their halves; `NaN` where a side is empty. */
  get midTicks(): number {
    return (this.bids.bestTicks + this.asks.bestTicks) / 2;
  }

  /** What a taker of `side` meets. */
  facing(side: 'buy' | 'sell'): Ladder {
    return side === 'buy' ? this.asks : this.bids;
  }

  /** Where orders of `side` stand. */
  of(side: 'buy' | 'sell'): Ladder {
    return side === 'buy' ? this.bids : this.asks;
  }

  apply({ snapshot, bids, asks }: Pick<Depth, 'snapshot' | 'bids' | 'asks'>): void {
    if (snapshot) this.clear();
    for (let i = 0; i < bids.ticks.length; i++) this.bids.set(bids.ticks[i]!, bids.steps[i]!);
    for (let i = 0; i < asks.ticks.length; i++) this.asks.set(asks.ticks[i]!, asks.steps[i]!);
  }

  clear(): void {
    this.bids.clear();
    this.asks.clear();
  }
}
