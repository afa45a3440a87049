import { DepthBook } from '../../model/depth-book.ts';
import type { Ladder } from '../../model/ladder.ts';
import type { ChangedLevels, Depth } from '../../model/market-events.ts';
import type { Side } from '../../model/order.ts';

/** Receives the changes of a level of the recorded book, on the side where orders of `side` rest: steps before and after. */
type LevelChanged = (side: Side, ticks: number, before: number, after: number) => void;

/**
 * The recorded order book of an instrument, and the quantities that own orders have taken of it: a taken quantity stays taken until the
 * recording changes that level.
 */
export class DepthMarket {
  readonly #book = new DepthBook();
  /** Steps taken by own buyers of asks, and by own sellers of bids, by price in ticks. */
  readonly #taken: Readonly<Record<Side, Map<number, number>>> = { buy: new Map(), sell: new Map() };

  constructor(
    /** Any size fills at each level. */
    private readonly unlimited: boolean,
    private readonly hear: LevelChanged | undefined,
  ) {}

  /** Best recorded prices, without regard to taken quantities; `NaN` while a side is empty. */
  get bidTicks(): number {
    return this.#book.bids.bestTicks;
  }
  get askTicks(): number {
    return this.#book.asks.bestTicks;
  }

  /** @param watched own orders may rest here, so changes of levels are reported. */
  apply(depth: Depth, watched: boolean): void {
    const hear = watched ? this.hear : undefined;
    if (depth.snapshot) this.#replace(depth, hear);
    else {
      this.#change(this.#book.bids, 'sell', depth.bids, hear);
      this.#change(this.#book.asks, 'buy', depth.asks, hear);
    }
  }

  /** Recorded steps at a price, on the side where orders of `side` rest. */
  stepsAt(side: Side, ticks: number): number {
    return this.#book.of(side).stepsAt(ticks);
  }

  /** Steps at a price that a taker of `side` can still take. */
  left(side: Side, ticks: number): number {
    const steps = this.#book.facing(side).stepsAt(ticks);
    if (this.unlimited) return steps === 0 ? 0 : Number.POSITIVE_INFINITY;
    const taken = this.#taken[side];
    return taken.size === 0 ? steps : Math.max(0, steps - (taken.get(ticks) ?? 0));
  }

  /** The best price with a quantity left for a taker of `side`; `NaN` where there is none. */
  best(side: Side): number {
    return this.#leftFrom(side, this.#book.facing(side).bestTicks);
  }

  /** The next price behind `ticks` with a quantity left for a taker of `side`; `NaN` where there is none. */
  next(side: Side, ticks: number): number {
    return this.#leftFrom(side, this.#book.facing(side).next(ticks));
  }

  take(side: Side, ticks: number, steps: number): void {
    if (this.unlimited || steps === 0) return;
    const taken = this.#taken[side];
    taken.set(ticks, (taken.get(ticks) ?? 0) + steps);
  }

  /** Makes taken quantities available again. */
  restore(): void {
    this.#taken.buy.clear();
    this.#taken.sell.clear();
  }

  #leftFrom(side: Side, first: number): number {
    let ticks = first;
    if (this.#taken[side].size > 0)
      while (this.left(side, ticks) === 0 && !Number.isNaN(ticks)) ticks = this.#book.facing(side).next(ticks);
    return ticks;
  }

  /** @param taker the side that takes from these levels. */
  #change(ladder: Ladder, taker: Side, { ticks, steps }: ChangedLevels, hear: LevelChanged | undefined): void {
    const taken = this.#taken[taker];
    for (let i = 0; i < ticks.length; i++) {
      const price = ticks[i]!;
      const after = steps[i]!;
      const before = ladder.set(price, after);
      if (before === after) continue;
      if (taken.size > 0) taken.delete(price);
      hear?.(ladder.side, price, before, after);
    }
  }

  /** A snapshot: levels that it does not contain are removed; unchanged levels are not reported. */
  #replace(depth: Depth, hear: LevelChanged | undefined): void {
    const gone = { bids: gapsOf(this.#book.bids, depth.bids), asks: gapsOf(this.#book.asks, depth.asks) };
    this.#change(this.#book.bids, 'sell', gone.bids, hear);
    this.#change(this.#book.asks, 'buy', gone.asks, hear);
    this.#change(this.#book.bids, 'sell', depth.bids, hear);
    this.#change(this.#book.asks, 'buy', depth.asks, hear);
  }
}

/** The present levels that a snapshot does not contain, as removed levels. */
function gapsOf(ladder: Ladder, { ticks }: ChangedLevels): ChangedLevels {
  const named = new Set(ticks);
  const gone: number[] = [];
  for (let price = ladder.bestTicks; !Number.isNaN(price); price = ladder.next(price)) if (!named.has(price)) gone.push(price);
  return { ticks: gone, steps: gone.map(() => 0) };
}
