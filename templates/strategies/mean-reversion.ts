import { type Bar, place, Strategy, z } from 'tidegate';
import { BollingerBands } from 'trading-signals';

/** Bars of history before the run begins, and so the longest band. */
const HISTORY = 192;

const Params = z.object({
  length: z.int().min(2).max(HISTORY).default(48).describe('bars in the average and in the deviation'),
  deviations: z.number().positive().default(2).describe('buys this many standard deviations below the average'),
  share: z.number().positive().max(0.95).default(0.3).describe('share of the equity to put into one position'),
  stop: z.number().positive().max(0.5).default(0.01).describe('stop loss: this far below the close at the entry, as a fraction'),
  hours: z.number().positive().default(12).describe('closes a position after so many hours'),
});

const HOUR_MS = 3_600_000;

/** Buys below the lower band and sells at the average: for markets that swing, not for those that trend. */
export class MeanReversion extends Strategy<typeof Params> {
  static params = Params;
  static needs = { bars: '15m', history: HISTORY };
  readonly bands = new Map(this.symbols.map((symbol) => [symbol, new BollingerBands(this.params.length, this.params.deviations)]));

  onStart() {
    for (const symbol of this.symbols) for (const { close } of this.history(symbol)) this.bands.get(symbol)!.add(close);
  }

  onBar({ symbol, close }: Bar) {
    const band = this.bands.get(symbol)!.add(close);
    if (band === null) return undefined;
    const { quantity } = this.position(symbol);
    if (quantity > 0) return close >= band.middle ? place({ symbol, side: 'sell', type: 'market', quantity, tag: 'mean' }) : undefined;
    if (close > band.lower || this.orders(symbol).length > 0) return undefined;
    const { share, stop, hours } = this.params;
    return place({
      symbol,
      side: 'buy',
      type: 'market',
      quantity: (share * this.account.equity) / close,
      exits: { stopLoss: close * (1 - stop), after: hours * HOUR_MS },
      tag: 'dip',
    });
  }
}
