import type { Side } from '../model/order.ts';
import type { Book } from './book.ts';
import type { FillSettings } from './settings.ts';

/**
 * What takers pay beyond the price that they meet, in ticks against them, rounded to the worse whole tick and never below one.
 *
 * - `slippageBps` of the price, and on top what the model says:
 * - `spread`: a share of the spread: that of the book where quotes tell one, else twice the half spread that is set.
 * - `volumeShare`: impact x share² of the price; the share is what own orders take of the bar's volume, this fill included. The
 *   limit of the share is a budget of the bar.
 * - `squareRoot`: coefficient x volatility x square root of quantity / volume, both of the last days, of the price.
 */
export class Slippage {
  /** What an order pays depends on how much it takes. */
  readonly bySize: boolean;

  constructor(private readonly settings: FillSettings) {
    const { slippage = {} } = settings;
    this.bySize = 'volumeShare' in slippage || 'squareRoot' in slippage;
  }

  /** The price of a taker of so many steps; `NaN` before the first price. */
  ticks(book: Book, side: Side, steps: number): number {
    const ticks = book.takeTicks(side);
    const { slippageBps, slippage } = this.settings;
    if (slippage === undefined && slippageBps === 0) return ticks;
    const more = this.#modelled(book, ticks, steps);
    // The tolerance is for rates that doubles do not hold exactly.
    return side === 'buy'
      ? Math.ceil((ticks * (1e4 + slippageBps)) / 1e4 + more - 1e-9)
      : Math.max(1, Math.floor((ticks * (1e4 - slippageBps)) / 1e4 - more + 1e-9));
  }

  #modelled(book: Book, ticks: number, steps: number): number {
    const { slippage, halfSpreadTicks } = this.settings;
    if (slippage === undefined) return 0;
    if ('spread' in slippage) {
      const spread = book.twoSided ? book.askTicks - book.bidTicks : Number.NaN;
      return slippage.spread * (Number.isNaN(spread) ? 2 * halfSpreadTicks : spread);
    }
    if ('volumeShare' in slippage) return slippage.volumeShare.impact * book.volumeShare(steps) ** 2 * ticks;
    return slippage.squareRoot.coefficient * (book.activity?.rootImpact(steps) ?? 0) * ticks;
  }
}
