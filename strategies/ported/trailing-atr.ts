import { type Bar, cancel, type Intent, type Intents, place, protect, Strategy, z } from 'tidegate';
import { ATR, SMA } from 'trading-signals';

/** Bars of history before the run begins, and so the longest average. */
const HISTORY = 200;

const Params = z
  .object({
    fast: z.int().min(1).max(HISTORY).default(10).describe('bars in the fast average'),
    slow: z.int().min(2).max(HISTORY).default(20).describe('bars in the slow average'),
    ranges: z.number().positive().default(6).describe('distance of the stop from the close, in average true ranges (ATR)'),
    length: z.int().min(2).max(HISTORY).default(100).describe('bars in the ATR, whose average is a simple one'),
    percentOfEquity: z.number().positive().default(95).describe('size of a position, in percent of the equity'),
  })
  .refine(({ fast, slow }) => fast < slow, 'fast must be below slow');

/**
 * Reverses its position at each cross of two averages, with a stop that follows the close. The rules are those of
 * backtesting.py: `SmaCross` of its quick start (10 and 20 bars) on `TrailingStrategy` of `backtesting.lib` (a simple
 * average of 100 true ranges, `set_trailing_sl(6)`). At each close the stop moves to 6 ATR from it, and never back.
 *
 * The differences: backtesting.py changes `trade.sl`. A held stop cannot be amended here: `cancel` removes it, and `protect`
 * places the next one in the same turn. `exits.trail` is shorter, and would follow the highest price at the distance of the
 * entry.
 */
export class TrailingAtr extends Strategy<typeof Params> {
  static params = Params;
  static needs = { bars: '1h', history: HISTORY };
  readonly fast = this.indicator(new SMA(this.params.fast), { bars: '1h' });
  readonly slow = this.indicator(new SMA(this.params.slow), { bars: '1h' });
  readonly range = this.indicator(new ATR(this.params.length, SMA), { bars: '1h', input: 'bar' });

  onBar(bar: Bar): Intents {
    const { symbol } = bar;
    const { side, quantity } = this.position(symbol);
    const cross = this.cross();
    if (cross === undefined) return side === 'flat' ? undefined : this.trail(bar, side, quantity);
    const turn = { symbol, side: cross, type: 'market' } as const;
    const close = side === (cross === 'buy' ? 'short' : 'long') ? [place({ ...turn, quantity, reduceOnly: true, tag: 'close' })] : [];
    return [...close, place({ ...turn, quantity: { percentOfEquity: this.params.percentOfEquity }, tag: 'cross' })];
  }

  trail({ symbol, close }: Bar, side: 'long' | 'short', quantity: number): Intent[] {
    if (this.range.value === undefined) return [];
    const reach = this.params.ranges * this.range.value;
    const stop = side === 'long' ? close - reach : close + reach;
    const held = this.orders(symbol).find(({ tag }) => tag === 'trail:stopLoss')?.stopPrice;
    if (held !== undefined && (side === 'long' ? stop <= held : stop >= held)) return [];
    const closing = side === 'long' ? 'sell' : 'buy';
    return [cancel({ tag: 'trail:stopLoss' }), protect({ symbol, side: closing, quantity, stopLoss: stop, tag: 'trail' })];
  }

  /** The side on which the fast average has crossed the slow one with the newest bar. */
  cross(): 'buy' | 'sell' | undefined {
    const { fast, slow } = this;
    const [before, now] = [
      (fast.previous ?? Number.NaN) - (slow.previous ?? Number.NaN),
      (fast.value ?? Number.NaN) - (slow.value ?? Number.NaN),
    ];
    if (before < 0 && now > 0) return 'buy';
    return before > 0 && now < 0 ? 'sell' : undefined;
  }
}
