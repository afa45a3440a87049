import { type Bar, cancel, place, protect, Strategy, z } from 'tidegate';
import { ATR } from 'trading-signals';

/** Bars at hand before the run begins: enough for the smoothing of the average to settle. */
const HISTORY = 96;

const Params = z.object({
  length: z.int().min(2).max(HISTORY).default(14).describe('bars in the average true range (ATR), which the rest is measured in'),
  breakout: z.number().positive().default(1.5).describe('entry: a stop order this many ATR above the last close'),
  trail: z.number().positive().default(3).describe('exit: a stop this many ATR below the highest high; it only moves up'),
  risk: z.number().positive().max(0.05).default(0.005).describe('share of the equity that the first stop loses, fees apart'),
  share: z.number().positive().max(1).default(0.3).describe('largest share of the equity in one position'),
});

/**
 * Buys a rise that is large for the volatility of late, and follows it with a stop that never comes down. While it is
 * flat, a stop order to buy waits above the price and is renewed bar by bar; its first stop loss rides on it. Shows an
 * indicator of trading-signals, sizing by risk, and a trailing stop: the old one is taken back and a new one held in the
 * same turn. The level of each stop is saved: a restarted bot puts it where it was.
 *
 * An example, and no promise of profit: most breakouts fail, and the few that run must pay for them and for the fees.
 */
export class VolatilityBreakout extends Strategy<typeof Params> {
  static params = Params;
  static needs = { bars: '15m', history: HISTORY };
  readonly averages = new Map(this.symbols.map((symbol) => [symbol, new ATR(this.params.length)]));
  /** Where the stop of each symbol stands, or that of its entry would. */
  stops = new Map<string, number>();

  save() {
    return [...this.stops];
  }

  restore(saved: [string, number][]) {
    this.stops = new Map(saved);
  }

  onStart() {
    for (const symbol of this.symbols) for (const bar of this.history(symbol)) this.averages.get(symbol)!.add(bar);
  }

  onBar(bar: Bar) {
    const range = this.averages.get(bar.symbol)!.add(bar);
    if (range === null || range === 0) return [];
    const { quantity } = this.position(bar.symbol);
    return quantity > 0 ? this.follow(bar, range, quantity) : this.waitAbove(bar, range);
  }

  /** Renews the entry: a stop order above the close. */
  waitAbove({ symbol, close }: Bar, range: number) {
    const { breakout, trail, risk, share } = this.params;
    const stopPrice = close + breakout * range;
    const stopLoss = stopPrice - trail * range;
    this.stops.set(symbol, stopLoss);
    const { equity } = this.account;
    const quantity = Math.min((risk * equity) / (trail * range), (share * equity) / stopPrice);
    return [cancel({ symbol }), place({ symbol, side: 'buy', type: 'stop', stopPrice, quantity, exits: { stopLoss }, tag: 'breakout' })];
  }

  /** Moves the stop up where the bar allows it, and puts one where there is none. */
  follow({ symbol, high }: Bar, range: number, quantity: number) {
    const stops = this.orders(symbol).filter(({ side }) => side === 'sell');
    // One that has been reached is on its way out: nothing is left to guard.
    if (stops.some(({ triggered }) => triggered)) return [];
    const before = this.stops.get(symbol) ?? 0;
    const level = Math.max(before, high - this.params.trail * range);
    if (level === before && stops.length > 0) return [];
    this.stops.set(symbol, level);
    return [cancel({ symbol }), protect({ symbol, side: 'sell', quantity, stopLoss: level, tag: 'trail' })];
  }
}
