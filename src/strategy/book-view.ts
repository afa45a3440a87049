import type { ReadonlyDepthBook, ReadonlyLadder } from '../model/depth-book.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Side } from '../model/order.ts';

/** What stands at one price. */
export interface Level {
  readonly price: number;
  readonly quantity: number;
  /** The same in whole ticks and steps, for exact work. */
  readonly ticks: number;
  readonly steps: number;
}

/** A recorded order book as it stands now: a view, which moves with it. Own orders are no part of it. */
export class BookView {
  constructor(
    private readonly instrument: Instrument,
    private readonly book: ReadonlyDepthBook,
  ) {}

  /** Best prices in ticks; `NaN` while a side is empty. */
  get bidTicks(): number {
    return this.book.bids.bestTicks;
  }
  get askTicks(): number {
    return this.book.asks.bestTicks;
  }
  /** Best prices; `NaN` while a side is empty. */
  get bid(): number {
    return this.instrument.tick.toNumber(this.bidTicks);
  }
  get ask(): number {
    return this.instrument.tick.toNumber(this.askTicks);
  }
  /** The middle of both; `NaN` while a side is empty. */
  get mid(): number {
    return this.instrument.tick.toNumber(this.book.midTicks);
  }
  /** What stands at the best prices. */
  get bidQuantity(): number {
    return this.instrument.step.toNumber(this.stepsAt('buy', this.bidTicks));
  }
  get askQuantity(): number {
    return this.instrument.step.toNumber(this.stepsAt('sell', this.askTicks));
  }

  /** Steps that stand at a price among the bids (`buy`) or asks (`sell`); 0 where nothing does. */
  stepsAt(side: Side, ticks: number): number {
    return this.#side(side).stepsAt(ticks);
  }

  /** The best levels of a side, best first: at most `most`. */
  levels(side: Side, most: number): Level[] {
    const ladder = this.#side(side);
    const { tick, step } = this.instrument;
    const found: Level[] = [];
    for (let ticks = ladder.bestTicks; found.length < most && !Number.isNaN(ticks); ticks = ladder.next(ticks)) {
      const steps = ladder.stepsAt(ticks);
      found.push({ price: tick.toNumber(ticks), quantity: step.toNumber(steps), ticks, steps });
    }
    return found;
  }

  #side(side: Side): ReadonlyLadder {
    return side === 'buy' ? this.book.bids : this.book.asks;
  }
}
