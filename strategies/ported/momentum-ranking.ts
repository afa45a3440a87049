import { type Bar, type Intents, place, Strategy, z } from 'tidegate';

const DAY_MS = 86_400_000;
/** Bars of history before the run begins, and so the longest look back. */
const HISTORY = 24;

const Params = z.object({
  hold: z.int().positive().default(3).describe('how many symbols are held, with equal weights'),
  lookBack: z.int().min(2).max(HISTORY).default(24).describe('bars over which the rise of a symbol is measured'),
  everyDays: z.int().positive().default(1).describe('days between two rankings, at midnight UTC'),
  invested: z.number().positive().max(1).default(0.95).describe('share of the equity that is invested'),
});

/**
 * Ranks all symbols by their rise, and holds the best with equal weights. The rules are those of "Sector Momentum" in the
 * strategy library of QuantConnect (Lean): the best three by momentum, liquidated when they leave the ranking, renewed on
 * a schedule. `onBars` has the bars of all symbols of a moment, so that no timer has to guess when the last one is in.
 *
 * The differences: hours and days where the original has months. Buys follow one bar after the sells whose money they need.
 */
export class MomentumRanking extends Strategy<typeof Params> {
  static params = Params;
  static needs = { bars: '1h', history: HISTORY };
  best: string[] = [];

  save() {
    return this.best;
  }

  restore(best: string[]) {
    this.best = best;
  }

  onBars([{ time }]: readonly [Bar, ...Bar[]]): Intents {
    const { hold, everyDays, invested } = this.params;
    if (time % (everyDays * DAY_MS) === 0) this.best = this.ranking().slice(0, hold);
    if (this.orders().length > 0) return;
    const held = this.symbols.filter((symbol) => this.position(symbol).quantity > 0);
    const sells = held
      .filter((symbol) => !this.best.includes(symbol))
      .map((symbol) => place({ symbol, side: 'sell', type: 'market', quantity: this.position(symbol).quantity, tag: 'left' }));
    if (sells.length > 0) return sells;
    const quantity = { percentOfEquity: (100 * invested) / hold };
    return this.best
      .filter((symbol) => !held.includes(symbol))
      .map((symbol) => place({ symbol, side: 'buy', type: 'market', quantity, tag: 'joined' }));
  }

  /** All symbols with a complete look back, the one that rose most first. */
  ranking(): string[] {
    const rises = this.symbols.flatMap((symbol) => {
      const bars = this.bars(symbol, '1h', this.params.lookBack);
      return bars.length < this.params.lookBack ? [] : [{ symbol, rise: bars.at(-1)!.close / bars[0]!.open - 1 }];
    });
    return rises.sort((a, b) => b.rise - a.rise).map(({ symbol }) => symbol);
  }
}
