import { type Bar, place, Strategy, z } from 'tidegate';

/** Bars of history before the run begins, and so the longest channel. */
const HISTORY = 72;

const Params = z.object({
  channel: z.int().min(2).max(HISTORY).default(24).describe('bars whose highest and lowest price must be broken'),
  risk: z.number().positive().max(0.1).default(0.01).describe('share of the equity that a stopped trade loses, fees apart'),
  reward: z.number().positive().default(2).describe('take profit: this many times as far as the stop'),
});

/** Goes long above a channel and short below it, on one perpetual, with a stop loss and a take profit. */
export class Futures extends Strategy<typeof Params> {
  static params = Params;
  static needs = { bars: '1h', history: HISTORY };

  onBar({ symbol, close }: Bar) {
    // The newest bar is the one that may break the channel of those before it.
    const bars = this.bars(symbol, '1h', this.params.channel + 1).slice(0, -1);
    if (this.isHolding(symbol) || this.orders(symbol).length > 0 || bars.length < this.params.channel) return undefined;
    const top = Math.max(...bars.map(({ high }) => high));
    const bottom = Math.min(...bars.map(({ low }) => low));
    if (close > top) return this.open(symbol, 'long', close, (top - bottom) / 2);
    return close < bottom ? this.open(symbol, 'short', close, (top - bottom) / 2) : undefined;
  }

  /** A market order with linked exits. @param reach the distance of the stop loss, in price. */
  open(symbol: string, positionSide: 'long' | 'short', price: number, reach: number) {
    const sign = positionSide === 'long' ? 1 : -1;
    return place({
      symbol,
      side: positionSide === 'long' ? 'buy' : 'sell',
      positionSide,
      type: 'market',
      quantity: (this.params.risk * this.account.equity) / reach,
      exits: { stopLoss: price - sign * reach, takeProfit: price + sign * this.params.reward * reach },
      tag: positionSide,
    });
  }

  isHolding(symbol: string): boolean {
    return this.position(symbol, 'long').quantity + this.position(symbol, 'short').quantity > 0;
  }
}
