import { type Bar, cancel, place, protect, Strategy, z } from 'tidegate';
import { ATR } from 'trading-signals';

/** Bars of history before the run begins: enough for the smoothing of the average to settle. */
const HISTORY = 96;

const Params = z.object({
  length: z.int().min(2).max(HISTORY).default(14).describe('bars in the average true range (ATR), the unit of the other distances'),
  breakout: z.number().positive().default(1.5).describe('entry: a stop order this many ATR above the last close'),
  trail: z
    .number()
    .positive()
    .default(3)
    .describe('exit: a stop this many ATR, as they were at the entry, below the highest price since; it only moves up'),
  risk: z.number().positive().max(0.05).default(0.005).describe('share of the equity that the first stop loses, fees apart'),
  share: z.number().positive().max(1).default(0.3).describe('largest share of the equity in one position'),
});

interface Guard {
  /** Distance of the stop, in price. */
  readonly trailBy: number;
  /** The highest high since the entry. */
  readonly highest: number;
}

/**
 * Buys a rise that is large for the recent volatility, and follows it with a stop that never moves down. While it is
 * flat, a stop order to buy waits above the price and is replaced with each bar. The trailing stop is an exit of this
 * entry. Shows an indicator of trading-signals, sizing by risk, and a trailing stop that the engine moves. It saves
 * the distance of the stop and the highest high. If stopping a bot canceled its stop, the next bot places it again
 * where it was.
 *
 * An example, and no promise of profit: most breakouts fail, and the few that succeed must pay for them and for the
 * fees.
 */
export class VolatilityBreakout extends Strategy<typeof Params> {
  static params = Params;
  static needs = { bars: '15m', history: HISTORY };
  readonly ranges = new Map(
    this.symbols.map((symbol) => [symbol, this.indicator(new ATR(this.params.length), { bars: '15m', symbol, input: 'bar' })]),
  );
  /** The exit of each symbol's position, or of its waiting entry. */
  guards = new Map<string, Guard>();

  save() {
    return [...this.guards];
  }

  restore(saved: [string, Guard][]) {
    this.guards = new Map(saved);
  }

  onBar(bar: Bar) {
    const range = this.ranges.get(bar.symbol)?.value;
    if (range === undefined || range === 0) return [];
    const { quantity } = this.position(bar.symbol);
    return quantity > 0 ? this.guard(bar, range, quantity) : this.waitAbove(bar, range);
  }

  /** Replaces the entry: a stop order above the close. */
  waitAbove({ symbol, close }: Bar, range: number) {
    const { breakout, trail, risk, share } = this.params;
    const stopPrice = close + breakout * range;
    const trailBy = trail * range;
    this.guards.set(symbol, { trailBy, highest: stopPrice });
    const { equity } = this.account;
    const quantity = Math.min((risk * equity) / trailBy, (share * equity) / stopPrice);
    return [cancel({ symbol }), place({ symbol, side: 'buy', type: 'stop', stopPrice, quantity, exits: { trailBy }, tag: 'breakout' })];
  }

  /** The engine moves the stop. If there is none after a restart, this places it where it was. */
  guard({ symbol, high }: Bar, range: number, quantity: number) {
    const before = this.guards.get(symbol) ?? { trailBy: this.params.trail * range, highest: high };
    const highest = Math.max(before.highest, high);
    this.guards.set(symbol, { ...before, highest });
    if (this.orders(symbol).some(({ side }) => side === 'sell')) return [];
    const { trailBy } = before;
    return [cancel({ symbol }), protect({ symbol, side: 'sell', quantity, stopLoss: highest - trailBy, trailBy, tag: 'breakout' })];
  }
}
