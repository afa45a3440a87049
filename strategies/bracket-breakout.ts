import { type Bar, type Fill, place, Strategy, z } from 'tidegate';

/** Bars of history before the run begins, and so the longest channel. */
const HISTORY = 96;

const Params = z.object({
  channel: z.int().min(2).max(HISTORY).default(48).describe('bars whose highest high must be broken'),
  fraction: z.number().positive().max(1).default(0.3).describe('share of the equity to put into one position'),
  stop: z.number().positive().max(1).default(0.5).describe('stop loss: this share of the channel height below the close'),
  reward: z.number().positive().default(2).describe('take profit: this many times as far as the stop'),
});

/**
 * Buys when a bar closes above the highest high of the bars before it. Two linked exits close the position: a stop
 * loss and a take profit, of which one cancels the other. Shows a warm start from history, state by symbol, sizing by
 * equity, exits of an entry, tags, and the log.
 *
 * An example, and no promise of profit: it buys at any price, and in a market without trends it buys the top of one
 * range after the other.
 */
export class BracketBreakout extends Strategy<typeof Params> {
  static params = Params;
  static needs = { bars: '15m', history: HISTORY };
  /** The last bars of each symbol, oldest first. */
  readonly past = new Map<string, Bar[]>();

  onStart() {
    for (const symbol of this.symbols) this.past.set(symbol, this.history(symbol).slice(-this.params.channel));
  }

  onBar(bar: Bar) {
    const before = this.past.get(bar.symbol)!;
    this.drawChannel(bar.symbol, before);
    const entry = this.isFlat(bar.symbol) && before.length === this.params.channel ? this.breakout(bar, before) : undefined;
    before.push(bar);
    if (before.length > this.params.channel) before.shift();
    return entry;
  }

  onFill(fill: Fill) {
    // The exits have the entry's tag and their own suffix: `breakout`, `breakout:stopLoss`, `breakout:takeProfit`.
    this.log.info('filled', { tag: fill.tag, symbol: fill.symbol, price: fill.price, equity: this.account.equity });
  }

  /** The entry, if this bar closes above the channel of the bars before it. */
  breakout({ symbol, close }: Bar, before: readonly Bar[]) {
    const top = Math.max(...before.map(({ high }) => high));
    const bottom = Math.min(...before.map(({ low }) => low));
    if (close <= top) return undefined;
    const { fraction, stop, reward } = this.params;
    const risk = stop * (top - bottom);
    return place({
      symbol,
      side: 'buy',
      type: 'market',
      // Tidegate rounds prices and quantities to the grid so that they never request more.
      quantity: (fraction * this.account.equity) / close,
      exits: { stopLoss: close - risk, takeProfit: close + reward * risk },
      tag: 'breakout',
    });
  }

  /** The channel that the next bar must leave, over the candles of the report. */
  drawChannel(symbol: string, bars: readonly Bar[]) {
    this.plot('channel top', Math.max(...bars.map(({ high }) => high)), { symbol, style: 'step', color: 'purple' });
    this.plot('channel bottom', Math.min(...bars.map(({ low }) => low)), { symbol, style: 'step', color: 'gray' });
  }

  /** No position and no open order. */
  isFlat(symbol: string): boolean {
    return this.position(symbol).quantity === 0 && this.orders(symbol).length === 0;
  }
}
